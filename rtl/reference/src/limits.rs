//! Buffer `mulbuff`, for a cell that admits by class: its rows of `sidestep vectors`, and the policy itself for
//! a bench's own packets.

use crate::classes::{CLASSES, text};
use crate::vectors::{number, values};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyBuffer, Buffer, Capacity, Class, Depth, Verdict, buffer};
use sidestep_types::{Bytes, Entry, FlowId, HostId, Kind, Packet, PortId, Rng, Seed, Size, Values};
use sidestep_vectors::{Row, Table, named};
use std::ffi::c_char;

/// Settings of the policy, as the cell has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitSettings {
    /// 1 if the capacity of short flows' queues grows with their number of flows.
    pub grows: u32,
    /// 1 if `per_flow` is in bytes.
    pub sized: u32,
    /// Room for each flow.
    pub per_flow: u32,
    /// Capacity of a queue of short flows, in bytes.
    pub cap: u32,
    /// Capacity of a queue of long flows, in bytes.
    pub product: u32,
    /// First class of long flows.
    pub long: u32,
    /// 1 if packets are marked.
    pub marks: u32,
    /// 1 if `mark_at` is in bytes.
    pub mark_sized: u32,
    /// Depth from which packets are marked.
    pub mark_at: u32,
}

/// Packet, the queue of its class, and the verdict; see `docs/reference/vectors.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limited {
    /// Settings of the policy.
    pub settings: LimitSettings,
    /// Class of service set by the host.
    pub service: u32,
    /// 1 if the packet carries data.
    pub data: u32,
    /// 1 if the port has room for the packet.
    pub room: u32,
    /// Buffer that the packet uses, in bytes.
    pub bytes: u32,
    /// Flows of the class.
    pub flows: u32,
    /// Packets of the class that wait.
    pub packets: u32,
    /// Buffer that these packets use, in bytes.
    pub depth: u32,
    /// 1 if the packet is enqueued.
    pub join: u32,
    /// 1 if the packet is marked, provided it is ECN-capable.
    pub mark: u32,
}

fn entry() -> &'static Entry {
    let found = buffer::ENTRIES.iter().find(|entry| entry.name == "mulbuff");
    found.expect("it is registered")
}

fn settings(values: &Values) -> LimitSettings {
    let size = |size: Size| match size {
        Size::Packets(n) => (n as u32, 0),
        Size::Bytes(b) => (b.0 as u32, 1),
    };
    let [Bytes(total), Bytes(product)] = ["total", "product"].map(|name| values.bytes(name));
    let (per_flow, sized) = size(values.size("per_flow"));
    let mark_at = values.size_or_off("mark_at");
    let mark = mark_at.map_or((0, 0), size);
    LimitSettings {
        grows: u32::from(values.word("sizes") == "per-flow"),
        sized,
        per_flow,
        cap: (total - product) as u32,
        product: product as u32,
        long: values.count("long") as u32,
        marks: u32::from(mark_at.is_some()),
        mark_sized: mark.1,
        mark_at: mark.0,
    }
}

/// Returns the endless rows of `sidestep vectors buffer/mulbuff`.
pub fn limited(seed: Seed) -> impl Iterator<Item = Limited> {
    let policy = named("buffer/mulbuff").pop().expect("it is registered");
    policy.rows(seed).map(|row| read(&row))
}

fn read(row: &Row) -> Limited {
    let cell = |name: &str| row.cell(name).expect("the table has it");
    let service = number(row, "service");
    let of = |name: &str| {
        let word = cell(name).split(' ').nth(service as usize);
        word.map_or(0, |word| word.parse().expect(name))
    };
    let fits = u64::from_str_radix(cell("fits_mask_hex"), 16).expect("a mask");
    let data = cell("kind") == "data" && number(row, "payload_bytes") > 0;
    Limited {
        settings: settings(&values(entry(), cell("settings"))),
        service,
        data: u32::from(data && cell("trimmed") == "0"),
        room: (fits >> number(row, "want_port")) as u32 & 1,
        bytes: number(row, "buffer_bytes"),
        flows: of("class_flows"),
        packets: of("class_packets"),
        depth: of("class_bytes"),
        join: u32::from(cell("verdict") == "enqueue"),
        mark: number(row, "mark"),
    }
}

/// Policy that a bench queries.
pub struct Limits {
    settings: LimitSettings,
    policy: AnyBuffer,
}

impl Limits {
    /// Creates a policy, with `words` as the settings of a row. `None` if it refuses them.
    pub fn new(words: &str) -> Option<Limits> {
        let values = values(entry(), words);
        let policy = AnyBuffer::build("mulbuff", &values, 4, 0).ok()?;
        Some(Limits {
            settings: settings(&values),
            policy,
        })
    }

