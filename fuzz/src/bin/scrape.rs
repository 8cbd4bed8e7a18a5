//! Fuzzes the metrics endpoint of a software switch with any bytes as a request, in any number of pieces.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::process::metrics::request::{LONGEST, head, read, refused};

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes);
    // In pieces: the first answer must be the answer to the whole request.
    let pieces = (0..bytes.len()).step_by(1 + bytes.len() / 32);
    let early = pieces.filter_map(|end| read(&bytes[..end])).next();
    assert!(early.is_none() || early == whole, "{early:?}, {whole:?}");
    assert!(whole.is_some() || bytes.len() < LONGEST);
    let answer = match whole {
        None => return,
        Some(Ok(_)) => head(bytes.len()),
        Some(Err(refusal)) => refused(&refusal),
    };
    // The answer has nothing of the request: it is one head, and at most one line.
    assert!(answer.is_ascii());
    let (top, rest) = answer.split_once("\r\n\r\n").expect("a head ends");
    assert!(
        top.lines().count() <= 6 && rest.lines().count() <= 1,
        "{answer}"
    );
});
