//! Conformance vectors: what every switch policy decides, row by row, for hardware to replay.
//!
//! A row holds everything that the decision depends on, the chance included: the draws that
//! the policy would take next stand in it. Rows are drawn from a stream of their own, by
//! the policy's name, the seed and the row's number, so a longer table begins like a shorter one.
//! What the columns mean: `docs/vectors.md`.

mod buffer;
mod route;
mod row;
mod sched;
mod settings;
mod still;

use row::{Row, csv, mask};
use sidestep_lab::suggest;
use sidestep_switch::{buffer as buffers, route as routes, sched as scheds};
use sidestep_types::Entry;
pub use sidestep_types::Seed;

/// A policy and the seam it sits at.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// `buffer`, `route` or `sched`.
    pub seam: &'static str,
    /// Its line in the registry.
    pub entry: &'static Entry,
}

/// Every policy of the three registries, in their order.
pub fn policies() -> impl Iterator<Item = Policy> {
    let seams = [
        ("buffer", buffers::ENTRIES),
        ("route", routes::ENTRIES),
        ("sched", scheds::ENTRIES),
    ];
    let of = |(seam, entries): (&'static str, &'static [Entry])| {
        entries.iter().map(move |entry| Policy { seam, entry })
    };
    seams.into_iter().flat_map(of)
}

/// The policy called `dibs` or, where several seams have one of that name, `buffer/pfabric`.
///
/// Errors say what was probably meant.
pub fn find(word: &str) -> Result<Policy, String> {
    let full = |p: &Policy| format!("{}/{}", p.seam, p.entry.name);
    let named: Vec<Policy> = policies()
        .filter(|p| p.entry.name == word || full(p) == word)
        .collect();
    match named[..] {
        [one] => Ok(one),
        [] => {
            let known: Vec<String> = policies()
                .flat_map(|p| [p.entry.name.to_string(), full(&p)])
                .collect();
            let hint = suggest(word, known.iter().map(String::as_str));
            Err(format!("policy {word:?} is unknown{hint}"))
        }
        _ => {
            let names: Vec<String> = named.iter().map(full).collect();
            let names = names.join(" or ");
            Err(format!(
                "policy {word:?} stands for several: expected {names}"
            ))
        }
    }
}

impl Policy {
    /// The file of the shipped table.
    pub fn file(&self) -> String {
        format!("{}-{}.csv", self.seam, self.entry.name)
    }

    /// `count` rows as CSV, below a row of names.
    pub fn table(&self, count: u32, seed: Seed) -> String {
        match self.seam {
            "buffer" => buffer::table(self.entry, count, seed),
            "route" => route::table(self.entry, count, seed),
            _ => sched::table(self.entry, count, seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    const ROWS: u32 = 64;

    /// Every registered policy has its table, and the table says what the code decides today.
    #[test]
    fn every_policy_has_a_table_and_decides_as_it_says() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
        let mut expected = Vec::new();
        for policy in policies() {
            let (name, now) = (policy.file(), policy.table(ROWS, Seed(1)));
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(folder.join(&name), &now).unwrap();
            }
            let table = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            let differs = now.lines().zip(table.lines()).find(|(new, old)| new != old);
            assert_eq!(
                differs, None,
                "{name}: UPDATE_GOLDEN=1 writes the new table"
            );
            assert_eq!(
                now.len(),
                table.len(),
                "{name}: UPDATE_GOLDEN=1 writes the new table"
            );
            expected.push(name);
        }
        for file in fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(
                expected.contains(&name),
                "{name} is of nothing that is registered"
            );
        }
    }

    #[test]
    fn rows_have_a_cell_for_each_column_and_a_longer_table_begins_like_a_shorter_one() {
        for policy in policies() {
            let (short, long) = (policy.table(20, Seed(7)), policy.table(50, Seed(7)));
            assert!(long.starts_with(&short), "{}", policy.file());
            let columns = short.lines().next().unwrap().split(',').count();
            for line in long.lines() {
                assert_eq!(
                    line.split(',').count(),
                    columns,
                    "{}: {line}",
                    policy.file()
                );
            }
            assert_eq!(long.lines().count(), 51);
            assert_ne!(policy.table(20, Seed(8)), short);
        }
    }

    /// A table that never took a branch would pin nothing of it.
    #[test]
    fn the_tables_hold_every_verdict_that_a_policy_can_give() {
        let column = |text: &str, name: &str| -> Vec<String> {
            let at = text
                .lines()
                .next()
                .unwrap()
                .split(',')
                .position(|c| c == name)
                .unwrap();
            let cell = |line: &str| line.split(',').nth(at).unwrap().to_string();
            text.lines().skip(1).map(cell).collect()
        };
        for policy in policies().filter(|p| p.seam == "buffer") {
            let nature = buffers::nature(policy.entry.name);
            let text = policy.table(ROWS, Seed(1));
            let verdicts = column(&text, "verdict");
            let has = |verdict: &str| verdicts.iter().any(|v| v == verdict);
            assert!(has("enqueue") && has("drop"), "{}", policy.file());
            assert_eq!(has("detour"), nature.detours, "{}", policy.file());
            let draws = column(&text, "draws_taken");
            let two = draws.iter().any(|d| d == "2");
            assert_eq!(two, policy.entry.name == "dibs-probabilistic");
            if policy.entry.name == "red" {
                let early = column(&text, "reason").iter().any(|r| r == "early");
                assert!(early && column(&text, "mark").iter().any(|m| m == "1"));
            }
            assert_eq!(has("trim"), policy.entry.name == "trim");
            assert_eq!(has("evict"), policy.entry.name == "pfabric");
            if nature.detours {
                let reasons = column(&text, "reason");
                for reason in ["full", "detours"] {
                    assert!(reasons.iter().any(|r| r == reason), "{}", policy.file());
                }
                let settings = column(&text, "settings");
                assert!(
                    settings.iter().any(|s| s == "ingress=false"),
                    "{settings:?}"
                );
            }
        }
    }

    #[test]
    fn a_name_of_several_seams_or_of_none_is_refused() {
        assert_eq!(find("dibs").unwrap().file(), "buffer-dibs.csv");
        assert_eq!(find("sched/pfabric").unwrap().file(), "sched-pfabric.csv");
        let said = |word| find(word).unwrap_err();
        assert!(said("pfabric").contains("expected buffer/pfabric or sched/pfabric"));
        assert!(said("dips").contains("\"dips\" is unknown; did you mean \"dibs\"?"));
    }
}
