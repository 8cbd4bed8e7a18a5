//! Fuzzes a switch with any frames on any ports at any times, with reloads and changes of rates, links and
//! routes between them. A switch accounts for every frame, never goes back in time, and is empty once all
//! frames have left.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::frame::sample::{Sample, arp_request, solicitation};
use sidestep_softswitch::frame::{
    Carry, FrameContent, LONGEST_TAGGED, WireTag, put_tag, read, read_tagged,
};
use sidestep_softswitch::machine::{Change, Counters, Machine, PortCounters};
use sidestep_softswitch::setup::Setup;
use sidestep_types::{BitRate, PortId, Time, Words};

/// Switch, and its input.
#[derive(Arbitrary, Debug)]
struct Input {
    config: u8,
    /// Tags of frames: as options if true, before IP if false.
    tags: Option<bool>,
    steps: Vec<Step>,
}

/// Next event, after this many nanoseconds.
#[derive(Arbitrary, Debug)]
struct Step {
    after_ns: u16,
    port: u8,
    event: Event,
}

#[derive(Arbitrary, Debug)]
enum Event {
    Tcp {
        from: u8,
        to: u8,
        payload: u16,
        tos: u8,
        ttl: u8,
        v6: bool,
        flags: u8,
        hundreds: u16,
    },
    Changed {
        from: u8,
        to: u8,
        v6: bool,
        at: u8,
        with: [u8; 2],
        cut: u16,
    },
    Tagged {
        from: u8,
        to: u8,
        payload: u16,
        ecn: u8,
        hundreds: u8,
        option: bool,
        number: u32,
        rest: u8,
        /// Offset and new value of two bytes to overwrite.
        spoil: Option<(u8, [u8; 2])>,
    },
    Arp {
        from: u8,
        target: u8,
    },
    Solicitation {
        from: u8,
        target: u8,
    },
    Group {
        ttl: u8,
    },
    ToRouter {
        to: [u8; 4],
    },
    Raw(Vec<u8>),
    Reload(u8),
    Rate {
        ports: u8,
        mbps: u16,
    },
    Link {
        ports: u8,
        up: bool,
    },
    Ways {
        to: u8,
        ports: u8,
    },
    Poll,
}

