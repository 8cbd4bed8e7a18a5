//! Schemes and scenarios that come with Sidestep, by name, and the files they read.
//!
//! The build finds them: a new one is one file and no line anywhere. Its comment `# listed: 25` is
//! its rank in listings; without one it comes last.

use sidestep_sim::Files;

/// A name and the text of its file.
pub type Shipped = (&'static str, &'static str);

/// The shipped schemes, every file of `schemes/`, in the order in which they are listed.
pub const SCHEMES: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/schemes.rs"));

/// The shipped scenarios, every file of `scenarios/`, in the order in which they are listed.
pub const SCENARIOS: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The profiles, every file of `profiles/`, in the order in which they are listed.
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

/// The files that shipped scenarios may read, every table of `data/`, by path.
const FILES: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/data.rs"));

/// Reads a user's files, and where there is none the shipped one of that path.
pub(crate) struct OrShipped<'a>(pub &'a dyn Files);

impl Files for OrShipped<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let own = self.0.read(path);
        own.or_else(|why| text(FILES, path).map(str::to_string).ok_or(why))
    }
}

/// The text of the shipped scheme `name`.
pub fn scheme(name: &str) -> Option<&'static str> {
    text(SCHEMES, name)
}

/// The text of the profile `name`.
pub fn profile(name: &str) -> Option<&'static str> {
    text(PROFILES, name)
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
