//! Parts that several fuzz targets share.

use arbitrary::Arbitrary;
use sidestep_sim::{
    ClassTransports, Files, SwitchConfig, SwitchOverrides, TraceFilter, WorldConfig,
};
use sidestep_switch::{Capacity, buffer, route, sched};
use sidestep_transport::{
    AckRule, BackoffEnds, Congestion, DelayedAck, Estimator, Growth, RackConfig, Recovery,
    Reduction, ReorderingConfig, RtoConfig, TcpConfig, ThresholdRule, TransportConfig,
};
use sidestep_types::{Entry, Framing, Seed, Size, Time, Values};

/// Files that all have this text.
pub struct OneFile<'a>(pub &'a str);

impl Files for OneFile<'_> {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.to_string())
    }
}

/// Files of each kind that a scenario can name, one of each.
pub struct FewFiles;

impl Files for FewFiles {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = match path {
            "sizes.csv" => "size_bytes,cumulative_probability\n100,0.5\n20000,1\n",
            "flows.csv" => "start,src,dst,size,class\n1 ms,0,1,20 kB,web\n2 ms,1,0,1 kB,\n",
            "net.csv" => {
                "a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s1,1 Gbps,1 us\ns0,s1,10 Gbps,5 us\n"
            }
            "base.toml" => {
                "duration = \"1 ms\"\nschemes = \"dctcp\"\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
                 [workload.query]\nkind = \"incast\"\ndegree = 2\n[source]\n\"topology.hosts\" = \"P\"\n"
            }
            "mine.toml" => "[switch]\nbuffer = \"dibs\"\n[transport]\nfast_retransmit = 9\n",
            _ => return Err("no such file".into()),
        };
        Ok(text.to_string())
    }
}

/// Returns the configuration of DCTCP over marking switches.
pub fn config() -> WorldConfig {
    WorldConfig {
        framing: Framing::Ethernet,
        ttl: 255,
        switch: SwitchConfig {
            route: route::choose("ecmp", &defaults(route::ENTRIES, "ecmp")).expect("its defaults"),
            buffer: buffer::choose("ecn", &defaults(buffer::ENTRIES, "ecn")).expect("its defaults"),
            sched: sched::choose("fifo", &defaults(sched::ENTRIES, "fifo")).expect("its defaults"),
            capacity: Capacity::PerPort(Size::Packets(100)),
            pfc: None,
            cioq: None,
            sent: None,
        },
        others: SwitchOverrides::default(),
        transport: dctcp().into(),
        transports: ClassTransports::default(),
        shims: Vec::new(),
        nic: None,
        seed: Seed(1),
        changes: Vec::new(),
        trace: TraceFilter::None,
    }
}

fn defaults(entries: &'static [Entry], name: &str) -> Values {
    let entry = entries
        .iter()
        .find(|e| e.name == name)
        .expect("a registered name");
    Values::defaults(entry.params)
}

/// Returns DCTCP with the settings of DIBS section 5.3.
pub fn dctcp() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::DCTCP,
        recovery: Recovery::Sack,
        ..TcpConfig::default()
    }
}

/// Returns Swift with its defaults.
pub fn swift() -> TcpConfig {
    let swift = TransportConfig::from_name("swift").expect("it is listed");
    swift.tcp().expect("it is TCP").clone()
}

/// Settings of the two ends of a connection, within the limits of a scenario.
#[derive(Arbitrary, Clone, Debug)]
pub struct Settings {
    congestion: u8,
    sack: bool,
    prr: bool,
    mss: u16,
    initial_window: u8,
    window: u16,
    dupacks: Option<u8>,
    rule: u8,
    dsack: bool,
    undo: bool,
    share: u8,
    most: u8,
    early: u8,
    limited_transmit: bool,
    idle_restart: bool,
    delayed_ack: Option<(u8, u16)>,
    estimator: u8,
    rto_us: u16,
    backoff: bool,
    handshake: bool,
    timestamps: bool,
    syn_sample: bool,
    fin: bool,
    linux_acks: bool,
    backoff_ends: u8,
    /// Loss detection by time, with its parts, if SACK is on and Swift is not used.
    rack: Option<(bool, bool, u8)>,
    jiffy_us: u8,
    linux_growth: bool,
    window_floor: bool,
    in_cwr: (bool, bool),
    echoes_in_loss: bool,
    measured_us: Option<u8>,
}

