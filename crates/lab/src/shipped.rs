//! Schemes and scenarios that come with Sidestep, by name.

/// A name and the text of its file.
pub type Shipped = (&'static str, &'static str);

/// Writes one list of shipped files.
macro_rules! shipped {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../", $folder, "/", $name, ".toml"))),)*]
    };
}

/// The shipped schemes, in the order in which they are listed.
pub const SCHEMES: &[Shipped] = shipped!("schemes": "dctcp" "dibs" "tcp" "tcp-ecn" "infinite");

/// The shipped scenarios, in the order in which they are listed.
pub const SCENARIOS: &[Shipped] = shipped!("scenarios": "quickstart");

/// The text of the shipped scheme `name`.
pub fn scheme(name: &str) -> Option<&'static str> {
    text(SCHEMES, name)
}

/// The text of the shipped scenario `name`.
pub fn scenario(name: &str) -> Option<&'static str> {
    text(SCENARIOS, name)
}

fn text(shipped: &[Shipped], name: &str) -> Option<&'static str> {
    shipped
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, text)| *text)
}
