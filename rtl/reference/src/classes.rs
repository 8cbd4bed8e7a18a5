//! Schedulers `ps` and `wps` and their exact count of flows, for cells that serve and count by class: their
//! rows of `sidestep vectors`, and the schedulers themselves for a bench's own packets.

use crate::queue::{EVICT, NONE, POP, PUSH};
use crate::vectors::{number, values};
use sidestep_switch::{AnySched, Sched, sched};
use sidestep_types::{Entry, FlowId, HostId, Kind, Packet, Seed, Time, Values};
use sidestep_vectors::{Row, Table, named};
use std::ffi::{CStr, c_char};

/// Largest number of classes of a port.
pub const CLASSES: usize = 8;

/// Operation: a packet is counted but does not join.
pub const SEE: u32 = 3;

/// Data with payload.
pub const DATA: u32 = 0;
/// Acknowledgement.
pub const ACK: u32 = 1;
/// First packet of a connection.
pub const SYN: u32 = 2;

/// Settings of a scheduler, as the cells have them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassSettings {
    /// Time for which a silent flow stays counted, in ps.
    pub silence: u64,
    /// Number of classes.
    pub classes: u32,
    /// Quantum of the class with the largest share, in bytes.
    pub quantum: u32,
    /// Weight of one flow of each class; 0 if classes share equally.
    pub weights: [u32; CLASSES],
    /// 1 if the count of flows is exact.
    pub exact: u32,
    /// Flows that the table of a class holds.
    pub places: u32,
}

/// Operation on a port, and the state of its classes after it; see `docs/reference/vectors.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassStep {
    /// Current time, in ps.
    pub now: u64,
    /// Number of the flow in the upper half, its hash in the lower.
    pub key: u64,
    /// Settings of the scheduler.
    pub settings: ClassSettings,
    /// Step of the sequence: at 0 the scheduler is new. Identifies the packet pushed.
    pub step: u32,
    /// Operation: [`PUSH`], [`POP`], [`EVICT`] or [`SEE`].
    pub operation: u32,
    /// Kind of the packet: [`DATA`], [`ACK`] or [`SYN`].
    pub kind: u32,
    /// Class of service set by the host.
    pub service: u32,
    /// Size on the link, in bytes.
    pub wire: u32,
    /// 1 if the packet ends its flow.
    pub ends: u32,
    /// Class whose queue the packet joins, and with whose flows it is counted.
    pub class: u32,
    /// Step that pushed the packet which left; [`NONE`] if none left.
    pub answer: u32,
    /// Packets waiting in each class.
    pub packets: [u32; CLASSES],
    /// Bytes of link time waiting in each class.
    pub bytes: [u32; CLASSES],
    /// Number of flows in each class.
    pub flows: [u32; CLASSES],
}

fn entry(name: &str) -> Option<&'static Entry> {
    let found = sched::ENTRIES.iter().find(|entry| entry.name == name);
    found.filter(|entry| ["ps", "wps"].contains(&entry.name))
}

fn settings(entry: &Entry, values: &Values) -> ClassSettings {
    let classes = values.count("classes") as u32;
    let mut weights = [0; CLASSES];
    if entry.name == "wps" {
        let given = values.counts("weights");
        for (class, weight) in weights.iter_mut().enumerate() {
            *weight = *given.get(class).unwrap_or(&given[given.len() - 1]) as u32;
        }
    }
    ClassSettings {
        silence: values.time("silence").ps(),
        classes,
        quantum: values.bytes("quantum").0 as u32,
        weights,
        exact: u32::from(values.word_or_off("count").as_deref() == Some("exact")),
        places: values.count("places") as u32,
    }
}

/// Returns the endless rows of the scheduler called `name`. `None` if it is neither of the two.
pub fn class_steps(name: &str, seed: Seed) -> Option<impl Iterator<Item = ClassStep>> {
    let policy = entry(name).and_then(|_| named(&format!("sched/{name}")).pop())?;
    Some(policy.rows(seed).map(move |row| read(policy.entry, &row)))
}