impl Settings {
    #[expect(
        clippy::needless_update,
        reason = "a parameter that comes later keeps its default until it is drawn here"
    )]
    /// Returns the settings of a connection. The receive window holds at most 64 segments, so that a burst is
    /// short.
    pub fn tcp(&self) -> TcpConfig {
        let mss = u32::from(self.mss % 9000) + 1;
        let room = u64::from(self.window) % (63 * u64::from(mss));
        let delayed_ack = self.delayed_ack.map(|(segments, us)| DelayedAck {
            segments: u32::from(segments),
            timeout: Time::from_us(u64::from(us)),
        });
        TcpConfig {
            congestion: match self.congestion % 4 {
                0 => Congestion::NewReno { ecn: false },
                1 => Congestion::NewReno { ecn: true },
                2 => swift().congestion,
                _ => dctcp().congestion,
            },
            recovery: if self.sack {
                Recovery::Sack
            } else {
                Recovery::NewReno
            },
            rack: self
                .rack
                .filter(|_| self.sack && self.congestion % 4 != 2)
                .map(|(probe, frto, threshold)| RackConfig {
                    probe,
                    ack_delay: None,
                    margin: Time::from_us(u64::from(self.jiffy_us)),
                    frto,
                    threshold: u32::from(threshold),
                }),
            growth: if self.linux_growth {
                Growth::Linux
            } else {
                Growth::Rfc5681
            },
            limited_transmit_in_cwr: self.in_cwr.0,
            duplicates_in_cwr: self.in_cwr.1,
            echoes_in_loss: self.echoes_in_loss,
            window_floor: u32::from(self.window_floor) + 1,
            measured_round_trip: self.measured_us.map(|us| Time::from_us(u64::from(us))),
            reduction: if self.prr {
                Reduction::Prr
            } else {
                Reduction::AtOnce
            },
            mss,
            initial_window: u32::from(self.initial_window) + 1,
            receive_window: u64::from(mss) + room,
            dupack_threshold: self.dupacks.map(u32::from),
            reordering: ReorderingConfig {
                dsack: self.dsack,
                rule: match self.rule % 3 {
                    0 => ThresholdRule::Fixed,
                    1 => ThresholdRule::Dsack,
                    _ => ThresholdRule::Early,
                },
                share: f64::from(self.share) / 255.0,
                most: u32::from(self.most) + 1,
                early: f64::from(self.early) / 255.0,
                undo: self.undo,
            },
            limited_transmit: self.limited_transmit,
            idle_restart: self.idle_restart,
            delayed_ack,
            ack_rule: if self.linux_acks {
                AckRule::Linux
            } else {
                AckRule::Ns3
            },
            rto: RtoConfig {
                estimator: match self.estimator % 4 {
                    0 => Estimator::Rfc6298,
                    1 => Estimator::Linux,
                    2 => Estimator::Ns3,
                    _ => Estimator::Inet,
                },
                min: Time::from_us(u64::from(self.rto_us) + 1),
                initial: Time::from_us(u64::from(self.rto_us) + 1),
                max: Time::from_s(1),
                granularity: Time::from_us(1),
                backoff: self.backoff,
                jiffy: (self.jiffy_us > 0).then(|| {
                    Time::from_us(u64::from(self.jiffy_us).min(u64::from(self.rto_us) + 1))
                }),
                backoff_ends: match self.backoff_ends % 3 {
                    0 => BackoffEnds::AsEstimator,
                    1 => BackoffEnds::Sample,
                    _ => BackoffEnds::Ack,
                },
            },
            timestamps: self.timestamps,
            syn_sample: self.syn_sample,
            handshake: self.handshake,
            fin: self.fin,
            ..TcpConfig::default()
        }
    }
}
