//! Notes of a switch agree with its counters: every frame, and the queue lengths.

use sidestep_softswitch::frame::sample::Sample;
use sidestep_softswitch::machine::Machine;
use sidestep_softswitch::process::clock::Clock;
use sidestep_softswitch::process::notes::{NoteKind, Notes, read};
use sidestep_softswitch::setup::Setup;
use sidestep_types::{PortId, Time};

/// Returns a switch with three hosts, and a delay of 5 us to the third.
fn star() -> Setup {
    let mut text = "[switch]\ncapacity = \"3 pkt\"\n".to_string();
    for (port, delay) in [("a", 0), ("b", 0), ("c", 5)] {
        text += &format!(
            "[[port]]\ninterface = \"{port}\"\nrate = \"1 Gbps\"\ndelay = \"{delay} us\"\n"
        );
    }
    text +=
        "[[station]]\nmac = \"02:00:00:00:00:03\"\naddresses = [\"10.77.0.3\"]\nports = [\"c\"]\n";
    Setup::read("star.toml", &text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn what_is_noted_is_what_is_counted_and_frames_leave_when_their_last_bit_does() {
    let mut machine = Machine::new(&star()).unwrap();
    let quiet = Time::from_ms(1);
    let before = machine.counters(quiet);
    let notes = Notes::begin();
    machine.watch(Some(Box::new(notes.watcher(Clock::start()))));
    for (step, from) in (0..8u64).zip([0, 1, 0, 1, 0, 1, 0, 1]) {
        let frame = Sample::tcp(from as u8 + 1, 3, 1000).bytes();
        machine.receive(quiet + Time::from_us(3 * step), PortId(from), &frame);
    }
    while let Some(departure) = machine.poll_send(quiet + Time::from_ms(1)) {
        machine.release(departure.handle);
    }
    let after = machine.counters(quiet + Time::from_ms(1));
    machine.watch(None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes");
    notes.write(&path).unwrap();
    let (about, notes) = read(&path).unwrap();
    assert_eq!((about.lost, about.others), (0, 0));
    let mut queue: Vec<(u64, i64)> = Vec::new();
    let mut drops = 0;
    let mut departures = Vec::new();
    for note in &notes {
        match note.what {
            NoteKind::Queued {
                from,
                port,
                wanted,
                changes,
            } => {
                assert_eq!((port, wanted, changes), (2, 2, 0));
                assert!(from == Some(0) || from == Some(1));
                queue.push((note.at_ps, 1));
            }
            NoteKind::Left { port, out_ps } => {
                assert_eq!((port, out_ps), (2, note.at_ps + 5_000_000));
                queue.push((note.at_ps, -1));
                departures.push(note.at_ps);
            }
            NoteKind::Dropped { wanted, .. } => {
                assert_eq!(wanted, 2);
                drops += 1;
            }
            NoteKind::Evicted { .. } => panic!("{note:?}"),
        }
        assert_eq!(note.segment.payload, 1000);
    }
    // Frames of 1078 B on the link, one after the other.
    let wire = Time::from_ns(8 * 1078);
    let steps = departures.windows(2).map(|two| two[1] - two[0]);
    assert!(
        steps.eq([wire.ps(); 2]
            .into_iter()
            .cycle()
            .take(departures.len() - 1))
    );
    let (third, then) = (&after.ports[2], &before.ports[2]);
    assert_eq!(drops, third.drops["full"] - then.drops["full"]);
    assert_eq!(
        departures.len() as u64,
        third.frames.tx_frames - then.frames.tx_frames
    );
    assert_eq!(departures.len() as u64 + drops, 8);
    assert!(drops > 0 && departures.len() > 3);
    queue.sort_unstable();
    let lengths = queue.iter().scan(0, |length, (_, step)| {
        *length += step;
        Some(*length)
    });
    assert_eq!(lengths.max(), Some(3));
}
