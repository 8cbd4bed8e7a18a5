//! Fuzzes the shims of a host with any packets, and with flows that open and close. Each packet is passed on
//! once or counted. None is held beyond its timeout, except by tags under the paper's rule. Order is kept if no
//! gap was abandoned. Agents drop only acknowledgements, and none that advances. `order` by tags drops copies
//! of packets it holds. Marks lengthen data by at most the declared amount, and classes of service are within
//! the configured ones.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_transport::shim::{ENTRIES, Shim, Stack, Up, build, choose};
use sidestep_types::{Bytes, FlowId, HostId, Kind, Packet, Size, Time, Value, Values};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Arbitrary, Debug)]
struct Settings {
    timeout_us: u8,
    flows: Option<u8>,
    packets: Option<u8>,
    bytes: Option<u16>,
    by_tags: bool,
    simulator: bool,
}

/// Agents above `order`, and their settings.
#[derive(Arbitrary, Debug)]
struct Agents {
    ecn: Option<u8>,
    droptail: Option<[u8; 9]>,
    /// Marks, below all other shims.
    mark: Option<[u8; 7]>,
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
    Tagged {
        seq: u8,
        len: u8,
        rank: u8,
        /// Bits: three of the flow id, then first packet, size unknown, and count of what was sent.
        flags: u8,
        remaining: u8,
        ce: bool,
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

/// Fate of the packets so far.
#[derive(Default)]
struct PacketFates {
    /// Packets held, and their arrival.
    held: BTreeMap<u32, (Packet, Time)>,
    /// End of the highest byte passed on, by flow and subflow.
    next: BTreeMap<(FlowId, u8), u64>,
    /// Data packets passed on before an earlier byte.
    gaps: u64,
    /// Bytes that were acknowledged, or at which data began: no others can be a duplicate.
    said: BTreeSet<(FlowId, u64)>,
    dropped: u64,
    /// Copies of data that were dropped.
    copies: u64,
}

impl PacketFates {
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
    let mut adds = 0;
    if let Some(mark) = agents.mark {
        let values = marks(mark);
        let Ok(chosen) = choose("mark", &values) else {
            return;
        };
        let Ok(mark) = chosen.build() else {
            return;
        };
        adds = chosen.adds();
        let told = [chosen];
        shims
            .iter_mut()
            .for_each(|shim| shim.configure_for_stack(&told));
        shims.push(mark);
    }
    let longest: u64 = made.iter().map(|of| u64::from(of.timeout_us)).sum();
    shims.push(build("by-size", &classes()).expect("good values"));
    // Under the paper's rule, a timer counts from the packet behind the next gap.
    let strict = made.iter().all(|of| !of.by_tags || of.simulator);
    let longest = if strict {
        Time::from_us(longest)
    } else {
        Time::MAX
    };
    let tags = made.iter().any(|of| of.by_tags);
    let mut stack = Stack::of(shims);
    let (mut now, mut seen) = (Time::ZERO, PacketFates::default());
    let mut number = 0;
    for step in steps {
        let then = now + Time::from_ns(u64::from(step.after_ns));
        while let Some(due) = stack.deadline().filter(|due| *due <= then) {
            assert!(due >= now, "a deadline is not missed");
            now = due;
            stack.on_timeout(now);
            poll(&mut stack, now, longest, &mut seen);
            // A packet that one shim releases may close a gap of another, where packets behind the gap are
            // overdue.
            assert!(
                stack
                    .deadline()
                    .is_none_or(|due| due > now || due == now && both)
            );
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
                // Sequence numbers of the flow may begin anew, and held packets are dropped.
                seen.next.retain(|key, _| key.0 != flow);
                seen.said.retain(|key| key.0 != flow);
                continue;
            }
            Event::Down { len } => {
                packet.len = len;
                let before = packet.wire;
                stack.down(now, &mut packet);
                assert!(
                    u32::from(packet.wire - before) <= adds,
                    "longer than was said"
                );
                seen.said.insert((flow, 0));
                continue;
            }
            Event::Send { subflow, seq, len } => {
                packet.set_seq(Packet::first_of(subflow % Packet::SUBFLOWS) + u64::from(seq));
                packet.len = u16::from(len);
                seen.said.insert((flow, packet.seq()));
                stack.down(now, &mut packet);
                assert!(packet.service() <= 3, "there are four classes");
                continue;
            }
            Event::Data { subflow, seq, len } => {
                packet.set_seq(Packet::first_of(subflow % Packet::SUBFLOWS) + u64::from(seq));
                packet.len = u16::from(len);
            }
            Event::Tagged {
                seq,
                len,
                rank,
                flags,
                remaining,
                ce,
            } => {
                packet.set_seq(u64::from(seq));
                packet.len = u16::from(len);
                let mut tag = packet.tag();
                tag.set_rank(u32::from(rank));
                match flags >> 4 & 3 {
                    0 => tag.set_remaining(u32::from(remaining)),
                    1 => tag.set_remaining(u32::MAX),
                    _ => tag.set_sent(u32::from(remaining)),
                }
                tag.set_flow_id(flags & 7);
                tag.set_first(flags & 8 != 0);
                packet.set_tag(tag);
                packet.set_ect(ce);
                packet.set_ce(ce);
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
                seen.held.insert(packet.hash, (packet, now));
            }
            Up::Drop if packet.carries_data() => {
                assert!(tags, "nobody else drops data");
                let end = |p: &Packet| p.seq() + u64::from(p.len);
                let mut held = seen.held.values().filter(|(held, _)| held.flow == flow);
                let copy = |held: &Packet| held.seq() <= packet.seq() && end(&packet) <= end(held);
                assert!(held.any(|(held, _)| copy(held)), "its bytes are held");
                let dropped = stack.poll_drop().expect("it was dropped");
                assert_eq!(dropped.hash, packet.hash);
                seen.copies += 1;
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
    assert_eq!(counted.dropped, seen.dropped + seen.copies);
    assert!(seen.dropped <= counted.duplicates);
    assert!(counted.mistaken <= counted.repeats && counted.repeats <= counted.marked);
    // Only without tags: here, a tag may contradict a sequence number.
    if !tags && counted.expired + counted.bypassed + counted.late == 0 && counted.discarded == 0 {
        assert_eq!(seen.gaps, 0, "in order, as far as it is waited for");
    }
});

/// Returns values for classes of service by bytes sent.
fn classes() -> Values {
    let entry = ENTRIES.iter().find(|entry| entry.name == "by-size");
    let mut values = Values::defaults(entry.expect("it is registered").params);
    values.set("by", Value::Word("sent".into()));
    let each = [100, 200, 4000].map(|n| Value::Bytes(Bytes(n)));
    values.set("thresholds", Value::List(each.to_vec()));
    values
}

fn poll(stack: &mut Stack, now: Time, longest: Time, seen: &mut PacketFates) {
    while let Some(packet) = stack.poll_up(now) {
        let (_, came) = seen
            .held
            .remove(&packet.hash)
            .expect("it was kept, and goes on once");
        assert!(
            now <= came.saturating_add(longest),
            "held since {came}, and it is {now}"
        );
        seen.goes_on(&packet);
    }
    // A packet that one shim released was a copy of a packet that another holds.
    while let Some(copy) = stack.poll_drop() {
        assert!(copy.carries_data(), "agents hold nothing");
        seen.held.remove(&copy.hash).expect("it was kept");
        seen.copies += 1;
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
    let word = |on: bool, [no, yes]: [&str; 2]| Value::Word(if on { yes } else { no }.into());
    values.set("by", word(of.by_tags, ["sequence", "remaining"]));
    values.set("release", word(of.simulator, ["paper", "simulator"]));
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

/// Returns values of marks from these bytes.
fn marks([words, gap, boost, places, bits, announce, share]: [u8; 7]) -> Values {
    let entry = ENTRIES.iter().find(|e| e.name == "mark").expect("listed");
    let mut values = Values::defaults(entry.params);
    let word = |bit: u8, [no, yes]: [&str; 2]| {
        let word = if words >> bit & 1 == 1 { yes } else { no };
        Value::Word(word.to_string())
    };
    let by = ["remaining", "packets", "bytes"][usize::from(words >> 4) % 3];
    values.set("by", Value::Word(by.to_string()));
    values.set("carry", word(0, ["ethertype", "option"]));
    values.set("boosting", word(1, ["shift", "rotate"]));
    values.set("repeats", word(2, ["exact", "cuckoo"]));
    values.set("gap", Value::Time(Time::from_us(u64::from(gap))));
    for (name, n) in [("announce", announce), ("announce_share", share)] {
        values.set(name, Value::Fraction(u64::from(n), 200));
    }
    for (name, n) in [("boost", boost), ("filter", places), ("fingerprint", bits)] {
        values.set(name, Value::Count(u64::from(n % 24)));
    }
    values
}

/// Returns the agents with their values; the one nearest to the transport is last.
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
