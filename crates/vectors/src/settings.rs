//! Settings under which a policy's rows are drawn: the defaults, each parameter changed once, all numbers
//! changed together, and all parameters changed together.

use sidestep_types::{Entry, Param, ParamUnit, Rng, Value, Values};

/// Values, and the changes from the defaults in words, as `mark_at=off`; `defaults` if there are none.
pub struct Setting {
    pub words: String,
    pub values: Values,
}

/// Returns the settings of `entry` that `builds` accepts, the defaults first.
///
/// A policy's memory must show within a few steps, but the defaults are made for long runs. So if it
/// `remembers`, each parameter is changed, and each number kept, beside other numbers.
pub fn settings(entry: &Entry, remembers: bool, builds: impl Fn(&Values) -> bool) -> Vec<Setting> {
    let params = entry.params;
    let other = |p: &Param| others(p).into_iter().next();
    let number = |p: &Param| other(p).filter(|_| is_number(p));
    // Thresholds differ and rise: 5, 10, … packets.
    let threshold = |p: &Param| {
        let mut sizes = params.iter().filter(|p| p.unit == ParamUnit::Size);
        let before = sizes.position(|size| size.name == p.name)?;
        Some(format!("{} pkt", 5 * (before + 1)))
    };
    let beside = |p: &Param| match remembers {
        true => threshold(p).or(number(p)),
        false => None,
    };
    let but = |one: &Param, text: Option<String>| {
        changes(params, |p| match p.name == one.name {
            true => text.clone(),
            false => beside(p),
        })
    };
    let mut all = vec![vec![]];
    for param in params {
        all.extend(others(param).into_iter().map(|text| but(param, Some(text))));
    }
    if remembers {
        all.push(changes(params, beside));
        all.extend(params.iter().map(|param| but(param, None)));
    }
    all.push(changes(params, number));
    all.push(changes(params, other));
    let mut different: Vec<Changes> = Vec::new();
    for changes in all {
        if !different.contains(&changes) {
            different.push(changes);
        }
    }
    let setting = |changes: Changes| Setting {
        words: words(&changes),
        values: values(params, &changes),
    };
    let all = different.into_iter().map(setting);
    all.filter(|setting| builds(&setting.values)).collect()
}

/// Parameter, and values other than its default.
pub type Others = (&'static Param, Vec<&'static str>);

/// Returns the settings of a host's machine: the defaults, each other value of a parameter alone, and `drawn`
/// settings with every parameter drawn. If `beside` has another value, each change of another parameter also
/// appears beside the first such value. Invalid combinations are left out.
pub fn drawn_settings(
    defaults: &Values,
    others: &[Others],
    beside: Option<&'static Param>,
    drawn: usize,
    rng: &mut Rng,
    builds: impl Fn(&Values) -> bool,
) -> Vec<Setting> {
    let mut all: Vec<Changes> = vec![vec![]];
    let each = |(param, texts): &Others| -> Changes {
        let change = |text: &&str| (param.name, text.to_string());
        texts.iter().map(change).collect()
    };
    let alone: Changes = others.iter().flat_map(each).collect();
    all.extend(alone.iter().map(|change| vec![change.clone()]));
    let first = |param: &Param| alone.iter().find(|change| change.0 == param.name);
    if let Some(first) = beside.and_then(first) {
        let two = alone.iter().filter(|change| change.0 != first.0);
        all.extend(two.map(|change| vec![first.clone(), change.clone()]));
    }
    all.extend((0..drawn).map(|_| draw_changes(others, rng)));
    let find = |name: &str| others.iter().map(|other| other.0).find(|p| p.name == name);
    distinct(defaults, all, find, builds)
}

/// Returns the settings of `entry` listed as `name=value; …`; an empty list is the defaults.
pub fn listed_settings(
    entry: &'static Entry,
    lists: &[&'static str],
    builds: impl Fn(&Values) -> bool,
) -> Vec<Setting> {
    let find = |name: &str| entry.params.iter().find(|param| param.name == name);
    let change = |words: &'static str| words.split_once('=').map(|(n, text)| (n, text.to_string()));
    let all = lists
        .iter()
        .map(|list| list.split("; ").filter_map(change).collect());
    distinct(&Values::defaults(entry.params), all.collect(), find, builds)
}

/// Returns each of these settings once; invalid combinations are left out.
fn distinct(
    defaults: &Values,
    all: Vec<Changes>,
    find: impl Fn(&str) -> Option<&'static Param> + Copy,
    builds: impl Fn(&Values) -> bool,
) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for changes in all {
        let (words, values) = (words(&changes), changed(defaults.clone(), find, &changes));
        if settings.iter().all(|known| known.words != words) && builds(&values) {
            settings.push(Setting { words, values });
        }
    }
    settings
}

