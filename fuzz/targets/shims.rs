//! Any packets through the shims of a host, with flows that open and close: each goes on once or is
//! counted, none is held beyond its timeout, and order is kept where nothing was given up. Agents drop
//! acknowledgements alone, and none that moves.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_transport::shim::{ENTRIES, Stack, Up, build};
use sidestep_types::{Bytes, FlowId, HostId, Kind, Packet, Size, Time, Value, Values};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Arbitrary, Debug)]
struct Settings {
    timeout_us: u8,
    flows: Option<u8>,
    packets: Option<u8>,
    bytes: Option<u16>,
}

/// Which agents stand above, and how they are set.
#[derive(Arbitrary, Debug)]
struct Agents {
    ecn: Option<u8>,
    droptail: Option<[u8; 9]>,
}

#[derive(Arbitrary, Debug)]
struct Step {
    after_ns: u16,
    flow: u8,
    event: Event,
}

#[derive(Arbitrary, Debug)]
enum Event {
    Open {
        size: Option<u64>,
    },
    Close,
    Data {
        subflow: u8,
        seq: u8,
        len: u8,
    },
    Far {
        seq: u64,
        len: u16,
        retransmit: bool,
    },
    Trimmed {
        seq: u8,
    },
    Ack {
        seq: u64,
    },
    Again {
        subflow: u8,
        seq: u8,
        ece: bool,
        cut: bool,
        block: bool,
    },
    Syn,
    Down {
        len: u16,
    },
    Send {
        subflow: u8,
        seq: u8,
        len: u8,
    },
}

/// What became of the packets so far.
#[derive(Default)]
struct Seen {
    /// When each that is held came.
    held: BTreeMap<u32, Time>,
    /// One past the highest byte that went on, by flow and subflow.
    next: BTreeMap<(FlowId, u8), u64>,
    /// Data that went on though a byte before it had not.
    gaps: u64,
    /// Bytes that were acknowledged, or that data began with: nothing else can be a duplicate.
    said: BTreeSet<(FlowId, u64)>,
    dropped: u64,
}

impl Seen {
    fn goes_on(&mut self, packet: &Packet) {
        if packet.carries_data() {
            let key = (packet.flow, packet.subflow());
            let next = self.next.entry(key).or_insert(Packet::first_of(key.1));
            self.gaps += u64::from(packet.seq() > *next);
            *next = (*next).max(packet.seq() + u64::from(packet.len));
        }
    }
}

fuzz_target!(|input: (Settings, Settings, bool, Agents, Vec<Step>)| {
    let (one, two, both, agents, steps) = input;
    let mut made = vec![&one];
    made.extend(both.then_some(&two));
    let shims: Result<Vec<_>, _> = made.iter().map(|of| build("order", &values(of))).collect();
    let Ok(mut shims) = shims else {
        assert!(made.iter().any(|of| refused(of)));
        return;
    };
    for (name, values) in set(&agents) {
        let Ok(agent) = build(name, &values) else {
            return;
        };
        shims.insert(0, agent);
    }
    let longest: u64 = made.iter().map(|of| u64::from(of.timeout_us)).sum();
    let longest = Time::from_us(longest);
    let mut stack = Stack::of(shims);
    let (mut now, mut seen) = (Time::ZERO, Seen::default());
    let mut number = 0;
    for step in steps {
        let then = now + Time::from_ns(u64::from(step.after_ns));
        while let Some(due) = stack.deadline().filter(|due| *due <= then) {
            assert!(due >= now, "a deadline is not missed");
            now = due;
            stack.on_timeout(now);
            poll(&mut stack, now, longest, &mut seen);
            assert!(stack.deadline().is_none_or(|due| due > now));
        }
        now = then;
        let flow = FlowId(u32::from(step.flow % 8));
        let mut packet = Packet::new(Kind::Data, flow, HostId(0), number);
        number += 1;
        match step.event {
            Event::Open { size } => {
                stack.open(flow, size);
                continue;
            }
            Event::Close => {
                stack.close(flow);
                // Its sequence numbers may begin anew, and what was held is dropped.
                seen.next.retain(|key, _| key.0 != flow);
                seen.said.retain(|key| key.0 != flow);
                continue;
            }
            Event::Down { len } => {
                packet.len = len;
                let before = packet.wire;
                stack.down(now, &mut packet);
                assert_eq!(packet.wire, before, "no shim here changes what leaves");
                seen.said.insert((flow, 0));
                continue;
            }
            Event::Send { subflow, seq, len } => {
                packet.set_seq(Packet::first_of(subflow % Packet::SUBFLOWS) + u64::from(seq));
                packet.len = u16::from(len);
                seen.said.insert((flow, packet.seq()));
                stack.down(now, &mut packet);
                continue;
            }
            Event::Data { subflow, seq, len } => {
                packet.set_seq(Packet::first_of(subflow % Packet::SUBFLOWS) + u64::from(seq));
                packet.len = u16::from(len);
            }
            Event::Far {
                seq,
                len,
                retransmit,
            } => {
                packet.set_seq(seq.min(Packet::MOST_SEQ));
                packet.len = len;
                packet.set_retransmit(retransmit);
            }
            Event::Trimmed { seq } => {
                packet.set_seq(u64::from(seq));
                packet.len = 1;
                packet.trim(84);
            }
            Event::Ack { seq } => {
                packet = Packet::new(Kind::Ack, flow, HostId(0), number);
                packet.set_seq(seq.min(Packet::MOST_SEQ));
            }
            Event::Again {
                subflow,
                seq,
                ece,
                cut,
                block,
            } => {
                packet = Packet::new(Kind::Ack, flow, HostId(0), number);
                packet.set_seq(Packet::first_of(subflow % Packet::SUBFLOWS) + u64::from(seq));
                packet.set_ece(ece);
                packet.set_cut(cut);
                if block {
                    let mut sack = packet.sack();
                    sack.push(1, 2);
                    packet.set_sack(sack);
                }
            }
            Event::Syn => packet = Packet::new(Kind::Syn, flow, HostId(0), number),
        }
        match stack.up(now, &mut packet) {
            Up::Pass => {
                seen.goes_on(&packet);
                assert!(stack.poll_up(now).is_none(), "what passes passes alone");
            }
            Up::Keep => {
                assert!(packet.carries_data(), "nothing else is kept");
                seen.held.insert(packet.hash, now);
            }
            Up::Drop => {
                assert_eq!(packet.kind(), Kind::Ack, "nothing else is dropped");
                assert!(!packet.cut() && packet.sack().is_empty());
                assert!(seen.said.contains(&(flow, packet.seq())), "it was news");
                let dropped = stack.poll_drop().expect("it was dropped");
                assert_eq!(dropped.hash, packet.hash);
                seen.dropped += 1;
            }
        }
        if packet.kind() == Kind::Ack {
            seen.said.insert((flow, packet.seq()));
        }
        poll(&mut stack, now, longest, &mut seen);
        assert!(stack.poll_drop().is_none());
    }
    (0..8).for_each(|flow| stack.close(FlowId(flow)));
    assert_eq!(
        stack.deadline(),
        None,
        "nothing is held of flows that are closed"
    );
    let counted = stack.counters();
    assert_eq!(
        counted.held,
        counted.released + counted.expired + counted.discarded
    );
    assert_eq!(counted.dropped, seen.dropped);
    assert!(counted.dropped <= counted.duplicates);
    if counted.expired + counted.bypassed + counted.late == 0 && counted.discarded == 0 {
        assert_eq!(seen.gaps, 0, "in order, as far as it is waited for");
    }
});