fn read(entry: &'static Entry, row: &Row) -> ClassStep {
    let cell = |name: &str| row.cell(name).expect("the table has it");
    let settings = settings(entry, &values(entry, cell("settings")));
    let list = |name: &str| {
        let mut numbers = [0; CLASSES];
        for (slot, word) in numbers.iter_mut().zip(cell(name).split(' ')) {
            *slot = word.parse().expect(name);
        }
        numbers
    };
    let mut step = ClassStep {
        now: cell("now_ps").parse().expect("a time"),
        settings,
        step: number(row, "step"),
        answer: cell("answer_step").parse().unwrap_or(NONE),
        packets: list("class_packets"),
        bytes: list("class_wire_bytes"),
        flows: list("class_flows"),
        operation: match cell("operation") {
            "push" => PUSH,
            "pop" => POP,
            "evict" => EVICT,
            other => unreachable!("{other} is no operation"),
        },
        ..ClassStep::default()
    };
    if step.operation == PUSH {
        let hash = u64::from_str_radix(cell("hash_hex"), 16).expect("a hash");
        step.key = u64::from(number(row, "flow")) << 32 | hash;
        step.kind = if cell("kind") == "ack" { ACK } else { DATA };
        step.service = number(row, "service");
        step.wire = number(row, "wire_bytes");
        step.ends = number(row, "ends");
        step.class = step.service.min(settings.classes - 1);
    }
    step
}

/// Scheduler that a bench queries.
pub struct Classed {
    settings: ClassSettings,
    sched: AnySched,
}

impl Classed {
    /// Creates a scheduler, with `words` as the settings of a row. `None` if there is no such scheduler or it
    /// refuses them.
    pub fn new(name: &str, words: &str) -> Option<Classed> {
        let entry = entry(name)?;
        let values = values(entry, words);
        Some(Classed {
            settings: settings(entry, &values),
            sched: AnySched::build(name, &values, 4, 0).ok()?,
        })
    }

    /// Performs `step`, and fills in `settings` and the fields from `class` on.
    pub fn step(&mut self, step: &mut ClassStep) {
        step.settings = self.settings;
        step.class = step.service.min(self.settings.classes - 1);
        step.answer = NONE;
        match step.operation {
            POP => step.answer = self.sched.pop().unwrap_or(NONE),
            PUSH | SEE => {
                let packet = packet(step);
                if self.sched.counts() {
                    self.sched.see(&packet, Time::from_ps(step.now));
                }
                if step.operation == PUSH {
                    self.sched.push(&packet, step.step);
                }
            }
            other => unreachable!("{other} is no operation"),
        }
        for class in 0..self.settings.classes as usize {
            let queue = self.sched.queue(class as u8);
            step.packets[class] = queue.depth.packets;
            step.bytes[class] = queue.depth.bytes;
            step.flows[class] = queue.flows;
        }
    }
}

fn packet(step: &ClassStep) -> Packet {
    let kind = match step.kind {
        ACK => Kind::Ack,
        SYN => Kind::Syn,
        _ => Kind::Data,
    };
    let flow = FlowId((step.key >> 32) as u32);
    let mut packet = Packet::new(kind, flow, HostId(0), step.key as u32);
    packet.len = u16::from(step.kind == DATA);
    packet.wire = step.wire as u16;
    packet.set_service(step.service as u8);
    packet.set_ends(step.ends == 1);
    packet
}

/// Table being read.
pub struct ClassSteps(Box<dyn Iterator<Item = ClassStep>>);

/// Begins to read the rows of the scheduler called `name`. Returns null if it is neither of the two.
///
/// # Safety
///
/// `name` is a zero-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_class_steps_open(
    name: *const c_char,
    seed: u64,
) -> *mut ClassSteps {
    // SAFETY: guaranteed by the caller.
    let rows = unsafe { text(name) }.and_then(|name| class_steps(name, Seed(seed)));
    rows.map_or(std::ptr::null_mut(), |rows| {
        Box::into_raw(Box::new(ClassSteps(Box::new(rows))))
    })
}

/// Reads the next row.
///
/// # Safety
///
/// `steps` is open, and `step` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_class_steps_next(steps: *mut ClassSteps, step: *mut ClassStep) {
    // SAFETY: guaranteed by the caller.
    let (steps, step) = unsafe { (&mut *steps, &mut *step) };
    *step = steps.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `steps` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_class_steps_close(steps: *mut ClassSteps) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(steps) });
}

