//! Routes `spray-counter`, `spray-rr` and `power-of-two`, of which the first two have memory: their rows of
//! `sidestep vectors`, and the routes themselves for a bench's own packets.

use crate::pick::ports;
use crate::vectors::{PORTS, number, values};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyRoute, Capacity, Depth, Hops, Route, route};
use sidestep_types::{Entry, FlowId, HostId, Kind, Packet, PortId, Rng, Seed, Size, Values, mix64};
use sidestep_vectors::{Row, Table, named};
use std::ffi::{CStr, c_char};

/// Tie-break: the hop used last ranks behind the others.
pub const TURN: u32 = 0;
/// Tie-break: the first of equal hops.
pub const FIRST: u32 = 1;
/// Tie-break: a random draw.
pub const RANDOM: u32 = 2;

/// Settings of a route, as the cells have them. Settings that the route lacks are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// 1 if `spray-counter` compares queues.
    pub queued: u32,
    /// Tie-break: [`TURN`], [`FIRST`] or [`RANDOM`].
    pub ties: u32,
    /// Limit of a counter, in bytes.
    pub limit: u32,
    /// 1 if new entries of `spray-rr` begin with the first hop.
    pub first: u32,
    /// Packets in a turn.
    pub burst: u32,
    /// Rounds in one order; 0 if the order never changes.
    pub rounds: u32,
}

/// Packet and the port chosen for it; see `docs/reference/vectors.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Step of the sequence: at 0 the route is new.
    pub step: u32,
    /// Ports of the switch.
    pub ports: u32,
    /// Next hops, as a mask of ports.
    pub hops: u32,
    /// Number of this set of ports.
    pub set: u32,
    /// Number of the destination prefix.
    pub prefix: u32,
    /// Destination host.
    pub dst: u32,
    /// Hash of the flow.
    pub hash: u32,
    /// 1 if the packet carries no data.
    pub bare: u32,
    /// Size on the link, in bytes.
    pub bytes: u32,
    /// Depth of each port's queue, in bytes.
    pub depth: [u32; PORTS],
    /// Settings of the route.
    pub settings: Settings,
    /// 1 if the cells are not queried: the packet takes the hop of ECMP, or `power-of-two` has other than two
    /// choices, or memory.
    pub ecmp: u32,
    /// Index in the table of `spray-rr`.
    pub place: u32,
    /// Draw with which that entry begins.
    pub begin: u32,
    /// Next draw.
    pub draw: u32,
    /// Draw after the next.
    pub draw_2: u32,
    /// Port chosen.
    pub port: u32,
}

/// Route: its settings and its salt.
struct ReferenceRoute {
    settings: Settings,
    values: Values,
    salt: u64,
    robin: bool,
    two: bool,
}

impl ReferenceRoute {
    fn new(entry: &Entry, values: Values, salt: u64) -> ReferenceRoute {
        let robin = entry.name == "spray-rr";
        let settings = match entry.name {
            "power-of-two" => Settings::default(),
            "spray-rr" => Settings {
                first: u32::from(values.word("start") == "first"),
                burst: values.count("burst") as u32,
                rounds: values.count_or_off("shuffle").unwrap_or(0) as u32,
                ..Settings::default()
            },
            _ => Settings {
                queued: u32::from(values.word("by") == "queued"),
                ties: match values.word("ties").as_str() {
                    "first" => FIRST,
                    "random" => RANDOM,
                    _ => TURN,
                },
                limit: values.bytes("limit").0 as u32,
                ..Settings::default()
            },
        };
        let two = entry.name == "power-of-two";
        ReferenceRoute {
            settings,
            values,
            salt,
            robin,
            two,
        }
    }

    /// Computes the inputs that a switch gives to the cell: the settings, the exceptions, and the packet's
    /// entry in the table.
    fn complete(&self, hop: &mut Hop) {
        hop.settings = self.settings;
        if self.two {
            let plain = self.values.count("choices") == 2 && self.values.count("memory") == 0;
            hop.ecmp = u32::from(!plain);
            return;
        }
        hop.ecmp = u32::from(self.values.word("acks") == "ecmp" && hop.bare == 1);
        if !self.robin {
            return;
        }
        let (key, hashed) = match self.values.word("per").as_str() {
            "destination" => (hop.dst, true),
            "prefix" => (hop.prefix, false),
            "switch" => (0, false),
            _ => (hop.hash, true),
        };
        // `SprayRr` mixes in the same way; the vectors check it.
        let mixed = mix64(self.salt ^ u64::from(key));
        let places = self.values.count("table");
        hop.place = if hashed {
            (mixed & (places - 1)) as u32
        } else {
            key
        };
        hop.begin = (mixed >> 32) as u32;
    }
}

