//! Rows of `sidestep vectors`, as numbers.

use sidestep_types::{Entry, Seed, Size, Value, Values};
use sidestep_vectors::{Policy, Row, Table, named};
use std::ffi::{CStr, c_char};

/// Largest number of ports of a row.
pub const PORTS: usize = 8;

/// Verdict: the packet is enqueued at the port it wanted.
pub const ENQUEUE: u32 = 0;
/// Verdict: the packet leaves by another port.
pub const DETOUR: u32 = 1;
/// Verdict: the packet is dropped.
pub const DROP: u32 = 2;
/// Verdict that no detouring policy returns.
pub const OTHER: u32 = 3;

/// Row of a table; see `docs/reference/vectors.md`. Empty cells are 0, except `ingress`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// Salt of the switch, 64 bits.
    pub salt: u64,
    /// Ports of the switch.
    pub ports: u32,
    /// Port that the route chose.
    pub want: u32,
    /// Mask of ports with room.
    pub fits: u32,
    /// Mask of ports that lead to a switch.
    pub to_switch: u32,
    /// Mask of those ports to which the settings allow a detour.
    pub candidates: u32,
    /// Ingress port of the packet; `u32::MAX` if the switch created it.
    pub ingress: u32,
    /// Depth of each port's queue, in packets.
    pub packets: [u32; PORTS],
    /// Depth of each port's queue, in bytes.
    pub bytes: [u32; PORTS],
    /// Rank: bytes that the flow had left to send.
    pub rank: u32,
    /// Hash of the flow.
    pub hash: u32,
    /// Detours so far.
    pub detours: u32,
    /// Next two draws.
    pub draws: [u32; 2],
    /// Number of these draws that the policy used.
    pub draws_taken: u32,
    /// Setting `max_detours`; 0 for off.
    pub max_detours: u32,
    /// Setting `ingress`.
    pub ingress_allowed: u32,
    /// Setting `mark_at`; `u32::MAX` for off.
    pub mark_at: u32,
    /// 1 if `mark_at` is in bytes.
    pub mark_in_bytes: u32,
    /// Setting `start` of `dibs-probabilistic`.
    pub start: u32,
    /// Setting `full`.
    pub full: u32,
    /// 1 if `start` and `full` are in bytes.
    pub line_in_bytes: u32,
    /// Setting `favour`.
    pub favour: u32,
    /// Verdict: [`ENQUEUE`], [`DETOUR`], [`DROP`] or [`OTHER`].
    pub verdict: u32,
    /// Port that the packet joins, unless it is dropped.
    pub port: u32,
    /// 1 if the packet is marked, provided it is ECN-capable.
    pub mark: u32,
    /// 1 if the packet is dropped for its many detours, not for lack of room.
    pub spent: u32,
}

/// Table being read.
pub struct Vectors(Box<dyn Iterator<Item = Vector>>);

/// Returns the endless rows of the buffer policy called `name`. `None` if there is no such policy.
pub fn vectors(name: &str, seed: Seed) -> Option<impl Iterator<Item = Vector>> {
    let policy = buffer(name)?;
    Some(policy.rows(seed).map(move |row| read(policy.entry, &row)))
}

/// Returns the first `count` rows as `sidestep vectors` prints them.
pub fn table(name: &str, count: u32, seed: Seed) -> Option<String> {
    Some(buffer(name)?.table(count, seed))
}

fn buffer(name: &str) -> Option<Policy> {
    named(&format!("buffer/{name}")).pop()
}

/// Returns the number in a column; 0 if the cell is empty.
pub(crate) fn number(row: &Row, column: &str) -> u32 {
    match row.cell(column).expect(column) {
        "" => 0,
        text => text.parse().expect(column),
    }
}

/// Returns the rank of the row's packet; unmarked data, whose cell is empty, ranks last.
pub(crate) fn rank(row: &Row) -> u32 {
    match row.cell("rank_bytes") {
        Some("") => u32::MAX,
        _ => number(row, "rank_bytes"),
    }
}