/// Creates an empty scheduler. Returns null if there is no such scheduler, or it refuses these settings.
///
/// # Safety
///
/// `name` and `words` are zero-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_classed_open(
    name: *const c_char,
    words: *const c_char,
) -> *mut Classed {
    // SAFETY: guaranteed by the caller.
    let (name, words) = unsafe { (text(name), text(words)) };
    let classed = name
        .zip(words)
        .and_then(|(name, words)| Classed::new(name, words));
    classed.map_or(std::ptr::null_mut(), |one| Box::into_raw(Box::new(one)))
}

/// Performs one operation. Reads the fields of `step` before `class` except `settings`, and writes the others.
///
/// # Safety
///
/// `classed` is open, and `step` points to a `ClassStep`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_classed_step(classed: *mut Classed, step: *mut ClassStep) {
    // SAFETY: guaranteed by the caller.
    let (classed, step) = unsafe { (&mut *classed, &mut *step) };
    classed.step(step);
}

/// Ends a scheduler.
///
/// # Safety
///
/// `classed` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_classed_close(classed: *mut Classed) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(classed) });
}

pub(crate) unsafe fn text<'a>(of: *const c_char) -> Option<&'a str> {
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(of) }.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    const BOTH: [&str; 2] = ["ps", "wps"];

    #[test]
    fn the_rows_are_those_of_the_shipped_tables() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
        for name in BOTH {
            let shipped = fs::read_to_string(folder.join(format!("sched-{name}.csv"))).unwrap();
            let rows = shipped.lines().count() as u32 - 1;
            assert!(rows >= 256, "{name}: {rows} rows");
            let ours = named(&format!("sched/{name}"))
                .pop()
                .unwrap()
                .table(rows, Seed(1));
            let differs = ours.lines().zip(shipped.lines()).find(|(a, b)| a != b);
            assert_eq!((differs, ours.len()), (None, shipped.len()), "{name}");
        }
        assert!(
            class_steps("srpt", Seed(1)).is_none() && Classed::new("fifo", "defaults").is_none()
        );
        assert!(Classed::new("wps", "count=off").is_none());
    }

    #[test]
    fn a_scheduler_that_is_asked_the_rows_of_a_sequence_answers_them() {
        for name in BOTH {
            let policy = named(&format!("sched/{name}")).pop().unwrap();
            let mut sched = None;
            for row in policy.rows(Seed(2)).take(1600) {
                let expected = read(policy.entry, &row);
                let words = row.cell("settings").unwrap();
                if expected.step == 0 {
                    sched = Classed::new(name, words);
                }
                if expected.operation == EVICT {
                    assert_eq!(expected.answer, NONE, "it evicts nothing");
                    continue;
                }
                let mut step = ClassStep {
                    settings: ClassSettings::default(),
                    class: 9,
                    answer: 9,
                    packets: [0; CLASSES],
                    bytes: [0; CLASSES],
                    flows: [0; CLASSES],
                    ..expected
                };
                sched.as_mut().unwrap().step(&mut step);
                if expected.operation == POP {
                    step.class = expected.class;
                }
                assert_eq!(step, expected, "{name} {words}");
            }
        }
    }

    #[test]
    fn settings_are_read_and_every_operation_occurs() {
        let rows: Vec<ClassStep> = class_steps("wps", Seed(1)).unwrap().take(1600).collect();
        let seen = |is: &dyn Fn(&ClassStep) -> bool| rows.iter().any(is) && !rows.iter().all(is);
        assert!([PUSH, POP, EVICT].map(|op| seen(&|row| row.operation == op)) == [true; 3]);
        assert!(seen(&|row| row.settings.classes == 4) && seen(&|row| row.settings.places == 2));
        assert!(seen(&|row| row.settings.weights[..2] == [3, 1]));
        assert!(seen(&|row| row.settings.exact == 1) && seen(&|row| row.settings.quantum == 3000));
        assert!(seen(&|row| row.settings.silence == 5_000_000) && seen(&|row| row.ends == 1));
        assert!(seen(&|row| row.flows[1] > 1) && seen(&|row| row.key >> 32 == 3));
        let rows: Vec<ClassStep> = class_steps("ps", Seed(1)).unwrap().take(16).collect();
        assert!(
            rows.iter()
                .all(|row| row.settings.weights == [0; CLASSES] && row.settings.exact == 0)
        );
    }
}
