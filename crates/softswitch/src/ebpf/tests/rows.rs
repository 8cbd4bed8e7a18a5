//! Rows of `sidestep vectors`, answered by the program in the kernel.
//!
//! `SIDESTEP_ROWS` is the number of rows of each policy, 4,096 by default.

use super::can;
use crate::ebpf::compile::SOURCES;
use crate::ebpf::layout::{Bytes, RULE, Read};
use crate::ebpf::plan::{Rule, Sizes};
use crate::ebpf::program::Loaded;
use sidestep_switch::Capacity;
use sidestep_switch::{AnyBuffer, AnyRoute, buffer, route};
use sidestep_types::{Bytes as Size8, Entry, Rng, Seed, Size, Value, Values};
use sidestep_vectors::{Row, Table, named};

/// All policies that the program has.
const ALL: [&str; 9] = [
    "route/single",
    "route/ecmp",
    "route/spray-random",
    "route/spray-rr",
    "route/spray-counter",
    "buffer/droptail",
    "buffer/ecn",
    "buffer/dibs",
    "buffer/dibs-first-open",
];

/// Offset of the next hops in `struct row`, behind the verdict, and size of that struct: 12 bytes and one a
/// port.
const WAY: usize = 248;
const ROW: usize = (WAY + 12 + SIZES.ports).next_multiple_of(8);

const SIZES: Sizes = Sizes {
    ports: 8,
    ring_bits: 4,
    // The default of a route's table.
    places: 1024,
    way: None,
    still: true,
};

#[test]
fn the_program_answers_the_rows_of_every_policy_that_it_has() {
    if !can() {
        return;
    }
    let rows = std::env::var("SIDESTEP_ROWS").map_or(4_096, |n| n.parse().expect("a number"));
    let loaded = Loaded::new(SIZES).unwrap();
    for name in ALL {
        if let Some(wrong) = first_wrong(&loaded, name, rows) {
            panic!("{name}: {wrong}");
        }
    }
}

/// Checks that each of these mistakes in the program is noticed by some row.
#[test]
fn every_mutant_is_noticed() {
    if !can() {
        return;
    }
    let mutants = [
        (
            "mix64(rule->hash_salt ^ packet->hash)",
            "mix64(packet->hash)",
        ),
        ("mix64(rule->salt ^ packet->hash)", "mix64(rule->salt)"),
        (
            "return scale(draw(stream), way->many);",
            "return scale(draw(stream), way->many - 1);",
        ),
        (
            "rule->acks_by_hash && !packet->data",
            "rule->acks_by_hash && packet->data",
        ),
        (
            "below(depth.packets, rule->packets)",
            "below(depth.packets, rule->packets + 1)",
        ),
        (
            "depth.bytes + bytes, rule->bytes + 1",
            "depth.bytes + bytes, rule->bytes",
        ),
        (
            "below(depth.packets, rule->mark_packets)",
            "below(depth.packets, rule->mark_packets + 1)",
        ),
        (
            "below(depth.bytes, rule->mark_bytes)",
            "below(depth.bytes, 2 * rule->mark_bytes)",
        ),
        (
            "if (BUFFER(rule) != BUFFER_DROPTAIL)\n",
            "if (BUFFER(rule) == BUFFER_DIBS)\n",
        ),
        (
            "packet->detours >= rule->max_detours",
            "packet->detours > rule->max_detours",
        ),
        (
            "if (!rule->back && packet->ingress < 64)",
            "if (packet->ingress < 64)",
        ),
        ("below(before ^ at, 1)", "below(before ^ at, 2)"),
        ("scale(drawn, many(open))", "scale(drawn, many(open)) ^ 1"),
        (
            "open = open >> start << start;",
            "open = open >> start >> 1 << start << 1;",
        ),
        (
            "scale(drawn, rule->ports) & 63",
            "scale(drawn, rule->ports - 1) & 63",
        ),
        ("rotate(s[0] + s[3], 23)", "rotate(s[0] + s[3], 22)"),
        ("s[3] = rotate(s[3], 45);", "s[3] = rotate(s[3], 44);"),
        ("rule->mark_detours || steps", "steps"),
        ("steps(rule, look(view, there.port))", "steps(rule, depth)"),
        (
            "__u32 drawn = draw(stream);",
            "__u32 drawn = draw(stream) + 0 * draw(stream);",
        ),
        ("z ^ z >> 27", "z ^ z >> 26"),
        ("key = packet->host;", "key = packet->hash;"),
        ("key = way->prefix;", "key = way->set;"),
        (
            "mixed & rule->table : key",
            "mixed & rule->table >> 1 : key",
        ),
        ("at == NEW ? scale(mixed >> 32, many) : 0", "0"),
        (
            "return to < many ? to : to - many;",
            "return to < many ? to : 0;",
        ),
        ("turn->stride = 1;", "turn->stride = many - 1;"),
        (
            "turn->packets < rule->burst",
            "turn->packets <= rule->burst",
        ),
        (
            "if (turn->rounds)\n\t\t\tturn->rounds -= 1;",
            "turn->rounds = 0;",
        ),
        ("turn_at(memory, way->set)", "turn_at(memory, way->prefix)"),
        ("(many_hops & -wraps)", "0"),
        ("turn->next = at + 1;", "turn->next = at;"),
        ("packet->buffer + UNBUFFERED);", "packet->buffer);"),
        (
            "(sent - least) & -below(least, sent)",
            "sent & -below(least, sent)",
        ),
        (
            "nth(equal, scale(draw(stream), many(equal)))",
            "nth(equal, 0 * draw(stream))",
        ),
        ("if (!QUEUED(rule))", "if (QUEUED(rule))"),
    ];
    let mut unseen = Vec::new();
    for (from, to) in mutants {
        let sources = SOURCES.map(|(name, text)| (name, text.replace(from, to)));
        let found = SOURCES.iter().any(|(_, text)| text.contains(from));
        assert!(found, "{from:?} is not in the sources");
        let loaded = Loaded::from(&sources, SIZES).unwrap_or_else(|e| panic!("{to}: {e}"));
        let seen = ALL
            .iter()
            .any(|name| first_wrong(&loaded, name, 4_096).is_some());
        if !seen {
            unseen.push((from, to));
        }
    }
    assert!(unseen.is_empty(), "not noticed: {unseen:?}");
}