fn read(entry: &'static Entry, row: &Row) -> Vector {
    let cell = |name: &str| {
        let found = row.cell(name);
        found.unwrap_or_else(|| panic!("no column {name}"))
    };
    let number = |name: &str| number(row, name);
    let hex = |name: &str| u64::from_str_radix(cell(name), 16).expect(name);
    let list = |name: &str| {
        let mut numbers = [0; PORTS];
        for (slot, word) in numbers.iter_mut().zip(cell(name).split(' ')) {
            *slot = word.parse().expect(name);
        }
        numbers
    };
    let mut vector = Vector {
        salt: hex("salt_hex"),
        ports: number("ports"),
        want: number("want_port"),
        fits: hex("fits_mask_hex") as u32,
        to_switch: hex("to_switch_mask_hex") as u32,
        candidates: hex("candidates_mask_hex") as u32,
        ingress: cell("ingress_port").parse().unwrap_or(u32::MAX),
        packets: list("depth_packets"),
        bytes: list("depth_bytes"),
        rank: rank(row),
        hash: hex("hash_hex") as u32,
        detours: number("detours"),
        draws: [hex("draw_1_hex") as u32, hex("draw_2_hex") as u32],
        draws_taken: number("draws_taken"),
        verdict: match cell("verdict") {
            "enqueue" => ENQUEUE,
            "detour" => DETOUR,
            "drop" => DROP,
            _ => OTHER,
        },
        port: number("port"),
        mark: number("mark"),
        spent: u32::from(cell("reason") == "detours"),
        ..Vector::default()
    };
    set(&mut vector, entry, &values(entry, cell("settings")));
    vector
}

/// Parses the `settings` of a row.
pub(crate) fn values(entry: &'static Entry, words: &str) -> Values {
    let mut values = Values::defaults(entry.params);
    for change in words.split("; ").filter(|word| *word != "defaults") {
        let (name, text) = change.split_once('=').expect("name=value");
        let param = entry
            .params
            .iter()
            .find(|p| p.name == name)
            .expect("a parameter");
        values.set(
            param.name,
            Value::parse(text, param).expect("it was written so"),
        );
    }
    values
}

fn set(vector: &mut Vector, entry: &Entry, values: &Values) {
    let size = |size: Size| match size {
        Size::Packets(n) => (n as u32, 0),
        Size::Bytes(b) => (b.0 as u32, 1),
    };
    for name in entry.params.iter().map(|param| param.name) {
        match name {
            "max_detours" => {
                vector.max_detours = values.count_or_off(name).map_or(0, |n| n as u32);
            }
            "ingress" => vector.ingress_allowed = u32::from(values.flag(name)),
            "mark_at" => {
                let read = values.size_or_off(name).map_or((u32::MAX, 0), size);
                (vector.mark_at, vector.mark_in_bytes) = read;
            }
            "start" => (vector.start, vector.line_in_bytes) = size(values.size(name)),
            "full" => vector.full = size(values.size(name)).0,
            "favour" => vector.favour = values.bytes(name).0 as u32,
            _ => {}
        }
    }
}

/// Begins to read the rows of the policy called `name`. Returns null if there is none.
///
/// # Safety
///
/// `name` is a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_vectors_open(name: *const c_char, seed: u64) -> *mut Vectors {
    // SAFETY: guaranteed by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    let found = name
        .to_str()
        .ok()
        .and_then(|name| vectors(name, Seed(seed)));
    found.map_or(std::ptr::null_mut(), |rows| {
        Box::into_raw(Box::new(Vectors(Box::new(rows))))
    })
}