/// Returns the endless rows of the route called `name`. `None` if it is none of the three.
pub fn hops(name: &str, seed: Seed) -> Option<impl Iterator<Item = Hop>> {
    let policy = spraying(name).and_then(|_| named(&format!("route/{name}")).pop())?;
    Some(policy.rows(seed).map(move |row| read(policy.entry, &row)))
}

/// Routes that have cells.
const NAMES: [&str; 3] = ["spray-counter", "spray-rr", "power-of-two"];

fn spraying(name: &str) -> Option<&'static Entry> {
    let entry = route::ENTRIES.iter().find(|entry| entry.name == name);
    entry.filter(|entry| NAMES.contains(&entry.name))
}

fn read(entry: &'static Entry, row: &Row) -> Hop {
    let cell = |name: &str| row.cell(name).expect("the table has it");
    let hex = |name: &str| u64::from_str_radix(cell(name), 16).expect(name);
    let mut hop = Hop {
        step: number(row, "step"),
        ports: number(row, "ports"),
        set: number(row, "hop_set"),
        prefix: number(row, "prefix"),
        dst: number(row, "dst_host"),
        hash: hex("hash_hex") as u32,
        bare: u32::from(cell("kind") == "ack"),
        bytes: number(row, "wire_bytes"),
        draw: hex("draw_1_hex") as u32,
        draw_2: hex("draw_2_hex") as u32,
        port: number(row, "port"),
        ..Hop::default()
    };
    for word in cell("hops").split(' ') {
        hop.hops |= 1 << word.parse::<u32>().expect("a port");
    }
    for (depth, word) in hop.depth.iter_mut().zip(cell("depth_bytes").split(' ')) {
        *depth = word.parse().expect("a number of bytes");
    }
    let values = values(entry, cell("settings"));
    ReferenceRoute::new(entry, values, hex("salt_hex")).complete(&mut hop);
    hop
}

/// Route that a bench queries.
pub struct Spray {
    asked: ReferenceRoute,
    route: AnyRoute,
    rng: Rng,
}

impl Spray {
    /// Creates a route on a switch of [`PORTS`] ports, with `words` as the settings of a row. `None` if there
    /// is no such route or it refuses them.
    pub fn new(name: &str, words: &str, salt: u64, seed: Seed) -> Option<Spray> {
        let entry = spraying(name)?;
        let values = values(entry, words);
        let route = AnyRoute::build(name, &values, PORTS as u16, salt).ok()?;
        Some(Spray {
            asked: ReferenceRoute::new(entry, values, salt),
            route,
            rng: seed.stream("spray"),
        })
    }

    /// Fills in the fields of `hop` from `settings` on.
    pub fn step(&mut self, hop: &mut Hop) {
        self.asked.complete(hop);
        let mut ahead = self.rng.clone();
        hop.draw = ahead.draw();
        hop.draw_2 = ahead.draw();
        let kind = if hop.bare == 1 { Kind::Ack } else { Kind::Data };
        let mut packet = Packet::new(kind, FlowId(0), HostId(hop.dst), hop.hash);
        packet.len = 1 - hop.bare as u16;
        packet.wire = hop.bytes as u16;
        let depth = |&bytes: &u32| Depth { packets: 0, bytes };
        let depths = hop.depth.iter().map(depth).collect();
        let mut queues = StillQueues::new(depths, Capacity::PerPort(Size::Packets(1)));
        let ports: Vec<PortId> = ports(u64::from(hop.hops)).iter().collect();
        let hops = Hops {
            ports: &ports,
            set: hop.set,
            prefix: hop.prefix,
        };
        let port = self.route.pick(&packet, hops, &mut queues, &mut self.rng);
        hop.port = u32::from(port.0);
    }
}

/// Table being read.
pub struct Reading(Box<dyn Iterator<Item = Hop>>);

/// Begins to read the rows of the route called `name`. Returns null if it is none of the three.
///
/// # Safety
///
/// `name` is a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_hops_open(name: *const c_char, seed: u64) -> *mut Reading {
    // SAFETY: guaranteed by the caller.
    let rows = unsafe { text(name) }.and_then(|name| hops(name, Seed(seed)));
    rows.map_or(std::ptr::null_mut(), |rows| {
        Box::into_raw(Box::new(Reading(Box::new(rows))))
    })
}

/// Reads the next row.
///
/// # Safety
///
/// `reading` is open, and `hop` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_hops_next(reading: *mut Reading, hop: *mut Hop) {
    // SAFETY: guaranteed by the caller.
    let (reading, hop) = unsafe { (&mut *reading, &mut *hop) };
    *hop = reading.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `reading` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_hops_close(reading: *mut Reading) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(reading) });
}