fn poll(stack: &mut Stack, now: Time, longest: Time, seen: &mut Seen) {
    while let Some(packet) = stack.poll_up(now) {
        let came = seen
            .held
            .remove(&packet.hash)
            .expect("it was kept, and goes on once");
        assert!(now <= came + longest, "held since {came}, and it is {now}");
        seen.goes_on(&packet);
    }
}

fn refused(of: &Settings) -> bool {
    of.timeout_us == 0 || of.flows == Some(0) || of.packets == Some(0) || of.bytes == Some(0)
}

fn values(of: &Settings) -> Values {
    let mut values = Values::defaults(ENTRIES[0].params);
    values.set(
        "timeout",
        Value::Time(Time::from_us(u64::from(of.timeout_us))),
    );
    if let Some(flows) = of.flows {
        values.set("flows", Value::Count(u64::from(flows)));
    }
    if let Some(packets) = of.packets {
        values.set("capacity", Value::Size(Size::Packets(u64::from(packets))));
    } else if let Some(bytes) = of.bytes {
        values.set(
            "capacity",
            Value::Size(Size::Bytes(Bytes(u64::from(bytes)))),
        );
    }
    values
}

/// The agents with their values, nearest to the transport last.
fn set(agents: &Agents) -> Vec<(&'static str, Values)> {
    let entry = |name| ENTRIES.iter().find(|e| e.name == name).expect("listed");
    let word = |n: u8, words: &[&str]| {
        let word = words[usize::from(n) % words.len()];
        Value::Word(word.to_string())
    };
    let mut all = Vec::new();
    if let Some(until) = agents.ecn {
        let mut values = Values::defaults(entry("agent-ecn").params);
        values.set("until", word(until, &["unmarked", "moved", "recovered"]));
        all.push(("agent-ecn", values));
    }
    if let Some([pass, share, first, shortest, longest, words @ ..]) = agents.droptail {
        let mut values = Values::defaults(entry("agent-droptail").params);
        let numbers = [
            ("pass", pass),
            ("first", first),
            ("shortest", shortest),
            ("longest", longest),
        ];
        for (name, n) in numbers {
            values.set(name, Value::Count(u64::from(n % 16)));
        }
        values.set("share", Value::Fraction(u64::from(share % 16), 15));
        values.set("until", word(words[0], &["reached", "exceeded"]));
        values.set("per", word(words[1], &["flow", "host"]));
        values.set("repaired", word(words[2], &["counted", "left_out"]));
        values.set("recovery", word(words[3], &["filter", "pass"]));
        all.push(("agent-droptail", values));
    }
    all
}