/// Reads the next row.
///
/// # Safety
///
/// `vectors` is open, and `vector` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_vectors_next(vectors: *mut Vectors, vector: *mut Vector) {
    // SAFETY: guaranteed by the caller.
    let (vectors, vector) = unsafe { (&mut *vectors, &mut *vector) };
    *vector = vectors.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `vectors` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_vectors_close(vectors: *mut Vectors) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(vectors) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Policies that have a hardware cell.
    const VARIANTS: [&str; 5] = [
        "dibs",
        "dibs-first-open",
        "dibs-load-aware",
        "dibs-flow",
        "dibs-probabilistic",
    ];

    #[test]
    fn the_rows_are_those_of_the_shipped_tables() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
        for name in VARIANTS {
            let shipped = fs::read_to_string(folder.join(format!("buffer-{name}.csv"))).unwrap();
            let rows = shipped.lines().count() as u32 - 1;
            assert!(rows >= 64, "{name}: {rows} rows");
            let ours = table(name, rows, Seed(1)).unwrap();
            let differs = ours.lines().zip(shipped.lines()).find(|(a, b)| a != b);
            assert_eq!((differs, ours.len()), (None, shipped.len()), "{name}");
        }
        assert!(vectors("dips", Seed(1)).is_none());
    }

    #[test]
    fn unmarked_data_reads_as_the_largest_rank() {
        let policy = buffer("dibs-probabilistic").unwrap();
        let rows = policy.rows(Seed(1)).take(64);
        let (unmarked, marked): (Vec<Row>, Vec<Row>) =
            rows.partition(|row| row.cell("rank_bytes") == Some(""));
        let largest = |row: &Row| read(policy.entry, row).rank == u32::MAX;
        assert!(!unmarked.is_empty() && unmarked.iter().all(largest));
        assert!(!marked.iter().any(largest));
    }

    #[test]
    fn a_row_reads_as_the_numbers_that_stand_in_it() {
        // The first two rows of conformance/vectors/buffer-dibs.csv.
        let rows: Vec<Vector> = vectors("dibs", Seed(1)).unwrap().take(2).collect();
        let first = rows[0];
        assert_eq!((first.ports, first.want, first.ingress), (8, 5, 3));
        assert_eq!(
            (first.to_switch, first.candidates, first.fits),
            (0xa0, 0xa0, 0x09)
        );
        assert_eq!(first.packets, [80, 100, 100, 92, 100, 100, 100, 100]);
        assert_eq!(first.bytes[0], 121_440);
        assert_eq!(
            (first.draws, first.draws_taken),
            ([0xbdf4_23e5, 0xccdb_3eee], 1)
        );
        assert_eq!((first.verdict, first.spent, first.mark), (DROP, 0, 0));
        assert_eq!(
            (first.mark_at, first.max_detours, first.ingress_allowed),
            (20, 0, 1)
        );
        let second = rows[1];
        assert_eq!((second.verdict, second.port, second.mark), (ENQUEUE, 4, 1));
        assert_eq!((second.mark_at, second.mark_in_bytes), (5, 0));
        assert_eq!(second.packets[6..], [0, 0], "six ports");
    }

    #[test]
    fn settings_are_read_and_every_verdict_occurs() {
        for name in VARIANTS {
            let rows: Vec<Vector> = vectors(name, Seed(3)).unwrap().take(2_000).collect();
            for verdict in [ENQUEUE, DETOUR, DROP] {
                assert!(rows.iter().any(|v| v.verdict == verdict), "{name}");
            }
            assert!(rows.iter().any(|v| v.spent == 1) && rows.iter().all(|v| v.verdict != OTHER));
            assert!(
                rows.iter()
                    .any(|v| v.ingress_allowed == 0 && v.candidates != v.to_switch)
            );
            let most = rows.iter().map(|v| v.draws_taken).max();
            assert_eq!(most, buffer(name).map(|policy| policy.nature.draws));
        }
        let rows = vectors("dibs-probabilistic", Seed(3)).unwrap().take(2_000);
        let lines: Vec<(u32, u32, u32)> =
            rows.map(|v| (v.start, v.full, v.line_in_bytes)).collect();
        assert!(lines.contains(&(50, 100, 0)) && lines.iter().any(|line| line.0 != 50));
    }
}
