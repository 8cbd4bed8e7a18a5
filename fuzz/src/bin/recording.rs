//! Fuzzes the reader of recordings with any bytes. If the first byte is `c` or `m`, the rest is an unpacked
//! chunk of a network of eight ports, whose queues are measured with `m`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_recording::{Chunk, Head, Link, Reader, Tail, Writer, fuzz_chunk};

/// Ports of a fuzzed chunk's network.
const PORTS: usize = 8;

fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((first @ (b'c' | b'm'), raw)) => {
        let measured = *first == b'm';
        if let Some(chunk) = fuzz_chunk(raw, PORTS, measured) {
            read_chunk(chunk, measured);
        }
    }
    _ => read_file(bytes),
});

/// Reads a file, which must not panic.
fn read_file(bytes: &[u8]) {
    let Ok(reader) = Reader::open(bytes) else {
        return;
    };
    let _ = reader.verify();
    for at in [0, 1_000_000, u64::MAX] {
        let _ = reader.state_at(at);
        let _ = reader.events((at, u64::MAX), 100, |_| true);
    }
}

/// Writes a chunk that is possible, and reads it back.
fn read_chunk(chunk: Chunk, measured: bool) {
    let mut state = chunk.state.clone();
    if !chunk.events.iter().all(|event| state.apply(event).is_ok()) {
        return;
    }
    let mut head = Head {
        measured,
        ..Head::default()
    };
    head.network.nodes = vec![Default::default()];
    head.network.links = vec![Link::default(); PORTS];
    let mut writer = Writer::begin(&head, chunk.state.clone());
    for event in &chunk.events {
        writer.push(*event);
    }
    assert_eq!(writer.state().ports(), PORTS);
    let written = writer.finish(Tail::default());
    let reader = Reader::open(&written).expect("what is written is read");
    reader.verify().expect("what is written can be");
    assert_eq!(reader.chunk(0).expect("a chunk"), chunk);
}
