//! By-size: class of service of a packet by the size of its flow, or by the bytes that the flow has sent.
//!
//! **Decision**     `thresholds` divide sizes into classes, 0 for the smallest. By `size` all packets of a flow
//!                  are in the class of its size: a flow of at most the first threshold in 0, an endless flow
//!                  in the last. By `sent` a packet is in the class of the bytes before it, so that the first
//!                  bytes of every flow are in 0, up to the first threshold; retransmissions and the end of a
//!                  connection are in the class that the flow has reached. Acknowledgements are in the class of
//!                  the flow's latest data (`flow`), or all in the first class. By `size` the packet with a
//!                  flow's last byte is flagged as the end, each time that it is sent: switches that count
//!                  flows read the flag. With `announce` the class follows the announced size, which may be
//!                  wrong; the flag follows the true size.
//! **State**        for each open flow its size, the first byte of the farthest packet sent, and the class of
//!                  the data received.
//! **Units**        bytes of payload; `dscp` maps a class to the code point that switches read.
//! **Errors**       thresholds that do not rise; more than [`MOST_CLASSES`] classes; by `sent` a threshold of
//!                  0, below which there is no byte; more or fewer code points than classes, a code point above
//!                  [`MOST_DSCP`], one given twice; an `announce` of 0, an `announce_share` above 1.
//! **Source**       Mushtaq et al., SIGCOMM 2014 poster (MulBuff), section 2 and its footnotes: hosts mark
//!                  packets by flow size or, if that is unknown, by the bytes sent so far; any number of
//!                  queues.
//! **Deviations**   the poster gives no threshold, and no class of acknowledgements: assumed.

use sidestep_types::{
    About, Bytes, FlowId, Fraction, Kind, Packet, Refusal, Settings, Time, Values, Words,
};

pub use super::announced::Announced;
use super::open::Open;
use super::registry::Registered;
use super::{Nature, Shim, Up};

/// Shim that sets the class of service of packets that leave.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct BySize {
    by: By,
    classes: Classes,
    /// Set if acknowledgements go in the class of the data they answer.
    mirrors: bool,
    /// Rule of the sizes that flows announce.
    announced: Announced,
    flows: Open<Flow>,
}

/// Quantity that determines the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum By {
    Size,
    Sent,
}

/// Limits of classes, and their code points.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Classes {
    /// Last byte of each class except the last, rising.
    pub thresholds: Vec<u64>,
    /// Code point of each class; one more than thresholds.
    pub services: Vec<u8>,
}

/// State of an open flow.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Flow {
    /// Size in bytes; [`ENDLESS`] for an endless flow.
    size: u64,
    /// First byte of the farthest packet sent.
    reached: u64,
    /// Code point of its announced size.
    service: u8,
    /// Code point of the latest data received, if acknowledgements follow it; initially that of the first
    /// class.
    came: u8,
}

/// Size of an endless flow.
const ENDLESS: u64 = u64::MAX;

/// Most classes of a shim: the number of queues of switches.
pub const MOST_CLASSES: usize = 8;

/// Largest code point: the field has six bits (RFC 2474).
pub const MOST_DSCP: u64 = 63;

/// Settings of [`BySize`].
#[derive(Clone, Settings)]
pub struct BySizeSettings {
    /// quantity that determines the class: the flow's size, or, where sizes are unknown, the bytes sent before
    /// a packet (MulBuff)
    #[setting(default = "size")]
    by: By,
    /// largest size of each class except the last, from the smallest on, at most 7; assumed: MulBuff's short
    /// flows have up to 98 kB
    #[setting(default = "100 kB")]
    thresholds: Vec<Bytes>,
    /// class of acknowledgements: that of the data that they answer, or the first; assumed
    #[setting(default = "flow")]
    acks: Acks,
    /// code point of each class, 0 to 63, on real hosts the DSCP: one for each class, or the number of the
    /// class; assumed
    #[setting(default = "number", off = "number")]
    dscp: Option<Vec<u64>>,
    /// ratio of a message's announced size to its true size; 1 on a host that tells the truth
    #[setting(default = "1", above = 0, beside(by = "size"))]
    announce: Fraction,
    /// share of the messages that announce so, chosen by their number; the others tell the truth
    #[setting(default = "1", range = ..=Fraction::ONE, beside(by = "size"))]
    announce_share: Fraction,
}

/// Class of acknowledgements.
#[derive(Clone, Copy, PartialEq, Words)]
enum Acks {
    Flow,
    First,
}

impl Registered for BySize {
    type Settings = BySizeSettings;
    const ABOUT: About = About {
        name: "by-size",
        summary: "sets the class of service by the flow's size, or by the bytes sent so far",
        source: "MulBuff section 2",
    };
    const NATURE: Nature = Nature {
        serves: true,
        reads_sizes: Some(("by", "size")),
        ..Nature::PLAIN
    };

    fn build(settings: BySizeSettings) -> Result<BySize, Refusal> {
        Ok(BySize {
            by: settings.by,
            classes: Classes::of(&settings)?,
            mirrors: settings.acks == Acks::Flow,
            announced: Announced {
                factor: settings.announce,
                share: settings.announce_share,
            },
            flows: Open::new(),
        })
    }
}

