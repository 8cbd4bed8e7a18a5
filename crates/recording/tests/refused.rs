//! Tests of refused recordings and their messages, of absent panics, and of unchanged bytes of a recording.

use crate::common::{sample, written};
use sidestep_recording::{Event, EventKind, Flow, Head, KINDS, Reader, State, Tail, Writer};
use std::path::PathBuf;

/// Opens and verifies a recording; returns the message if it is refused.
fn refused(bytes: &[u8]) -> Option<String> {
    let reader = match Reader::open(bytes) {
        Ok(reader) => reader,
        Err(e) => return Some(e.to_string()),
    };
    reader.verify().err().map(|e| e.to_string())
}

#[test]
fn a_file_that_is_no_recording_is_told() {
    let words = "the file is not a recording: at byte 0: expected \"\\x89SREC\\r\\n\\x1a\", got \
                 \"PAR1\"";
    assert_eq!(refused(b"PAR1").as_deref(), Some(words));
    assert!(refused(b"").unwrap().ends_with("got \"\""));
    // A transfer in text mode removes carriage returns.
    let text: Vec<u8> = written(&sample(40))
        .iter()
        .copied()
        .filter(|b| *b != b'\r')
        .collect();
    assert!(
        refused(&text)
            .unwrap()
            .starts_with("the file is not a recording")
    );
}

#[test]
fn a_newer_version_is_told() {
    let mut bytes = written(&sample(40));
    bytes[8] = 3;
    let words = "the recording has an unsupported version: at byte 8: expected version 1 to 2 (a \
                 newer sidestep reads newer versions), got version 3";
    assert_eq!(refused(&bytes).as_deref(), Some(words));
}

#[test]
fn a_recording_that_is_cut_off_anywhere_is_refused() {
    let bytes = written(&sample(400));
    assert_eq!(refused(&bytes), None);
    for end in 0..bytes.len() {
        assert!(refused(&bytes[..end]).is_some(), "{end} of {}", bytes.len());
    }
    let words = refused(&bytes[..bytes.len() - 1]).unwrap();
    assert!(
        words.starts_with("the recording is cut off: at its end, byte "),
        "{words}"
    );
}

#[test]
fn a_recording_with_a_wrong_byte_anywhere_is_refused() {
    let bytes = written(&sample(400));
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut wrong = bytes.clone();
            wrong[at] ^= flip;
            assert!(refused(&wrong).is_some(), "byte {at} of {}", bytes.len());
        }
    }
}

#[test]
fn a_damaged_chunk_is_told_with_its_place_and_checksums() {
    let bytes = written(&sample(400));
    let reader = Reader::open(&bytes).unwrap();
    let at = reader.chunks()[0].offset as usize;
    let mut wrong = bytes.clone();
    wrong[at + 20] ^= 4;
    let words = refused(&wrong).unwrap();
    let begins =
        format!("the chunk of the recording is damaged: at byte {at}: expected the checksum ");
    assert!(words.starts_with(&begins), "{words}");
}

#[test]
fn a_section_that_says_it_is_larger_than_it_may_be_takes_no_memory() {
    let bytes = written(&sample(40));
    let at = Reader::open(&bytes).unwrap().chunks()[0].offset as usize;
    let mut wrong = bytes;
    wrong[at + 1..at + 5].copy_from_slice(&u32::MAX.to_le_bytes());
    let words = refused(&wrong).unwrap();
    assert!(words.contains("is too large: "), "{words}");
    assert!(
        words.ends_with("expected at most 67108864 bytes unpacked, got 4294967295"),
        "{words}"
    );
}

#[test]
#[should_panic(expected = "is impossible: packet 9 was not sent")]
fn a_driver_that_tells_of_what_cannot_be_is_wrong() {
    let mut writer = Writer::begin(&crate::common::head(), Default::default());
    writer.push(Event {
        at: 0,
        what: EventKind::Dequeue { port: 0, packet: 9 },
    });
}

#[test]
#[should_panic(expected = "an event at 4 ps comes after one at 5 ps")]
fn a_driver_that_tells_of_the_past_is_wrong() {
    let mut writer = Writer::begin(&crate::common::head(), Default::default());
    for at in [5, 4] {
        let what = EventKind::Link {
            port: 0,
            rate_bps: 1,
        };
        writer.push(Event { at, what });
    }
}

