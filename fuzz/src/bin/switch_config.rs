//! Fuzzes a software switch's config with any text: it is refused with reasons, or reads back the same when
//! written and makes a switch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::machine::Machine;
use sidestep_softswitch::setup::Setup;

fuzz_target!(|text: &str| {
    let Ok(setup) = Setup::read("fuzz.toml", text) else {
        return;
    };
    let written = setup.to_toml();
    let again = Setup::read("written.toml", &written);
    assert_eq!(again.as_ref(), Ok(&setup), "{written}");
    Machine::new(&setup).expect("a config that reads makes a switch");
});
