//! Columns named by hand: `start=ts,size=octets` for files with a header, `src,dst,bytes,start` for files without.
//!
//! **Decision**     a name given by hand wins over the names that a reader knows. Columns that a reader would
//!                  take for the same field are then not used. Other columns keep their meaning.
//! **Errors**       a field that the format does not have, or a column that the header does not have.

use crate::lines::shown;
use crate::units;
use csv::StringRecord;

/// Columns in the order given: a field, and the name of its column in a file with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<(String, Option<String>)>);

impl Columns {
    /// Reads `start=ts,size=octets` or `src,dst,bytes,start`.
    pub fn read(text: &str) -> Result<Columns, String> {
        let expected = "expected pairs like start=ts,size=octets, or for a file without a header the \
                        fields in their order like src,dst,bytes,start";
        let mut all: Vec<(String, Option<String>)> = Vec::new();
        for part in text.split(',') {
            let (field, name) = match part.split_once('=') {
                Some((field, name)) => (field.trim(), Some(name.trim().to_string())),
                None => (part.trim(), None),
            };
            let mixed = all
                .first()
                .is_some_and(|(_, at)| at.is_some() != name.is_some());
            if field.is_empty() || name.as_deref() == Some("") || mixed {
                return Err(format!("{expected}, got {}", shown(text)));
            }
            if field != "-" && all.iter().any(|(known, _)| known == field) {
                return Err(format!(
                    "expected each field once, got {} twice",
                    shown(field)
                ));
            }
            all.push((field.to_string(), name));
        }
        if let [(_, None)] = all[..] {
            return Err(format!("{expected}, got one word {}", shown(text)));
        }
        Ok(Columns(all))
    }

    /// Returns true for the fields of flows in their order.
    pub(crate) fn are_of_flows(&self) -> bool {
        let has = |wanted: &str| self.0.iter().any(|(word, _)| word.starts_with(wanted));
        !self.are_named() && ["start", "src", "dst", "size"].into_iter().all(has)
    }

    /// Returns the columns, where `size=size (kB)` is `size_kb=size (kB)` and `start=t_ms` is `start_ms=t_ms`: sizes and
    /// starts have the unit of their column's name.
    pub(crate) fn with_units(&self) -> Result<Columns, String> {
        let mut all = self.0.clone();
        for (field, name) in &mut all {
            let Some(name) = name.as_deref() else {
                continue;
            };
            if field == "start"
                && let Some(unit) = units::of_time(name)
            {
                *field = format!("start_{unit}");
            }
            if field != "size" {
                continue;
            }
            let unit = units::of(name).map_err(|why| format!("--columns: {why}"))?;
            if let Some(unit) = unit.filter(|unit| !unit.is_byte()) {
                *field = format!("size_{}", unit.word());
            }
        }
        Ok(Columns(all))
    }

    /// Returns true for pairs of a field and the name of its column.
    pub fn are_named(&self) -> bool {
        self.0.iter().all(|(_, name)| name.is_some())
    }

    /// Returns `header` with the names under which a reader knows the fields. `fields` are the words that a user
    /// may write, each with such a name; `role` is the reader's meaning of a name.
    pub(crate) fn renamed<R: PartialEq>(
        &self,
        header: &StringRecord,
        fields: &[(&str, &str)],
        role: impl Fn(&str) -> Option<R>,
    ) -> Result<StringRecord, String> {
        let mut cells: Vec<&str> = header.iter().collect();
        let mut taken: Vec<usize> = Vec::new();
        for (field, name) in self.pairs()? {
            let known = known(field, fields.iter().map(|(word, _)| *word))?;
            let at = place(header, name)?;
            if taken.contains(&at) {
                return Err(format!(
                    "--columns: expected each column once, got {} twice",
                    shown(name)
                ));
            }
            let name = fields[known].1;
            for (i, cell) in cells.iter_mut().enumerate() {
                if !taken.contains(&i) && role(cell).is_some_and(|of| Some(of) == role(name)) {
                    *cell = "";
                }
            }
            cells[at] = name;
            taken.push(at);
        }
        Ok(StringRecord::from(cells))
    }

