//! Fuzzes the reader of checkpoints with any bytes: a file or, after a `w`, the state of a small run, which
//! then needs no checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_lab::{Scenario, Session, checkpoint};
use sidestep_sim::{NoFiles, TraceFilter};
use std::sync::OnceLock;

/// Smallest network with everything: ranked ports, shims, a decision at the NIC.
const TEXT: &str = "duration = \"1 ms\"\nschemes = [\"vertigo\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [workload.query]\nkind = \"incast\"\ndegree = 3\nsize = \"10 kB\"\n";

fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((b'w', state)) => go_on(state),
    _ => {
        if let Ok((_, body)) = checkpoint::read_head(bytes) {
            go_on(body);
        }
    }
});

/// Continues from a state: it is refused, or it can be written and read again to the same bytes.
fn go_on(state: &[u8]) {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    let scenario = SCENARIO.get_or_init(|| {
        Scenario::read("t.toml", TEXT, &[], &NoFiles).expect("the scenario is right")
    });
    let begin =
        || -> Session { Session::new(scenario, 0, 1, TraceFilter::None).expect("a session") };
    if let Ok(session) = checkpoint::go_on(begin(), state) {
        let body = checkpoint::body_of(&session).expect("it was kept before");
        let again = checkpoint::go_on(begin(), &body).expect("what is written is read");
        assert_eq!(checkpoint::body_of(&again), Ok(body));
    }
}
