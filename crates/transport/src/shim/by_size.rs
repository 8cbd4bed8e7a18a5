//! By-size: the class of service of a packet, from the size of its flow or from what was sent of it so far.
//!
//! **Decision**     `thresholds` part sizes into classes, 0 for the smallest. By `size` all that a flow sends is in the
//!                  class of its size: one of at most the first threshold in 0, one without an end in the last. By
//!                  `sent` a packet is in the class of the bytes before it, so that the first bytes of every flow are in
//!                  0, up to the first threshold; what is sent again, or ends a connection, goes in the class that its
//!                  flow has reached. Acknowledgements go in the class of the data that came last of their flow
//!                  (`flow`), or all in the first one. By `size` the packet with a flow's last byte says that it
//!                  ends, each time that it is sent: switches that count flows hear it. With `announce` the size is
//!                  what the flow says of itself, which may be wrong; its end is the truth.
//! **State**        of each open flow its size, how far it was sent, and what its data came with.
//! **Units**        bytes of payload; a class is written as `dscp` says, which is what switches read.
//! **Errors**       thresholds that do not rise; more than [`MOST_CLASSES`] classes; by `sent` a threshold of 0, below
//!                  which nothing is; more or fewer code points than classes, one above [`MOST_DSCP`], one twice; an
//!                  `announce` of 0, an `announce_share` above 1.
//! **Source**       Mushtaq et al., SIGCOMM 2014 poster (MulBuff), section 2 and its footnotes: hosts mark packets by
//!                  flow size or, where that is not known, by what was sent so far; any number of queues.
//! **Deviations**   the poster gives no threshold, and no class of acknowledgements: assumed.

use sidestep_types::{
    About, Bytes, FlowId, Fraction, Kind, Packet, Refusal, Settings, Time, Values, Words,
};

pub use super::announced::Announced;
use super::open::Open;
use super::registry::Registered;
use super::{Nature, Shim, Up};

/// Sets the service of what leaves.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct BySize {
    by: By,
    classes: Classes,
    /// Acknowledgements go in the class of what they answer.
    mirrors: bool,
    /// What flows say of their sizes.
    announced: Announced,
    flows: Open<Flow>,
}

/// What a class is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum By {
    Size,
    Sent,
}

/// Where classes end, and what they are called.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Classes {
    /// The last byte of each class but the last; they rise.
    pub thresholds: Vec<u64>,
    /// One more than thresholds.
    pub services: Vec<u8>,
}

/// What is known of an open flow.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Flow {
    /// The largest there is, of one without an end.
    size: u64,
    /// Where the farthest packet that left begins.
    reached: u64,
    /// The service of the size that it says it has.
    service: u8,
    /// The service that its data came with last, where acknowledgements go by that; at first the first one.
    came: u8,
}

/// The size of a flow without an end.
const ENDLESS: u64 = u64::MAX;

/// The most classes of a shim: what switches have queues for.
pub const MOST_CLASSES: usize = 8;

/// The largest code point: the field has six bits (RFC 2474).
pub const MOST_DSCP: u64 = 63;

/// Settings of [`BySize`].
#[derive(Clone, Settings)]
pub struct BySizeSettings {
    /// the flow's size, or the bytes sent before a packet, where nobody says the size (MulBuff)
    #[setting(default = "size")]
    by: By,
    /// the most bytes of each class but the last, from the smallest on, at most 7; assumed: MulBuff's short flows have
    /// up to 98 kB
    #[setting(default = "100 kB")]
    thresholds: Vec<Bytes>,
    /// acknowledgements go in the class of the data that they answer, or all in the first; assumed
    #[setting(default = "flow")]
    acks: Acks,
    /// what packets of each class carry, 0 to 63, on real hosts the DSCP: as many as classes, or the number of the class;
    /// assumed
    #[setting(default = "number", off = "number")]
    dscp: Option<Vec<u64>>,
    /// what a message announces over what it has; a host that tells the truth has 1
    #[setting(default = "1", above = 0, beside(by = "size"))]
    announce: Fraction,
    /// share of the messages that announce so, chosen by their number; the others tell the truth
    #[setting(default = "1", range = ..=Fraction::ONE, beside(by = "size"))]
    announce_share: Fraction,
}

/// The class in which acknowledgements go.
#[derive(Clone, Copy, PartialEq, Words)]
enum Acks {
    Flow,
    First,
}

impl Registered for BySize {
    type Settings = BySizeSettings;
    const ABOUT: About = About {
        name: "by-size",
        summary: "sets the class of service from the flow's size, or from what was sent so far",
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
        let expected = "by = \"sent\" puts no byte below a threshold of 0: expected one above 0";
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
        let expected = format!("expected one for each of {classes} classes in dscp");
        return Err(Refusal::about(&["dscp", "thresholds"], expected).got(all.len()));
    }
    if let Some(large) = all.iter().find(|dscp| **dscp > MOST_DSCP) {
        return Err(refuse(format!("must be from 0 to {MOST_DSCP}")).got(large));
    }
    let twice = |(i, dscp): &(usize, &u64)| all[..*i].contains(dscp);
    if let Some((_, twice)) = all.iter().enumerate().find(twice) {
        let expected = "must be another one for each class".to_string();
        return Err(refuse(expected).got(format!("{twice} twice")));
    }
    Ok(all.iter().map(|dscp| *dscp as u8).collect())
}

impl Classes {
    /// Those of a complete set of values of the shim.
    pub fn read(values: &Values) -> Result<Classes, Refusal> {
        Classes::of(&BySizeSettings::read(values)?)
    }

    fn of(settings: &BySizeSettings) -> Result<Classes, Refusal> {
        Ok(Classes {
            thresholds: thresholds(settings)?,
            services: services(settings)?,
        })
    }

    /// The service of a flow of so many bytes.
    pub fn of_size(&self, size: u64) -> u8 {
        self.services[self.thresholds.partition_point(|most| *most < size)]
    }

    /// The service of a byte with so many before it.
    fn of_place(&self, before: u64) -> u8 {
        self.of_size(before.saturating_add(1))
    }
}

/// Where it begins in its message.
fn begins(packet: &Packet) -> u64 {
    let own = packet.seq() - Packet::first_of(packet.subflow());
    packet.tag().mapped().unwrap_or(own)
}

impl Flow {
    /// Does the packet carry its last byte, by a size that somebody says?
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