/// Decisions under pressure, in addition to those of [`CONFORMANCE`].
const SWITCHES: &[&str] = &[
    "capacity = \"3 pkt\"\nbuffer = \"dibs\"",
    "capacity = \"5 kB\"\nbuffer = \"dibs\"\nsched = \"priority\"",
    "capacity = \"4 pkt\"\nbuffer = \"trim\"\nsched = \"priority\"",
    "capacity = \"4 kB\"\nbuffer = \"pfabric\"\nsched = \"pfabric\"",
    "capacity = \"4 pkt\"\nbuffer = \"pfabric\"\nsched = \"pfabric\"\nrank = \"dscp\"",
    "capacity = \"shared\"\nmemory = \"9 kB\"\nbuffer = \"dibs-load-aware\"",
    "capacity = \"unlimited\"\nbuffer = \"red\"",
    "capacity = \"6 pkt\"\nbuffer = { kind = \"dibs-probabilistic\", start = \"1 pkt\", full = \"6 pkt\" }",
    "capacity = \"3 pkt\"\nbuffer = \"dibs-flow\"\nroute = \"single\"",
    "capacity = \"3 pkt\"\nbuffer = \"dibs-first-open\"\nsched = \"pfabric\"",
    "capacity = \"3 pkt\"\nroute = \"spray-random\"\nsched = \"srpt\"",
    "capacity = \"3 pkt\"\nroute = { kind = \"power-of-two\", memory = 2 }\nbuffer = { kind = \"dibs\", mark_detours = false }",
    "capacity = \"3 pkt\"\nbuffer = { kind = \"vertigo\", mark_at = \"1 pkt\" }\nsched = \"srpt\"\nrank = \"dscp\"",
    "capacity = \"3 kB\"\nbuffer = \"vertigo\"\nsched = \"srpt\"\nroute = \"power-of-two\"",
    "capacity = \"shared\"\nmemory = \"6 kB\"\nbuffer = \"vertigo\"\nsched = \"pfabric\"\nrank = \"dscp\"",
    "capacity = \"8 pkt\"\nforwarding = \"learning\"",
    "capacity = \"2 pkt\"\nbuffer = { kind = \"ecn\", mark_at = \"1 pkt\" }",
    "capacity = \"9 kB\"\nbuffer = { kind = \"mulbuff\", total = \"6 kB\", product = \"3 kB\", per_flow = \"1 pkt\", mark_at = \"1 pkt\" }\nsched = { kind = \"wps\", places = 2, silence = \"30 us\" }",
    "capacity = \"9 pkt\"\nbuffer = { kind = \"mulbuff\", total = \"7 kB\", product = \"2 kB\", per_flow = \"1.6 kB\", long = 3 }\nsched = { kind = \"wps\", classes = 8, quantum = \"84 B\", weights = \"10000 1 7\", count = \"approximate\", bits = 3, window = \"9 us\" }",
    "capacity = \"shared\"\nmemory = \"20 kB\"\nbuffer = { kind = \"mulbuff\", sizes = \"static\", total = \"5 kB\", product = \"2 kB\", long = 0 }\nsched = { kind = \"strict\", classes = 3 }",
    "capacity = \"9 kB\"\nbuffer = { kind = \"mulbuff\", total = \"9 kB\", product = \"3 kB\", long = 8 }\nsched = { kind = \"ps\", classes = 5, count = \"exact\", places = 3, silence = \"1 us\" }",
    "capacity = \"4 pkt\"\nsched = { kind = \"ps\", classes = 1, quantum = \"4 MB\" }",
    "capacity = \"5 kB\"\nbuffer = \"dibs\"\nsched = { kind = \"strict\", classes = 8, count = \"exact\", places = 1, silence = \"20 us\" }",
    "capacity = \"3 pkt\"\nbuffer = \"red\"\nsched = { kind = \"wps\", places = 5, silence = \"50 us\" }\nroute = \"spray-random\"",
    "capacity = \"5 pkt\"\nbuffer = \"ecn\"\nsched = { kind = \"wps\", classes = 3, places = 1 }\nforwarding = \"learning\"",
];

// `CONFORMANCE`: the decision of each scenario in conformance/scenarios/, each of which exercises its policy.
include!(concat!(env!("OUT_DIR"), "/switches.rs"));

/// Returns the decision number `which`.
fn switch(which: u8) -> &'static str {
    let mut all = SWITCHES.iter().chain(CONFORMANCE).cycle();
    all.nth(usize::from(which % 128)).expect("it never ends")
}