/// Checks the bytes of version 1: a fuzzer starts from them, and every later reader must read them.
/// `UPDATE_GOLDEN=1` writes them anew. Other bytes for the same events need a new version, unless the library
/// that packs them changed.
#[test]
fn the_bytes_of_a_recording_are_those_that_were_kept() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/recording");
    let events = sample(300);
    let bytes = written(&events);
    let kinds = |kind| events.iter().any(|event| event.what.kind() == kind);
    assert!(KINDS.iter().all(|kind| kinds(*kind)), "a kind is missing");
    let file = folder.join("whole");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &bytes).unwrap();
    }
    let kept = std::fs::read(&file).unwrap();
    assert!(
        kept == bytes,
        "{} bytes, kept are {}",
        bytes.len(),
        kept.len()
    );
    let reader = Reader::open(&kept).unwrap();
    assert_eq!(reader.chunk(0).unwrap().events, events);
    assert_eq!(reader.tail().to, Tail::default().to);
    // The same recording, packed by another library.
    let other = std::fs::read(folder.join("packed-otherwise")).unwrap();
    assert!(other != kept);
    let reader = Reader::open(&other).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.chunk(0).unwrap().events, events);
}

/// Checks the bytes of version 2, in which queues are measured.
#[test]
fn the_bytes_of_a_recording_of_some_packets_are_those_that_were_kept() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/recording/sampled");
    let events = sample(300);
    let head = Head {
        measured: true,
        packets: "some".into(),
        ..crate::common::head()
    };
    let mut state = State::measured(crate::common::PORTS as usize);
    state.measure(3, 7, 9000);
    let mut writer = Writer::begin(&head, state.clone());
    events.iter().for_each(|event| writer.push(*event));
    let bytes = writer.finish(Tail::default());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &bytes).unwrap();
    }
    let kept = std::fs::read(&file).unwrap();
    assert!(kept == bytes, "{} bytes, kept {}", bytes.len(), kept.len());
    assert_eq!((kept[8], kept[9]), (2, 0));
    let reader = Reader::open(&kept).unwrap();
    reader.verify().unwrap();
    let chunk = reader.chunk(0).unwrap();
    assert_eq!((&chunk.state, &chunk.events), (&state, &events));
    // A queue has the length that was measured last, whatever waits there.
    let (mut said, mut seen) = ([(0, 0); crate::common::PORTS as usize], 0);
    said[3] = (7, 9000);
    for event in &events {
        if let EventKind::Depth {
            port,
            packets,
            bytes,
        } = event.what
        {
            said[port as usize] = (packets, bytes);
            seen += 1;
        }
    }
    let last = reader.state_at(u64::MAX).unwrap();
    let depths = (0..crate::common::PORTS).map(|port| last.depth(port));
    assert_eq!(depths.collect::<Vec<_>>(), said);
    assert!(seen > 8);
}

#[test]
fn a_tail_of_a_million_flows_is_written_and_says_what_it_leaves_out() {
    let tail = Tail {
        flows: (0..1_000_000)
            .map(|id| Flow {
                id,
                ..Flow::default()
            })
            .collect(),
        ..Tail::default()
    };
    let bytes = Writer::begin(&crate::common::head(), State::default()).finish(tail);
    let reader = Reader::open(&bytes).unwrap();
    reader.verify().unwrap();
    let (kept, left) = (reader.tail().flows.len() as u64, reader.tail().left_out);
    assert!(kept > 600_000, "{kept}");
    assert_eq!(left.map(|left| left.flows), Some(1_000_000 - kept));
}

#[test]
fn what_was_seen_and_cannot_be_is_refused_and_changes_nothing() {
    let mut writer = Writer::begin(&crate::common::head(), State::default());
    let gone = Event {
        at: 0,
        what: EventKind::Dequeue { port: 0, packet: 9 },
    };
    assert_eq!(writer.offer(gone), Err("packet 9 was not sent".into()));
    let bytes = writer.finish(Tail::default());
    assert_eq!(bytes, written(&[]));
}
