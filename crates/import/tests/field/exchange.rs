//! Law of captures: messages of a generated exchange come out with exactly their bytes, whatever TCP had to do.

use crate::build::Capture;
use crate::build::End::{Client, Server};
use crate::{count, read, rows};
use proptest::prelude::*;
use sidestep_import::Options;

const M: u32 = 1460;

/// Message of the server: bytes, pause before it in milliseconds, lost segments with the number of losses of each,
/// and neighbours that change places in the capture.
#[derive(Clone, Debug)]
struct Message {
    bytes: u32,
    pause: u64,
    lost: Vec<(u32, u32)>,
    swapped: Vec<u32>,
}

fn message() -> impl Strategy<Value = Message> {
    let lost = prop::collection::vec((0u32..40, 1u32..4), 0..6);
    let swapped = prop::collection::vec(0u32..40, 0..6);
    (1u32..50_000, 12u64..3_000, lost, swapped).prop_map(|(bytes, pause, lost, swapped)| Message {
        bytes,
        pause,
        lost,
        swapped,
    })
}

/// Writes the messages; returns their starts in microseconds, and the bytes that were sent again.
fn write(
    c: &mut Capture,
    messages: &[Message],
    acknowledged: bool,
    alive: bool,
) -> (Vec<u64>, u64) {
    let (mut at, mut from, mut again) = (1_000, 0, 0);
    let mut starts = Vec::new();
    let (mut latest, mut previous) = (0, 0);
    for message in messages {
        // A byte alone that is sent again without an acknowledgement in sight may be a repeat.
        let told = acknowledged || latest != 1;
        latest = message.bytes % M;
        if alive && told && from > 0 && message.pause > 100 {
            c.data(at + 50_000, Server, from - 1, 1);
        }
        at += message.pause * 1_000;
        starts.push(at);
        let many = message.bytes.div_ceil(M);
        let part = |i: u32| (from + i * M, (message.bytes - i * M).min(M));
        let mut order: Vec<u32> = (0..many).collect();
        for i in &message.swapped {
            if i + 1 < many {
                order.swap(*i as usize, *i as usize + 1);
            }
        }
        for i in order {
            let (first, bytes) = part(i);
            c.data(at, Server, first, bytes as usize);
            previous = bytes;
            at += 12;
        }
        let mut left: Vec<u32> = vec![0; many as usize];
        for (i, losses) in &message.lost {
            if *i < many {
                left[*i as usize] = *losses;
            }
        }
        let mut timer = 200_000;
        while let Some(hole) = left.iter().position(|losses| *losses > 0) {
            if acknowledged {
                c.ack(at + 100, Client, part(hole as u32).0);
            }
            at += timer;
            timer *= 2;
            for (i, losses) in left.iter_mut().enumerate().skip(hole) {
                if *losses > 0 {
                    let (first, bytes) = part(i as u32);
                    c.data(at, Server, first, bytes as usize);
                    // The last byte alone, once more after a longer segment, looks like a keep-alive.
                    let alone = bytes == 1 && first + 1 == from + message.bytes;
                    let told = !alone || previous == 1;
                    if told {
                        again += u64::from(bytes);
                        previous = bytes;
                    }
                    *losses -= 1;
                    at += 12;
                }
            }
        }
        from += message.bytes;
        if acknowledged {
            c.ack(at + 100, Client, from);
            at += 100;
        }
    }
    (starts, again)
}

proptest! {
    #[test]
    fn messages_come_out_with_their_bytes_and_starts(
        messages in prop::collection::vec(message(), 1..6),
        acknowledged: bool,
        opened: bool,
        alive: bool,
        number: u32,
    ) {
        let mut c = Capture::new();
        c.numbers[1] = number;
        if opened {
            c.open(0);
        }
        let (starts, again) = write(&mut c, &messages, acknowledged, alive);
        let imported = read("c", &c.bytes, &Options::new()).unwrap();
        let expected: Vec<String> = messages.iter().zip(&starts).map(|(of, at)| {
            format!("{} {} B", at - starts[0], of.bytes)
        }).collect();
        let cells = rows(&imported).into_iter().map(|row| row.split(',').collect::<Vec<_>>());
        let got: Vec<String> = cells.map(|cells| format!("{} {}", cells[0], cells[3])).collect();
        prop_assert_eq!(got, expected);
        let what = "payload bytes that were sent or captured again";
        prop_assert_eq!(count(&imported.dropped, what), again);
        let missing = |note: &&String| note.contains("missing from") || note.contains("jump by");
        prop_assert_eq!(imported.notes.iter().find(missing), None);
    }
}