/// Returns a switch with hosts 1 and 2 at ports 0 and 1, and switches at ports 2 and 3 with host 3 behind both.
/// Port 3 is slow and far away. The switch is also a router. With `which` from 128 on host 1 has `order`, from 192 on agents
/// and classes of service. If frames carry tags, host 1 orders by them and marks, with or without classes as
/// the second byte selects; no reload changes that.
fn setup(which: u8, tags: Option<(Carry, u8)>) -> Setup {
    let mut switch = switch(which).to_string();
    let mut shims = match which {
        ..128 => "",
        192.. => {
            "shims = [\"agent-ecn\", \"agent-droptail\", \"by-size\"]\nagent-ecn = { until = \"moved\" }\n\
             agent-droptail = { first = 4 }\nby-size = { by = \"sent\", thresholds = \"2 B, 1 kB\", dscp = \"46, 0, 63\" }"
        }
        _ => "shims = [\"order\"]\norder = { timeout = \"20 us\" }",
    }
    .to_string();
    if let Some((carry, which)) = tags {
        let carry = carry.word();
        let by = ["remaining", "packets", "bytes"][usize::from(which % 3)];
        let repeats = ["exact", "cuckoo"][usize::from(which % 2)];
        let boosting = ["shift", "rotate"][usize::from(which / 2 % 2)];
        switch += &format!("\ntags = {carry:?}\nboost = 4\nboosting = {boosting:?}");
        if !switch.contains("rank =") {
            switch += "\nrank = \"tag\"";
        }
        let (classes, service) = match which / 4 % 2 {
            0 => ("", ""),
            _ => (
                ", \"by-size\"",
                "\nby-size = { by = \"sent\", thresholds = \"1 kB\" }",
            ),
        };
        shims = format!(
            "shims = [\"order\", \"mark\"{classes}]{service}\norder = {{ timeout = \"20 us\", by = \"remaining\" }}\n\
             mark = {{ carry = {carry:?}, boost = 4, boosting = {boosting:?}, by = {by:?}, gap = \"9 us\", \
             repeats = {repeats:?}, filter = 8 }}"
        );
    }
    let text = format!(
        r#"
seed = 7
[switch]
{switch}
[[port]]
interface = "p0"
rate = "1 Gbps"
{shims}
[[port]]
interface = "p1"
rate = "300 Mbps"
[[port]]
interface = "p2"
rate = "1 Gbps"
leads_to = "switch"
[[port]]
interface = "p3"
rate = "7 Mbps"
delay = "3 us"
leads_to = "switch"
flood = false
[[station]]
mac = "02:00:00:00:00:01"
addresses = ["10.77.0.1", "fd77::1"]
ports = ["p0"]
[[station]]
mac = "02:00:00:00:00:02"
addresses = ["10.77.0.2", "fd77::2"]
ports = ["p1"]
[[station]]
mac = "02:00:00:00:00:03"
addresses = ["10.77.0.3", "fd77::3"]
ports = ["p2", "p3"]
[router]
mac = "02:00:00:00:ff:01"
addresses = ["10.77.0.254"]
icmp = "all"
icmp_rate = "100 k/s"
[[network]]
prefix = "10.78.0.0/16"
ports = ["p2"]
next_hop = "02:00:00:00:ff:02"
"#
    );
    Setup::read("fuzz.toml", &text).expect("a sound config")
}

impl Event {
    fn bytes(&self) -> Vec<u8> {
        let host = |n: u8| n % 5;
        let family = |sample: Sample, v6: bool| if v6 { sample.over_v6() } else { sample };
        match self {
            Event::Tcp {
                from,
                to,
                payload,
                tos,
                ttl,
                v6,
                flags,
                hundreds,
            } => {
                let sample = Sample {
                    seq: u32::from(*hundreds).wrapping_mul(100),
                    tos: *tos,
                    ttl: *ttl,
                    flags: (*flags != 255).then_some(*flags),
                    ..Sample::tcp(host(*from), host(*to), usize::from(*payload) % 1441)
                };
                family(sample, *v6).bytes()
            }
            Event::Changed {
                from,
                to,
                v6,
                at,
                with,
                cut,
            } => {
                let sample = Sample::tcp(host(*from), host(*to), 64);
                let mut bytes = family(sample, *v6).bytes();
                let at = usize::from(*at) % (bytes.len() - 1);
                bytes[at..at + 2].copy_from_slice(with);
                bytes.truncate(usize::from(*cut));
                bytes
            }
            Event::Tagged {
                from,
                to,
                payload,
                ecn,
                hundreds,
                option,
                number,
                rest,
                spoil,
            } => {
                let sample = Sample {
                    seq: u32::from(*hundreds) * 100,
                    tos: ecn & 3,
                    ..Sample::tcp(host(*from), host(*to), usize::from(*payload) % 1441)
                };
                let tag = WireTag {
                    number: *number,
                    again: rest >> 4,
                    id: rest >> 1 & 7,
                    first: rest & 1 == 1,
                };
                let mut bytes = tagged(&sample, Carry::ALL[usize::from(*option)], tag);
                if let Some((at, with)) = spoil {
                    let at = usize::from(*at) % (bytes.len() - 1);
                    bytes[at..at + 2].copy_from_slice(with);
                }
                bytes
            }
            Event::Arp { from, target } => arp_request(host(*from), [10, 77, 0, *target]),
            Event::Solicitation { from, target } => solicitation(host(*from), *target),
            Event::Group { ttl } => {
                let mut bytes = Sample {
                    ttl: *ttl,
                    ..Sample::tcp(1, 2, 9)
                }
                .bytes();
                bytes[..6].fill(0xff);
                bytes
            }
            Event::ToRouter { to } => {
                let mut sample = Sample::tcp(1, 2, 99);
                sample.macs.0 = "02:00:00:00:ff:01".parse().expect("a MAC");
                sample.addresses.1 = (*to).into();
                sample.bytes()
            }
            Event::Raw(bytes) => bytes.clone(),
            _ => Vec::new(),
        }
    }
}

