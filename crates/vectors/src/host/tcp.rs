//! TCP settings for the rows of receivers and senders.

use crate::settings::{Others, Setting, changed, drawn_settings};
use sidestep_transport::{Ack, ENTRIES, PARAMS, TcpConfig, build};
use sidestep_types::{Param, Seed, Values};

/// Returns the parameter of this name, of every TCP or of one of its controllers.
fn param(name: &str) -> &'static Param {
    let own = ENTRIES.iter().flat_map(|entry| entry.params);
    let found = PARAMS.iter().chain(own).find(|param| param.name == name);
    found.unwrap_or_else(|| panic!("no transport has {name}"))
}

/// Returns the defaults of every TCP with the values of `base`, then each of these parameters changed alone,
/// and `drawn` settings with all of them drawn from the stream of `name`.
pub fn settings(
    name: &str,
    base: &[(&'static str, &str)],
    others: &[(&str, &[&'static str])],
    drawn: usize,
) -> Vec<Setting> {
    let mut defaults = Values::defaults(PARAMS);
    for own in ENTRIES.iter().flat_map(|entry| entry.params) {
        let one = Values::defaults(std::slice::from_ref(own));
        defaults.set(own.name, one.get(own.name).clone());
    }
    let base: Vec<(&str, String)> = base.iter().map(|(n, t)| (*n, t.to_string())).collect();
    let defaults = changed(defaults, |name| Some(param(name)), &base);
    let each = others.iter();
    let others: Vec<Others> = each.map(|(n, texts)| (param(n), texts.to_vec())).collect();
    let mut rng = Seed(0).stream(("settings", name));
    drawn_settings(&defaults, &others, None, drawn, &mut rng, |values| {
        read(values).is_some()
    })
}

fn read(values: &Values) -> Option<TcpConfig> {
    let built = build(&values.word("congestion"), values).ok()?;
    built.tcp().cloned()
}

/// Returns the TCP configuration of a setting.
pub fn config(setting: &Setting) -> TcpConfig {
    read(&setting.values).expect("it was built before")
}

/// Returns the blocks of an acknowledgement in its order, as bytes of the flow. The block of trimmed or
/// duplicate data comes first.
pub fn blocks(ack: &Ack) -> Vec<(u64, u64)> {
    let below = ack.duplicate().filter(|_| ack.below);
    let first = ack.cut_off().or(below);
    first.into_iter().chain(ack.arrived()).collect()
}
