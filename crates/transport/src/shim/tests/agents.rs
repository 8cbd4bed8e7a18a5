//! Agents below a sender, by hand: the duplicates that go on.

use super::*;
use crate::{Recovery, TcpConfig};
use proptest::prelude::*;

/// Returns a stack of the shim called `name` with these settings, and an open flow.
fn agent(name: &'static str, set: &[(&'static str, &str)]) -> Stack {
    let mut stack = Stack::of(vec![build(name, &read(name, set)).expect("good values")]);
    stack.open(FLOW, None);
    stack
}

fn read(name: &str, set: &[(&'static str, &str)]) -> Values {
    let entry = ENTRIES.iter().find(|e| e.name == name).expect("listed");
    let mut values = Values::defaults(entry.params);
    for (name, text) in set {
        let param = entry.params.iter().find(|p| p.name == *name).expect("its");
        values.set(name, Value::parse(text, param).expect("its unit"));
    }
    values
}

/// Sends the data packets with these numbers.
fn leave(stack: &mut Stack, numbers: std::ops::Range<u64>) {
    numbers.for_each(|n| stack.down(us(0), &mut data(n)));
}

fn ack(number: u64) -> Packet {
    let mut packet = Packet::new(Kind::Ack, FLOW, HostId(0), 7);
    packet.set_seq(number * 100);
    packet
}

fn marked(number: u64) -> Packet {
    let mut packet = ack(number);
    packet.set_ece(true);
    packet
}

/// Returns the packet as one of another flow.
fn other(mut packet: Packet) -> Packet {
    packet.flow = FlowId(4);
    packet
}

fn passes(stack: &mut Stack, mut packet: Packet) -> bool {
    let up = stack.up(us(0), &mut packet);
    assert!(up != Up::Keep && stack.deadline().is_none());
    assert_eq!(stack.poll_drop().is_some(), up == Up::Drop);
    up == Up::Pass
}

/// Returns `p` for each packet that passes, `-` for each that is dropped.
fn hear(stack: &mut Stack, packets: impl IntoIterator<Item = Packet>) -> String {
    let each = packets.into_iter();
    each.map(|packet| match passes(stack, packet) {
        true => 'p',
        false => '-',
    })
    .collect()
}

/// Acknowledges `number`, then sends `duplicates` duplicates of it; returns the fate of those.
fn run(stack: &mut Stack, number: u64, duplicates: usize) -> String {
    assert!(passes(stack, ack(number)), "it moves");
    hear(stack, vec![ack(number); duplicates])
}

/// Makes runs of these lengths, one after the other; `number` is the position of the next.
fn runs(stack: &mut Stack, number: &mut u64, lengths: &[usize]) -> Vec<String> {
    let one = |length: &usize| {
        *number += 1;
        run(stack, *number, *length)
    };
    lengths.iter().map(one).collect()
}

/// Returns a droptail agent with more data in flight than any run needs.
fn droptail(set: &[(&'static str, &str)]) -> Stack {
    let mut stack = agent("agent-droptail", set);
    leave(&mut stack, 0..1000);
    stack
}

#[test]
fn a_duplicate_is_what_moves_nothing_while_data_is_outstanding() {
    for name in ["agent-ecn", "agent-droptail"] {
        let mut stack = agent(name, &[]);
        let counted = |stack: &Stack| stack.counters().duplicates;
        assert_eq!(hear(&mut stack, [ack(0), ack(0)]), "pp", "nothing has left");
        leave(&mut stack, 0..10);
        passes(&mut stack, ack(0));
        assert_eq!(counted(&stack), 1, "the receiver waits for the first");
        assert_eq!(hear(&mut stack, [ack(4), ack(3), ack(2), ack(3)]), "pppp");
        assert_eq!(counted(&stack), 1, "old ones are none");
        passes(&mut stack, ack(4));
        assert_eq!(counted(&stack), 2);
        assert_eq!(hear(&mut stack, [ack(10), ack(10), ack(10)]), "ppp");
        assert_eq!(counted(&stack), 2, "all is acknowledged");
        // The next message begins without any state of the one before.
        leave(&mut stack, 15..16);
        passes(&mut stack, ack(15));
        assert_eq!(counted(&stack), 3);
    }
}

#[test]
fn what_says_more_than_a_duplicate_passes_and_is_none() {
    let mut stack = agent("agent-ecn", &[]);
    leave(&mut stack, 0..10);
    let mut blocks = ack(0);
    let mut sack = blocks.sack();
    sack.push(300, 400);
    blocks.set_sack(sack);
    let mut cut = ack(0);
    cut.set_cut(true);
    let answer = Packet::new(Kind::SynAck, FLOW, HostId(0), 7);
    let unknown = [blocks, cut, answer, other(ack(0)), data(0)];
    assert_eq!(hear(&mut stack, unknown), "ppppp");
    assert_eq!(stack.counters().duplicates, 0);
    assert_eq!(hear(&mut stack, [ack(0)]), "-");
    // An acknowledgement that moves goes on, whatever else it carries.
    blocks.set_seq(200);
    assert_eq!(hear(&mut stack, [blocks, ack(2)]), "p-");
    // Packets of a closed flow pass.
    stack.close(FLOW);
    assert_eq!(hear(&mut stack, [ack(2), ack(2)]), "pp");
    let counted = stack.counters();
    assert_eq!((counted.duplicates, counted.dropped), (2, 2));
}

#[test]
fn subflows_and_flows_have_runs_of_their_own() {
    let mut stack = agent("agent-ecn", &[]);
    stack.open(FlowId(4), None);
    let of = |mut packet: Packet, subflow| {
        packet.set_seq(Packet::first_of(subflow) + packet.seq());
        packet
    };
    stack.down(us(0), &mut of(data(0), 2));
    assert_eq!(hear(&mut stack, [of(ack(0), 1), ack(0)]), "pp");
    assert_eq!(hear(&mut stack, [of(ack(0), 2)]), "-");
    stack.down(us(0), &mut other(data(0)));
    assert_eq!(hear(&mut stack, [other(ack(0))]), "-");
    stack.close(FLOW);
    assert_eq!(hear(&mut stack, [of(ack(0), 2)]), "p");
    assert_eq!(hear(&mut stack, [other(ack(0))]), "-");
    // A subflow of a flow that is not open gets no state.
    stack.down(us(0), &mut of(data(0), 2));
    assert_eq!(hear(&mut stack, [of(ack(0), 2)]), "p");
}

#[test]
fn the_ecn_agent_passes_on_what_echoes_a_mark() {
    let mut stack = agent("agent-ecn", &[]);
    leave(&mut stack, 0..20);
    assert_eq!(hear(&mut stack, [marked(1), ack(1), ack(1)]), "p--");
    let echoes = [marked(1), marked(1), ack(1), marked(1)];
    assert_eq!(hear(&mut stack, echoes), "pp-p");
    assert_eq!(hear(&mut stack, [ack(2), ack(2)]), "p-");
    let counted = stack.counters();
    assert_eq!((counted.duplicates, counted.dropped), (7, 4));
}

#[test]
fn the_ecn_agent_stops_to_pass_them_on_when_it_is_told_to() {
    // Acknowledgement 1 is marked when 10 packets have left; 5 more leave; then the acknowledgement moves on.
    let said = |until| {
        let mut stack = agent("agent-ecn", &[("until", until)]);
        leave(&mut stack, 0..10);
        let mut all = hear(&mut stack, [ack(1), ack(1), marked(1), ack(1)]);
        leave(&mut stack, 10..15);
        for number in [4, 9, 10] {
            all += &hear(&mut stack, [ack(number), ack(number)]);
        }
        all
    };
    assert_eq!(said("unmarked"), "p-p-p-p-p-");
    assert_eq!(said("moved"), "p-ppp-p-p-");
    assert_eq!(said("recovered"), "p-ppppppp-");
}

#[test]
fn the_droptail_agent_holds_a_run_to_what_nine_of_ten_were() {
    let mut stack = droptail(&[]);
    let mut at = 0;
    assert_eq!(runs(&mut stack, &mut at, &[3])[0], "ppp", "the first one");
    // Nine of ten runs were of 3: a run of 3 is as long as nine of ten.
    let said = runs(&mut stack, &mut at, &[3, 3, 3, 3, 3, 3, 3, 3, 7]);
    assert_eq!(said.last().unwrap(), "ppppppp");
    // Of eleven, ten are more than nine of ten: the second run of 7 makes two of eleven.
    assert_eq!(runs(&mut stack, &mut at, &[7]), ["ppppppp"]);
    let said = runs(&mut stack, &mut at, &[6, 9, 2, 1]);
    assert_eq!(said, ["pp----", "pp----ppp", "pp", "p"]);
    // 3 nine times, 6 once, 7 twice, 9 once: of 13, 12 are enough (11.7).
    assert_eq!(runs(&mut stack, &mut at, &[8]), ["pp----pp"]);
    let counted = stack.counters();
    assert_eq!((counted.duplicates, counted.dropped), (67, 12));
}

#[test]
fn the_droptail_agent_lets_pass_what_it_is_told_to_at_first() {
    for (pass, first, expected) in [
        ("2", "3", "ppppppp"),
        ("2", "6", "pp---pp"),
        ("0", "6", "-----pp"),
        ("4", "6", "pppp-pp"),
        ("2", "0", "ppppppp"),
    ] {
        let mut stack = droptail(&[("pass", pass), ("first", first)]);
        assert_eq!(run(&mut stack, 1, 7), expected, "{pass} {first}");
        // The run counts at its full length, whatever was dropped.
        let again = run(&mut stack, 2, 7);
        assert_eq!(
            again.matches('-').count(),
            6 - pass.parse::<usize>().unwrap()
        );
    }
}

#[test]
fn a_run_may_have_to_exceed_what_others_reached() {
    let mut stack = droptail(&[("until", "exceeded")]);
    assert_eq!(runs(&mut stack, &mut 0, &[3, 3, 4]), ["ppp", "pp-", "pp-p"],);
    // Half of two runs: the shorter one.
    let mut stack = droptail(&[("share", "1/2")]);
    assert_eq!(runs(&mut stack, &mut 0, &[4, 9, 5])[2], "pp-pp");
    // All of them: the longest.
    let mut stack = droptail(&[("share", "1")]);
    assert_eq!(runs(&mut stack, &mut 0, &[4, 9, 9])[2], "pp------p");
}

#[test]
fn runs_shorter_than_the_shortest_do_not_count_and_the_longest_are_one() {
    let mut stack = droptail(&[("shortest", "1"), ("share", "1/2")]);
    assert_eq!(runs(&mut stack, &mut 0, &[1, 1, 5, 3])[3], "ppp");
    let mut stack = droptail(&[("longest", "5")]);
    assert_eq!(runs(&mut stack, &mut 0, &[300, 9])[1], "pp--ppppp");
}

#[test]
fn a_host_may_count_the_runs_of_its_flows_together() {
    for (per, expected) in [("flow", "ppppp"), ("host", "pp---")] {
        let mut stack = droptail(&[("per", per)]);
        stack.open(FlowId(4), None);
        for n in 0..10 {
            stack.down(us(0), &mut other(data(n)));
        }
        runs(&mut stack, &mut 0, &[6, 0]);
        let said = hear(&mut stack, vec![other(ack(0)); 5]);
        assert_eq!(said, expected, "{per}");
    }
}

#[test]
fn a_run_that_has_been_let_through_stays_so() {
    let mut stack = droptail(&[("per", "host")]);
    stack.open(FlowId(4), None);
    stack.down(us(0), &mut other(data(0)));
    assert_eq!(hear(&mut stack, vec![other(ack(0)); 3]), "ppp");
    runs(&mut stack, &mut 0, &[20, 0]);
    assert_eq!(hear(&mut stack, vec![other(ack(0)); 3]), "ppp");
}

#[test]
fn a_run_with_a_repair_counts_or_does_not() {
    for (repaired, expected) in [("counted", "pp--------p"), ("left_out", "ppppppppppp")] {
        let mut stack = droptail(&[("repaired", repaired)]);
        assert_eq!(run(&mut stack, 1, 3), "ppp");
        leave(&mut stack, 1..2);
        assert_eq!(hear(&mut stack, vec![ack(1); 8]), "pppppppp");
        assert_eq!(run(&mut stack, 20, 11), expected, "{repaired}");
        // A run without a retransmission counts in any case.
        assert_eq!(run(&mut stack, 40, 11), "pp--------p");
    }
}

#[test]
fn duplicates_in_a_recovery_pass_if_they_shall() {
    for (recovery, expected) in [("filter", "pp---"), ("pass", "ppppp")] {
        let mut stack = droptail(&[("recovery", recovery)]);
        assert_eq!(run(&mut stack, 1, 9), "ppppppppp");
        leave(&mut stack, 1..2);
        // 1000 packets had left when the second one was retransmitted.
        leave(&mut stack, 1000..1010);
        assert_eq!(run(&mut stack, 2, 5), expected, "{recovery}");
        assert_eq!(run(&mut stack, 999, 5), expected);
        assert_eq!(run(&mut stack, 1000, 5), "pp---", "it is over");
    }
}

#[test]
fn values_that_an_agent_cannot_have_are_refused() {
    for (set, says) in [
        (("share", "0"), "share must be above 0 and at most 1, got 0"),
        (
            ("share", "11/10"),
            "share must be above 0 and at most 1, got 11/10",
        ),
        (("shortest", "0"), "shortest must be above 0, got 0"),
        (
            ("shortest", "257"),
            "shortest (257) must not be above longest (256)",
        ),
        (
            ("longest", "65537"),
            "longest must be at most 65536: each length has a counter, got 65537",
        ),
    ] {
        let values = read("agent-droptail", &[set]);
        let refused = build("agent-droptail", &values).err().expect("refused");
        assert_eq!(refused.to_string(), says);
        assert_eq!(refused.params[0], set.0);
    }
}

#[test]
fn an_agent_is_refused_below_a_sender_that_does_not_go_by_duplicates_alone() {
    let tcp = |set: fn(&mut TcpConfig)| {
        let mut tcp = TcpConfig::default();
        set(&mut tcp);
        TransportConfig::from(tcp)
    };
    for name in ["agent-ecn", "agent-droptail"] {
        let agent = [choose(name, &read(name, &[])).expect("its defaults")];
        let said = |transport: &TransportConfig| {
            check(&agent, transport).map_err(|(at, why)| {
                assert_eq!((at, &why.params[..]), (name, &["shims"][..]));
                why.to_string()
            })
        };
        assert_eq!(said(&tcp(|_| {})), Ok(()));
        let sack = said(&tcp(|tcp| tcp.recovery = Recovery::Sack)).unwrap_err();
        assert!(sack.contains("detects losses by SACK blocks"), "{sack}");
        let off = said(&tcp(|tcp| tcp.dupack_threshold = None)).unwrap_err();
        assert!(off.contains("fast_retransmit = \"off\""), "{off}");
        let pfabric = TransportConfig::from_name("pfabric").expect("listed");
        let none = said(&pfabric).unwrap_err();
        assert!(none.contains("which transport pfabric ignores"), "{none}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Checks, for any sequence of packets, that an acknowledgement that moves goes on, and so does any packet
    /// while nothing is in flight; each other acknowledgement is a duplicate, which passes or is dropped.
    #[test]
    fn no_agent_drops_what_moves(
        name in prop_oneof![Just("agent-ecn"), Just("agent-droptail")],
        words in any::<[bool; 4]>(),
        numbers in (0u64..5, 0u64..9, 1u64..4, 4u64..9, 1u64..=10),
        steps in proptest::collection::vec((0u8..8, 0u64..30, any::<bool>()), 0..400),
    ) {
        let [one, two, three, four] = words;
        let word = |on: bool, [no, yes]: [&'static str; 2]| if on { yes } else { no };
        let share = format!("{}/10", numbers.4);
        let [pass, first, shortest, longest] =
            [numbers.0, numbers.1.min(numbers.3), numbers.2, numbers.3].map(|n| n.to_string());
        let mut stack = match name {
            "agent-ecn" => agent(name, &[("until", word(one, ["moved", "recovered"]))]),
            _ => agent(name, &[
                ("pass", &pass),
                ("share", &share),
                ("first", &first),
                ("shortest", &shortest),
                ("longest", &longest),
                ("until", word(one, ["reached", "exceeded"])),
                ("per", word(two, ["flow", "host"])),
                ("repaired", word(three, ["counted", "left_out"])),
                ("recovery", word(four, ["filter", "pass"])),
            ]),
        };
        let (mut acked, mut sent) = (0, 0);
        let (mut duplicates, mut dropped) = (0, 0);
        for (what, number, ece) in steps {
            match what {
                0 => {
                    leave(&mut stack, sent..sent + number);
                    sent += number;
                }
                1 if acked < sent => leave(&mut stack, acked..acked + 1),
                2 => {
                    let next = sent.min(acked + number / 8);
                    prop_assert!(passes(&mut stack, ack(next)) || next == acked);
                    duplicates += u64::from(next == acked && acked < sent);
                    acked = next;
                }
                3 => prop_assert!(passes(&mut stack, ack(acked.saturating_sub(number + 1))) || acked == 0),
                _ => {
                    let on = passes(&mut stack, if ece { marked(acked) } else { ack(acked) });
                    prop_assert!(on || acked < sent);
                    dropped += u64::from(!on);
                }
            }
        }
        let counted = stack.counters();
        prop_assert!(counted.dropped >= dropped && counted.dropped <= counted.duplicates);
        prop_assert!(counted.duplicates >= duplicates);
    }
}

/// Returns an agent's explanation of the packet that has just arrived, whether it was dropped or not.
fn said(stack: &mut Stack, mut packet: Packet) -> Option<String> {
    match stack.up(us(0), &mut packet) {
        Up::Pass => stack.why_passed(&packet).pop().map(|(_, why)| why),
        _ => Some(stack.why(&packet).1),
    }
}

#[test]
fn an_agent_says_of_each_duplicate_which_it_is_and_what_it_is_held_to() {
    let mut stack = droptail(&[("first", "4"), ("until", "exceeded")]);
    let mut answers = |packet| said(&mut stack, packet);
    assert_eq!(answers(ack(1)), None, "no duplicate");
    let first = |n| {
        format!(
            "it is duplicate {n} of its run; the first 2 go on, and those from number 4 on (first \
             = 4: no run of this flow was counted yet)"
        )
    };
    for n in 1..=5 {
        assert_eq!(answers(ack(1)), Some(first(n)));
    }
    assert_eq!(
        (answers(ack(0)), answers(other(ack(2))), answers(data(1))),
        (None, None, None)
    );
    assert_eq!(answers(ack(2)), None);
    let second = "it is duplicate 1 of its run; the first 2 go on, and those after number 5 (9/10 \
                  of the 1 earlier runs of this flow are no longer than 5)";
    assert_eq!(answers(ack(2)).as_deref(), Some(second));
}

#[test]
fn a_run_that_goes_on_for_another_reason_says_which() {
    // After a retransmission all duplicates go on.
    let mut stack = droptail(&[("first", "9"), ("recovery", "pass")]);
    passes(&mut stack, ack(1));
    leave(&mut stack, 1..2);
    let why = (0..3).filter_map(|_| said(&mut stack, ack(1))).last();
    let why = why.expect("a duplicate");
    assert!(why.starts_with("it is duplicate 3 of its run; "), "{why}");
    let ends = "; but data was retransmitted, and with recovery = \"pass\" all duplicates go on \
                until the data sent by then is acknowledged";
    assert!(why.ends_with(ends), "{why}");
    // A longer run of another flow raises the length to which the host holds runs, while one goes on.
    let mut stack = droptail(&[("per", "host")]);
    stack.open(FlowId(4), None);
    (0..99).for_each(|n| stack.down(us(0), &mut other(data(n))));
    assert_eq!(run(&mut stack, 1, 3), "ppp");
    for _ in 0..9 {
        passes(&mut stack, other(ack(1)));
    }
    passes(&mut stack, other(ack(2)));
    let why = said(&mut stack, ack(1)).expect("a duplicate");
    assert!(
        why.ends_with(
            "; an earlier duplicate of this run had reached that number, so all later ones go on"
        ),
        "{why}"
    );
}

#[test]
fn an_ecn_agent_says_whether_a_duplicate_echoes_a_mark_or_one_before_it_did() {
    for (until, behind) in [
        (
            "unmarked",
            "it is duplicate 3 of its run and echoes no mark (ECE); only duplicates that echo a \
             mark go on",
        ),
        (
            "moved",
            "it is duplicate 3 of its run and echoes no mark (ECE), but an earlier duplicate did, \
             so all go on until the acknowledgement moves",
        ),
        (
            "recovered",
            "it is duplicate 3 of its run and echoes no mark (ECE), but an earlier duplicate did, \
             so all go on until all data sent by then is acknowledged",
        ),
    ] {
        let mut stack = agent("agent-ecn", &[("until", until)]);
        leave(&mut stack, 0..10);
        let first = said(&mut stack, ack(0)).expect("a duplicate");
        assert!(
            first.starts_with("it is duplicate 1 of its run and echoes no mark (ECE); "),
            "{first}"
        );
        let echo = said(&mut stack, marked(0));
        assert_eq!(
            echo.as_deref(),
            Some("it is duplicate 2 of its run and echoes a mark (ECE)")
        );
        assert_eq!(said(&mut stack, ack(0)).as_deref(), Some(behind), "{until}");
    }
}
