//! Schemes and scenarios that ship with Sidestep, by name, and the files they read.
//!
//! The build finds them: to add one, add its file; no list needs an entry. Its comment `# listed: 25` is
//! its rank in listings; a file without one comes last.

use sidestep_sim::Files;

/// Name and text of a shipped file.
pub type Shipped = (&'static str, &'static str);

/// Shipped schemes, every file of `schemes/`, in listing order.
pub const SCHEMES: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/schemes.rs"));

/// Shipped scenarios, every file of `scenarios/`, in listing order.
pub const SCENARIOS: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// Shipped profiles, every file of `profiles/`, in listing order.
pub const PROFILES: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// Names of the profiles, the words of `profile`.
pub const PROFILE_NAMES: &[&str] = &{
    let mut names = [""; PROFILES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = PROFILES[i].0;
        i += 1;
    }
    names
};

/// Files that shipped scenarios may read, every table of `data/`, by path.
const FILES: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/data.rs"));

/// Reads a user's files, and the shipped file of the same path if the user has none.
pub(crate) struct OrShipped<'a>(pub &'a dyn Files);

impl Files for OrShipped<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let own = self.0.read(path);
        own.or_else(|why| text(FILES, path).map(str::to_string).ok_or(why))
    }
}

/// Returns the text of the shipped scheme `name`.
pub fn scheme(name: &str) -> Option<&'static str> {
    text(SCHEMES, name)
}

/// Returns the text of the profile `name`.
pub fn profile(name: &str) -> Option<&'static str> {
    text(PROFILES, name)
}

/// Returns the text of the shipped scenario `name`.
pub fn scenario(name: &str) -> Option<&'static str> {
    text(SCENARIOS, name)
}

fn text(shipped: &[Shipped], name: &str) -> Option<&'static str> {
    shipped
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, text)| *text)
}