/// Returns the first row with a wrong answer.
fn first_wrong(loaded: &Loaded, name: &str, many: usize) -> Option<String> {
    let policy = named(name)[0];
    let mut answered = 0;
    for row in policy.rows(Seed(1)).take(many) {
        let (said, expected) = (ask(loaded, policy.entry, &row), expected(&row));
        if said != expected {
            return Some(format!("expected {expected:?}, got {said:?} for {row:?}"));
        }
        answered += 1;
    }
    assert_eq!(answered, many);
    None
}

/// Answer: the words of the row, and the stream afterwards.
type RowAnswer = (String, String, String, String, [u64; 4]);

fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    row.cell(column).unwrap_or_default()
}

fn number(row: &Row, column: &str) -> u64 {
    let cell = text(row, column);
    cell.parse()
        .unwrap_or_else(|_| panic!("{column}: {cell:?}"))
}

fn hex(row: &Row, column: &str) -> u64 {
    u64::from_str_radix(text(row, column), 16).expect("a hexadecimal number")
}

/// Returns a stream whose next draw is that of the row; its other words are arbitrary.
fn stream(row: &Row) -> [u64; 4] {
    let noise = hex(row, "salt_hex");
    // With the first word 0 the generator's next output is the last one, turned by 23 bits.
    let next = hex(row, "draw_1_hex") << 32 | noise >> 32;
    [0, noise, noise.rotate_left(17), next.rotate_right(23)]
}

fn expected(row: &Row) -> RowAnswer {
    let mut after = Rng::from_state(stream(row));
    for _ in 0..number(row, "draws_taken") {
        after.draw();
    }
    let cell = |column| text(row, column).to_string();
    (
        cell("verdict"),
        cell("port"),
        cell("mark"),
        cell("reason"),
        after.state(),
    )
}

fn values(entry: &Entry, row: &Row) -> Values {
    let mut values = Values::defaults(entry.params);
    let settings = text(row, "settings");
    for change in settings.split("; ").filter(|change| *change != "defaults") {
        let (name, text) = change.split_once('=').expect("name=value");
        let param = entry.params.iter().find(|param| param.name == name);
        let param = param.expect("a parameter of the policy");
        values.set(
            param.name,
            Value::parse(text, param).expect("a value of it"),
        );
    }
    values
}