/// Creates a route without memory yet. Returns null if there is no such route, or it refuses these settings.
///
/// # Safety
///
/// `name` and `words` are zero-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_spray_open(
    name: *const c_char,
    words: *const c_char,
    salt: u64,
    seed: u64,
) -> *mut Spray {
    // SAFETY: guaranteed by the caller.
    let (name, words) = unsafe { (text(name), text(words)) };
    let spray = name
        .zip(words)
        .and_then(|(name, words)| Spray::new(name, words, salt, Seed(seed)));
    spray.map_or(std::ptr::null_mut(), |spray| Box::into_raw(Box::new(spray)))
}

/// Chooses the port of a packet. Reads the fields of `hop` before `settings`, and writes the others.
///
/// # Safety
///
/// `spray` is open, and `hop` points to a `Hop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_spray_step(spray: *mut Spray, hop: *mut Hop) {
    // SAFETY: guaranteed by the caller.
    let (spray, hop) = unsafe { (&mut *spray, &mut *hop) };
    spray.step(hop);
}

/// Ends a route.
///
/// # Safety
///
/// `spray` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_spray_close(spray: *mut Spray) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(spray) });
}

unsafe fn text<'a>(of: *const c_char) -> Option<&'a str> {
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(of) }.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_rows_are_those_of_the_shipped_tables() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
        for name in NAMES {
            let shipped = fs::read_to_string(folder.join(format!("route-{name}.csv"))).unwrap();
            let rows = shipped.lines().count() as u32 - 1;
            assert!(rows >= 256, "{name}: {rows} rows");
            let ours = named(name).pop().unwrap().table(rows, Seed(1));
            let differs = ours.lines().zip(shipped.lines()).find(|(a, b)| a != b);
            assert_eq!((differs, ours.len()), (None, shipped.len()), "{name}");
        }
        assert!(hops("ecmp", Seed(1)).is_none() && hops("spray", Seed(1)).is_none());
    }

    #[test]
    fn a_route_that_is_asked_the_rows_of_a_sequence_answers_them() {
        for name in &NAMES[..2] {
            let policy = named(name).pop().unwrap();
            let mut asked = 0;
            let mut spray = None;
            for row in policy.rows(Seed(2)).take(1600) {
                let expected = read(policy.entry, &row);
                let words = row.cell("settings").unwrap();
                let salt = u64::from_str_radix(row.cell("salt_hex").unwrap(), 16).unwrap();
                if expected.step == 0 {
                    spray = Spray::new(name, words, salt, Seed(0));
                }
                // This route would draw another number, so the rest of the sequence is skipped.
                if row.cell("draws_taken") != Some("0") {
                    spray = None;
                }
                if let Some(spray) = &mut spray {
                    let mut hop = Hop {
                        draw: 0,
                        port: 9,
                        ..expected
                    };
                    spray.step(&mut hop);
                    (hop.draw, hop.draw_2) = (expected.draw, expected.draw_2);
                    assert_eq!(hop, expected, "{name} {words}");
                    asked += 1;
                }
            }
            assert!(asked > 800, "{name}: {asked}");
        }
    }

    #[test]
    fn settings_places_and_those_that_go_by_ecmp_are_read() {
        let rows: Vec<Hop> = hops("spray-counter", Seed(1)).unwrap().take(1600).collect();
        let seen = |is: &dyn Fn(&Hop) -> bool| rows.iter().any(is) && !rows.iter().all(is);
        assert!(seen(&|row| row.ecmp == 1) && seen(&|row| row.settings.queued == 1));
        assert!(
            [TURN, FIRST, RANDOM]
                .iter()
                .all(|&ties| seen(&|row| row.settings.ties == ties))
        );
        assert!(seen(&|row| row.settings.limit == 3_000));
        let rows: Vec<Hop> = hops("spray-rr", Seed(1)).unwrap().take(1600).collect();
        let seen = |is: &dyn Fn(&Hop) -> bool| rows.iter().any(is) && !rows.iter().all(is);
        assert!(seen(&|row| row.settings.first == 1) && seen(&|row| row.settings.burst == 2));
        assert!(seen(&|row| row.settings.rounds == 2) && seen(&|row| row.place > 1));
        assert!(rows.iter().all(|row| row.place < 1024));
        let rows = hops("power-of-two", Seed(1)).unwrap().take(1600);
        let (apart, asked): (Vec<Hop>, Vec<Hop>) = rows.partition(|row| row.ecmp == 1);
        assert!(!apart.is_empty() && asked.iter().any(|row| row.draw_2 != 0));
    }
}
