//! Any bytes as a frame: refused with a reason, or changed so that it still reads.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::frame::{
    ANSWER_BYTES, LONGEST_FRAME, What, answer_to, lower_ttl, mark_ce, read, trim,
};
use sidestep_softswitch::setup::Mac;

fuzz_target!(|bytes: &[u8]| {
    let Ok(frame) = read(bytes) else {
        return;
    };
    assert!(bytes.len() <= LONGEST_FRAME);
    match frame.what {
        What::Ip(_) => changes(bytes),
        What::Asks(ip) => {
            let mut out = [0; ANSWER_BYTES];
            let length = answer_to(bytes, ip, Mac([2; 6]), true, &mut out);
            let answer = read(&out[..length]);
            assert!(
                matches!(answer, Ok(frame) if frame.what == What::Other),
                "{answer:?}"
            );
        }
        What::Other => {}
    }
});

fn changes(bytes: &[u8]) {
    let mut changed = bytes.to_vec();
    let mut frame = read(bytes).expect("read before");
    let What::Ip(mut ip) = frame.what else {
        panic!("an IP packet before");
    };
    let ttl = ip.ttl;
    lower_ttl(&mut changed, &mut ip);
    mark_ce(&mut changed, &mut ip);
    let again = read(&changed).expect("a changed frame reads");
    assert_eq!(again.what, What::Ip(ip));
    assert_eq!((ip.ttl, ip.ecn), (ttl.saturating_sub(1), 3));
    assert_eq!(again.hash, frame.hash);
    let mut cut = bytes.to_vec();
    if let Some(length) = trim(&mut cut, &mut frame) {
        assert!(length < bytes.len());
        cut.truncate(length);
        let again = read(&cut).expect("a cut frame reads");
        assert_eq!(
            (again.hash, again.what),
            (frame.hash, kind_aside(&again, &frame))
        );
    }
}

/// What a cut frame is, but for its kind: without payload TCP reads as an acknowledgement.
fn kind_aside(
    again: &sidestep_softswitch::frame::Frame,
    frame: &sidestep_softswitch::frame::Frame,
) -> What {
    match (again.what, frame.what) {
        (What::Ip(again), What::Ip(mut ip)) => {
            ip.kind = again.kind;
            What::Ip(ip)
        }
        (_, what) => what,
    }
}