fn ask(loaded: &Loaded, entry: &Entry, row: &Row) -> RowAnswer {
    let (values, salt) = (values(entry, row), hex(row, "salt_hex"));
    let is_route = row.cell("hops").is_some();
    let route = is_route.then(|| route::choose(entry.name, &values).expect("good values"));
    let buffer = (!is_route).then(|| buffer::choose(entry.name, &values).expect("good values"));
    let capacity = match text(row, "capacity_packets") {
        "" => Size::Bytes(Size8(number(row, "capacity_bytes"))),
        packets => Size::Packets(packets.parse().expect("a number")),
    };
    let capacity = Capacity::PerPort(capacity);
    let ports = (number(row, "ports") as u32, hex(row, "to_switch_mask_hex"));
    let rule = Rule::of(route.as_ref(), buffer.as_ref(), ports, capacity, salt);
    let rule = rule.expect("a policy of the program");
    let hops: Vec<&str> = text(row, "hops").split_whitespace().collect();
    let ingress = text(row, "ingress_port").parse().unwrap_or(u8::MAX);
    let carries = text(row, "kind") == "data" && number(row, "payload_bytes") > 0;
    let mut bytes = Bytes::default();
    bytes.rule(&rule);
    stream(row).into_iter().for_each(|word| _ = bytes.u64(word));
    let of_sequence = |column| row.cell(column).map_or(0, |_| number(row, column) as u32);
    // Clears the state left by the sequence before.
    if row.cell("step") == Some("0") {
        loaded.begin_memory(&rule).expect("a map");
    }
    bytes
        .u32(hex(row, "hash_hex") as u32)
        .u32(of_sequence("dst_host"))
        .u32(number(row, "buffer_bytes") as u32);
    bytes
        .u8(u8::from(carries && text(row, "trimmed") == "0"))
        .u8(number(row, "ttl") as u8);
    bytes.u8(number(row, "detours") as u8).u8(ingress);
    bytes
        .u32(u32::from(is_route))
        .u32(text(row, "want_port").parse().unwrap_or(0));
    let list = |column| {
        text(row, column)
            .split(' ')
            .map(|n| n.parse::<u32>().expect("a number"))
    };
    for (packets, held) in list("depth_packets").zip(list("depth_bytes")) {
        bytes.u32(packets).u32(held);
    }
    bytes.to(WAY);
    bytes.u32(hops.len() as u32);
    bytes.u32(of_sequence("hop_set")).u32(of_sequence("prefix"));
    for hop in &hops {
        bytes.u8(hop.parse().expect("a port"));
    }
    bytes.to(ROW);
    loaded.program.test(&mut bytes.0, 0).expect("a test run");
    let read = Read(&bytes.0);
    let after = std::array::from_fn(|word| read.u64(RULE + 8 * word));
    let [what, port, mark, reason] = [WAY - 16, WAY - 12, WAY - 8, WAY - 4].map(|at| read.u32(at));
    if is_route {
        let none = String::new;
        return (
            none(),
            hops.get(port as usize)
                .map_or("none", |hop| *hop)
                .to_string(),
            none(),
            none(),
            after,
        );
    }
    let verdict = ["enqueue", "detour", "drop"][what as usize].to_string();
    let dropped = what == 2;
    let reason = sidestep_switch::DropReason::ALL[reason as usize].name();
    let of = |there: bool, text: String| if there { text } else { String::new() };
    (
        verdict,
        of(!dropped, port.to_string()),
        mark.to_string(),
        of(dropped, reason.to_string()),
        after,
    )
}

/// Checks that the program's policies are registered and can be built: one under another name would be refused
/// for its name alone.
#[test]
fn policies_of_the_program_are_those_of_the_switch() {
    for name in ALL {
        let (seam, name) = name.split_once('/').unwrap();
        let (entries, built) = match seam {
            "route" => (
                route::ENTRIES,
                AnyRoute::build(name, &defaults(route::ENTRIES, name), 8, 0).is_ok(),
            ),
            _ => (
                buffer::ENTRIES,
                AnyBuffer::build(name, &defaults(buffer::ENTRIES, name), 8, 0).is_ok(),
            ),
        };
        assert!(
            built && entries.iter().any(|entry| entry.name == name),
            "{name}"
        );
    }
}

fn defaults(entries: &[Entry], name: &str) -> Values {
    let entry = entries.iter().find(|entry| entry.name == name);
    Values::defaults(entry.expect("a registered policy").params)
}