    /// Fills in `settings`, `join` and `mark`.
    pub fn ask(&mut self, asked: &mut Limited) {
        asked.settings = self.settings;
        let waits = Depth {
            packets: 1 - asked.room,
            bytes: 0,
        };
        let mut queues = StillQueues::new(vec![waits], Capacity::PerPort(Size::Packets(1)));
        queues.classes[0] = vec![Class::default(); CLASSES];
        queues.classes[0][asked.service as usize] = Class {
            depth: Depth {
                packets: asked.packets,
                bytes: asked.depth,
            },
            flows: asked.flows,
        };
        let kind = if asked.data == 1 {
            Kind::Data
        } else {
            Kind::Ack
        };
        let mut packet = Packet::new(kind, FlowId(0), HostId(0), 0);
        packet.len = asked.data as u16;
        packet.wire = asked.bytes as u16;
        packet.set_service(asked.service as u8);
        let want = queues.want_for(PortId(0), &packet);
        let mut rng = Rng::from_seed(0);
        let verdict = self.policy.admit(&packet, want, &mut queues, &mut rng);
        asked.join = u32::from(matches!(verdict, Verdict::Enqueue { .. }));
        asked.mark = u32::from(verdict == Verdict::Enqueue { mark: true });
    }
}

/// Table being read.
pub struct LimitedRows(Box<dyn Iterator<Item = Limited>>);

/// Begins to read the rows of `mulbuff`.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_limited_open(seed: u64) -> *mut LimitedRows {
    Box::into_raw(Box::new(LimitedRows(Box::new(limited(Seed(seed))))))
}

/// Reads the next row.
///
/// # Safety
///
/// `rows` is open, and `row` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_limited_next(rows: *mut LimitedRows, row: *mut Limited) {
    // SAFETY: guaranteed by the caller.
    let (rows, row) = unsafe { (&mut *rows, &mut *row) };
    *row = rows.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `rows` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_limited_close(rows: *mut LimitedRows) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(rows) });
}

/// Creates a policy. Returns null if it refuses these settings.
///
/// # Safety
///
/// `words` is a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_limits_open(words: *const c_char) -> *mut Limits {
    // SAFETY: guaranteed by the caller.
    let limits = unsafe { text(words) }.and_then(Limits::new);
    limits.map_or(std::ptr::null_mut(), |one| Box::into_raw(Box::new(one)))
}

/// Decides about a packet. Reads the fields of `asked` between `settings` and `join`, and writes the others.
///
/// # Safety
///
/// `limits` is open, and `asked` points to a `Limited`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_limits_ask(limits: *mut Limits, asked: *mut Limited) {
    // SAFETY: guaranteed by the caller.
    let (limits, asked) = unsafe { (&mut *limits, &mut *asked) };
    limits.ask(asked);
}

/// Ends a policy.
///
/// # Safety
///
/// `limits` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_limits_close(limits: *mut Limits) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(limits) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_rows_are_those_of_the_shipped_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
        let shipped = fs::read_to_string(folder.join("buffer-mulbuff.csv")).unwrap();
        let rows = shipped.lines().count() as u32 - 1;
        assert!(rows >= 256, "{rows} rows");
        let policy = named("buffer/mulbuff").pop().unwrap();
        let ours = policy.table(rows, Seed(1));
        let differs = ours.lines().zip(shipped.lines()).find(|(a, b)| a != b);
        assert_eq!((differs, ours.len()), (None, shipped.len()));
    }

    #[test]
    fn a_policy_that_is_asked_a_row_answers_it() {
        let policy = named("buffer/mulbuff").pop().unwrap();
        let mut verdicts = [[0; 2]; 2];
        for row in policy.rows(Seed(2)).take(1600) {
            let expected = read(&row);
            let words = row.cell("settings").unwrap();
            let mut asked = Limited {
                settings: LimitSettings::default(),
                join: 9,
                mark: 9,
                ..expected
            };
            Limits::new(words).unwrap().ask(&mut asked);
            assert_eq!(asked, expected, "{words}");
            verdicts[asked.join as usize][asked.room as usize] += 1;
        }
        assert!(verdicts[0][0] > 100 && verdicts[0][1] > 100 && verdicts[1][1] > 100);
        assert!(Limits::new("product=1 kB").is_none());
    }

    #[test]
    fn settings_are_read() {
        let rows: Vec<Limited> = limited(Seed(1)).take(640).collect();
        let first = LimitSettings {
            grows: 1,
            sized: 0,
            per_flow: 3,
            cap: 225_000,
            product: 25_000,
            long: 1,
            marks: 1,
            mark_sized: 0,
            mark_at: 20,
        };
        assert_eq!(rows[0].settings, first);
        let seen = |is: &dyn Fn(&LimitSettings) -> bool| rows.iter().any(|row| is(&row.settings));
        assert!(seen(&|s| s.grows == 0) && seen(&|s| s.long == 2) && seen(&|s| s.marks == 0));
        assert!(seen(&|s| (s.sized, s.per_flow) == (1, 12_000)) && seen(&|s| s.product == 3_000));
        assert!(seen(&|s| (s.mark_sized, s.mark_at) == (1, 12_000)));
    }
}