impl Event {
    /// Returns the change of the network, if the event is one. Ports are the four lowest bits.
    fn change(&self) -> Option<Change> {
        let list = |bits: u8| (0..4).filter(move |n| bits >> n & 1 == 1).map(PortId);
        Some(match self {
            Event::Rate { ports, mbps } => Change::Rate(
                list(*ports).collect(),
                BitRate::mbps(u64::from(*mbps).max(1)),
            ),
            Event::Link { ports, up: true } => Change::Up(list(*ports).collect()),
            Event::Link { ports, up: false } => Change::Down(list(*ports).collect()),
            Event::Ways { to, ports } => {
                let mac = format!("02:00:00:00:00:0{}", to % 3 + 1)
                    .parse()
                    .expect("a MAC");
                Change::Ways {
                    stations: vec![(mac, list(*ports | 1).collect())],
                    detours: (*ports & 16 != 0).then(|| list(ports & 12).collect()),
                }
            }
            _ => return None,
        })
    }
}

fn tagged(sample: &Sample, carry: Carry, tag: WireTag) -> Vec<u8> {
    let bytes = sample.bytes();
    let Ok(FrameContent::Ip(ip)) = read(&bytes).map(|frame| frame.what) else {
        return bytes;
    };
    let mut out = [0; LONGEST_TAGGED];
    let length = put_tag(&bytes, &ip, carry, tag, &mut out).expect("room for it");
    out[..length].to_vec()
}

fuzz_target!(|input: Input| {
    let carry = input.tags.map(|option| Carry::ALL[usize::from(option)]);
    let tags = carry.map(|carry| (carry, input.config));
    let mut machine = Machine::new(&setup(input.config, tags)).expect("a switch");
    let mut now = Time::ZERO;
    for step in &input.steps {
        now += Time::from_ns(u64::from(step.after_ns));
        match &step.event {
            Event::Poll => drain(&mut machine, now, carry),
            Event::Reload(config) => machine
                .reload(now, &setup(*config, tags))
                .expect("same interfaces"),
            event => match event.change() {
                Some(change) => {
                    (machine.change(now, &change)).expect("ports and stations that are there");
                }
                None => machine.receive(now, PortId(u16::from(step.port % 5)), &event.bytes()),
            },
        }
        conserved(&machine.counters(now));
    }
    drain(&mut machine, now + Time::from_s(100), carry);
    let counters = machine.counters(now);
    conserved(&counters);
    assert_eq!((counters.held, machine.next_departure()), (0, None));
    assert!(
        counters
            .ports
            .iter()
            .all(|port| port.queued_packets == 0 && port.queued_bytes == 0)
    );
});

/// Sends all frames that are due.
fn drain(machine: &mut Machine, now: Time, tags: Option<Carry>) {
    while let Some(departure) = machine.poll_send(now) {
        assert!(departure.due <= now, "nothing leaves early");
        let frame = machine.frame(departure.handle);
        assert!(frame.len() >= 14);
        if let (Some(carry), 0 | 1) = (tags, departure.port.0) {
            let tag = read_tagged(frame, carry).map(|frame| frame.tag);
            assert_eq!(tag, Ok(None), "hosts see no tag");
        }
        machine.release(departure.handle);
    }
}

/// Checks that every frame received, and every further copy made by flooding, is accounted for.
fn conserved(counters: &Counters) {
    let sum = |count: fn(&PortCounters) -> u64| -> u64 { counters.ports.iter().map(count).sum() };
    let told = sum(|port| port.frames.icmp_time_exceeded + port.frames.icmp_unreachable);
    let came = told + sum(|port| port.frames.rx_frames + port.frames.copies);
    let went = sum(|port| port.frames.floods + port.frames.tx_frames)
        + sum(|port| port.drops.values().sum::<u64>() + port.refused.values().sum::<u64>())
        + sum(|port| port.shims.map_or(0, |shims| shims.dropped));
    assert_eq!(came, went + counters.held, "{counters:?}");
}