fn thresholds(settings: &BySizeSettings) -> Result<Vec<u64>, Refusal> {
    let all: Vec<u64> = settings.thresholds.iter().map(|bytes| bytes.0).collect();
    let refuse = |expected: String| Refusal::of("thresholds", expected);
    if all.len() >= MOST_CLASSES {
        let expected = format!(
            "must be at most {}, for {MOST_CLASSES} classes",
            MOST_CLASSES - 1
        );
        return Err(refuse(expected).got(all.len()));
    }
    if let Some(pair) = all.windows(2).find(|pair| pair[0] >= pair[1]) {
        let got = format!("{} B before {} B", pair[0], pair[1]);
        return Err(refuse("must rise".into()).got(got));
    }
    if settings.by == By::Sent && all[0] == 0 {
        let expected = "by = \"sent\" with a threshold of 0 leaves the first class empty: expected \
                        thresholds above 0";
        return Err(Refusal::about(&["thresholds", "by"], expected).got("0 B"));
    }
    Ok(all)
}

fn services(settings: &BySizeSettings) -> Result<Vec<u8>, Refusal> {
    let classes = settings.thresholds.len() + 1;
    let Some(all) = &settings.dscp else {
        return Ok((0..classes as u8).collect());
    };
    let refuse = |expected: String| Refusal::of("dscp", expected);
    if all.len() != classes {
        let expected = format!("dscp must have one code point for each of {classes} classes");
        return Err(Refusal::about(&["dscp", "thresholds"], expected).got(all.len()));
    }
    if let Some(large) = all.iter().find(|dscp| **dscp > MOST_DSCP) {
        return Err(refuse(format!("must be from 0 to {MOST_DSCP}")).got(large));
    }
    let twice = |(i, dscp): &(usize, &u64)| all[..*i].contains(dscp);
    if let Some((_, twice)) = all.iter().enumerate().find(twice) {
        let expected = "must differ between classes".to_string();
        return Err(refuse(expected).got(format!("{twice} twice")));
    }
    Ok(all.iter().map(|dscp| *dscp as u8).collect())
}

impl Classes {
    /// Reads the classes from a complete set of values of the shim.
    pub fn read(values: &Values) -> Result<Classes, Refusal> {
        Classes::of(&BySizeSettings::read(values)?)
    }

    fn of(settings: &BySizeSettings) -> Result<Classes, Refusal> {
        Ok(Classes {
            thresholds: thresholds(settings)?,
            services: services(settings)?,
        })
    }

    /// Returns the code point of a flow of `size` bytes.
    pub fn of_size(&self, size: u64) -> u8 {
        self.services[self.thresholds.partition_point(|most| *most < size)]
    }

    /// Returns the code point of a byte with `before` bytes before it.
    fn of_place(&self, before: u64) -> u8 {
        self.of_size(before.saturating_add(1))
    }
}

/// Returns the position of the packet's first byte in its message.
fn begins(packet: &Packet) -> u64 {
    let own = packet.seq() - Packet::first_of(packet.subflow());
    packet.tag().mapped().unwrap_or(own)
}

impl Flow {
    /// Returns true if the packet carries the flow's last byte, according to its stated size.
    fn ends_with(&self, packet: &Packet) -> bool {
        let end = begins(packet) + u64::from(packet.len);
        end >= self.size
    }
}

impl Shim for BySize {
    fn open(&mut self, flow: FlowId, size: Option<u64>) {
        let classes = &self.classes;
        let known = self.flows.get_or_open(flow, || Flow {
            size: ENDLESS,
            reached: 0,
            service: classes.of_size(ENDLESS),
            came: classes.services[0],
        });
        if let Some(size) = size
            && known.size == ENDLESS
        {
            known.size = size;
            known.service = classes.of_size(self.announced.of(flow, size));
        }
    }

    fn close(&mut self, flow: FlowId) {
        self.flows.close(flow);
    }

    fn lets_pass(&self) -> bool {
        true
    }

    #[inline]
    fn down(&mut self, _now: Time, packet: &mut Packet) {
        let Some(flow) = self.flows.get_mut(packet.flow) else {
            return;
        };
        let answers = matches!(packet.kind(), Kind::Ack | Kind::SynAck);
        let service = match self.by {
            _ if answers => flow.came,
            By::Size => {
                if packet.carries_data() && flow.ends_with(packet) {
                    packet.set_ends(true);
                }
                flow.service
            }
            By::Sent => {
                if packet.carries_data() {
                    flow.reached = flow.reached.max(begins(packet));
                }
                self.classes.of_place(flow.reached)
            }
        };
        packet.set_service(service);
    }

    #[inline]
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        self.notice(now, packet);
        Up::Pass
    }

    #[inline]
    fn notice(&mut self, _now: Time, packet: &Packet) {
        if self.mirrors
            && matches!(packet.kind(), Kind::Data | Kind::Syn)
            && let Some(flow) = self.flows.get_mut(packet.flow)
        {
            flow.came = packet.service();
        }
    }

    fn notices_acks(&self) -> bool {
        false
    }
}