    /// Returns the fields with the names of their columns.
    pub(crate) fn pairs(&self) -> Result<Vec<(&str, &str)>, String> {
        let pairs = self
            .0
            .iter()
            .map(|(field, name)| Some((field.as_str(), name.as_deref()?)));
        pairs.collect::<Option<_>>().ok_or_else(|| {
            "--columns: expected pairs like start=ts,size=octets, since the file names its columns, \
             got fields without names"
                .to_string()
        })
    }

    /// Returns the fields of a file without a header, as positions in `fields`.
    pub(crate) fn placed(&self, fields: &[&str]) -> Result<Vec<usize>, String> {
        if self.0.iter().any(|(_, name)| name.is_some()) {
            let expected =
                "the fields in their order like src,dst,bytes,start, since the file has no header";
            return Err(format!(
                "--columns: expected {expected}, got names of columns"
            ));
        }
        self.0
            .iter()
            .map(|(word, _)| known(word, fields.iter().copied()))
            .collect()
    }

    /// Returns the fields as the user wrote them.
    pub(crate) fn said(&self) -> String {
        let words: Vec<&str> = self.0.iter().map(|(field, _)| field.as_str()).collect();
        words.join(",")
    }
}

fn known<'f>(word: &str, fields: impl Iterator<Item = &'f str>) -> Result<usize, String> {
    let fields: Vec<&str> = fields.collect();
    let found = fields.iter().position(|field| *field == word);
    found.ok_or_else(|| {
        format!(
            "--columns: expected fields from {}, got {}",
            fields.join(", "),
            shown(word)
        )
    })
}

/// Returns the position of the column called `name`: in the same letters, or else in small or capital ones.
fn place(header: &StringRecord, name: &str) -> Result<usize, String> {
    let places = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..header.len())
            .filter(|at| fits(header[*at].trim()))
            .collect()
    };
    let exact = places(&|cell| cell == name);
    let found = match exact.is_empty() {
        true => places(&|cell| cell.eq_ignore_ascii_case(name)),
        false => exact,
    };
    match found[..] {
        [at] => Ok(at),
        [] => {
            let got: Vec<&str> = header.iter().take(12).collect();
            let got = shown(&got.join(","));
            Err(format!(
                "--columns: expected a column of the header {got}, got {}",
                shown(name)
            ))
        }
        _ => Err(format!(
            "--columns: expected one column {} in the header, got {}",
            shown(name),
            found.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_or_fields_are_read_and_a_mixture_is_refused() {
        assert!(
            Columns::read("start=ts, size = Total Bytes")
                .unwrap()
                .are_named()
        );
        let placed = Columns::read("src,-,-,start").unwrap();
        assert_eq!(placed.placed(&["src", "start", "-"]), Ok(vec![0, 2, 2, 1]));
        for wrong in [
            "",
            "a=",
            "=b",
            "a,b=c",
            "a=b,,c=d",
            "src,src",
            "start",
            "a",
            "start=a,start=b",
        ] {
            assert!(Columns::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_by_hand_wins_over_the_names_that_a_reader_knows() {
        let header = StringRecord::from(vec!["time", "bytes", "Total Bytes", "other"]);
        let role = |name: &str| ["bytes", "size"].contains(&name).then_some("size");
        let columns = Columns::read("size=total bytes").unwrap();
        let renamed = columns.renamed(&header, &[("size", "size")], role).unwrap();
        assert_eq!(
            renamed,
            StringRecord::from(vec!["time", "", "size", "other"])
        );
        let said = |columns: &str| {
            let columns = Columns::read(columns).unwrap();
            columns
                .renamed(&header, &[("size", "size")], role)
                .unwrap_err()
        };
        assert_eq!(
            said("size=x"),
            "--columns: expected a column of the header \"time,bytes,Total Bytes,other\", got \"x\""
        );
        assert_eq!(
            said("sice=time"),
            "--columns: expected fields from size, got \"sice\""
        );
    }
}