/// Draws each parameter's default or one of its other values.
fn draw_changes(others: &[Others], rng: &mut Rng) -> Changes {
    let mut draw = |(param, texts): &Others| {
        let text = texts.get(rng.below(texts.len() as u64 + 1) as usize)?;
        Some((param.name, text.to_string()))
    };
    others.iter().filter_map(&mut draw).collect()
}

/// Parameters with values other than their defaults.
type Changes = Vec<(&'static str, String)>;

fn changes(params: &[Param], to: impl Fn(&Param) -> Option<String>) -> Changes {
    let change = |p: &Param| Some((p.name, to(p)?));
    params.iter().filter_map(change).collect()
}

fn is_number(param: &Param) -> bool {
    !matches!(param.unit, ParamUnit::Flag | ParamUnit::Word(_))
}

/// Formats changes for a cell. A comma ends a cell, so lists use ` / `.
fn words(changes: &[(&str, String)]) -> String {
    if changes.is_empty() {
        return "defaults".into();
    }
    let words: Vec<String> = changes
        .iter()
        .map(|(name, text)| format!("{name}={}", text.replace(", ", " / ")))
        .collect();
    words.join("; ")
}

/// Returns the defaults with `changes`.
fn values(params: &'static [Param], changes: &[(&str, String)]) -> Values {
    let find = |name: &str| params.iter().find(|param| param.name == name);
    changed(Values::defaults(params), find, changes)
}

/// Returns `values` with `changes` of the parameters that `find` returns.
pub fn changed(
    mut values: Values,
    find: impl Fn(&str) -> Option<&'static Param>,
    changes: &[(&str, String)],
) -> Values {
    for (name, text) in changes {
        let param = find(name).expect("it is one of these");
        let value = Value::parse(text, param).expect("it reads as its own unit");
        values.set(param.name, value);
    }
    values
}

/// Returns other values of `param` that a few rows can tell from the default.
fn others(param: &Param) -> Vec<String> {
    let mut others: Vec<String> = match param.unit {
        ParamUnit::Flag => vec!["true".into(), "false".into()],
        ParamUnit::Word(words) => words.iter().map(|w| w.to_string()).collect(),
        ParamUnit::Size => vec!["5 pkt".into(), "12 kB".into()],
        // A value that differs from the default.
        ParamUnit::Count if param.default == Some("2") => vec!["4".into()],
        ParamUnit::Count => vec!["2".into()],
        ParamUnit::Counts => vec!["3 1".into()],
        ParamUnit::Bytes => vec!["3 kB".into()],
        ParamUnit::ByteRange => vec!["64..1500".into()],
        ParamUnit::Fraction => vec!["0.25".into(), "1".into()],
        ParamUnit::Time => vec!["5 us".into()],
        ParamUnit::Rate => vec!["2 Gbps".into()],
        ParamUnit::PerSecond => vec!["300 /s".into()],
        ParamUnit::File => vec![],
        ParamUnit::List(each) => {
            let items = others(&Param::required(param.name, *each, param.doc));
            items.iter().map(|one| format!("{one}, {one}")).collect()
        }
    };
    others.extend(param.off.map(str::to_string));
    others.retain(|text| param.default != Some(text));
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_any_unit_but_a_file_has_another_value_that_reads_as_its_unit() {
        use ParamUnit::*;
        let units = [
            Time,
            Bytes,
            Rate,
            Size,
            PerSecond,
            Fraction,
            Count,
            Counts,
            Flag,
            Word(&["a"]),
            List(&Bytes),
        ];
        for unit in units {
            let param = Param::required("p", unit, "");
            let texts = others(&param);
            assert!(!texts.is_empty(), "{unit:?}");
            for text in texts {
                assert!(Value::parse(&text, &param).is_ok(), "{unit:?}: {text}");
            }
        }
    }
}
