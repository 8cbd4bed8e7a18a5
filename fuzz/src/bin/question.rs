//! Fuzzes a line on a software switch's control socket with any text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::process::question::Question;

fuzz_target!(|text: &str| {
    let Ok(question) = Question::read(text) else {
        return;
    };
    let written = question.to_json().to_string();
    assert_eq!(
        Question::read(&written).as_ref(),
        Ok(&question),
        "{written}"
    );
});
