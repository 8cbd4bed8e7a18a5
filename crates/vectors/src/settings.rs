//! The settings under which a policy's rows are drawn: its defaults, every parameter changed once,
//! all numbers changed together, and everything.

use sidestep_types::{Entry, Param, ParamUnit, Value, Values};

/// Values with what was changed about the defaults, as `mark_at=off`; `defaults` when nothing was.
pub struct Setting {
    pub words: String,
    pub values: Values,
}

/// The settings of `entry` that `builds` accepts; the defaults first.
pub fn settings(entry: &Entry, builds: impl Fn(&Values) -> bool) -> Vec<Setting> {
    let one_by_one = entry
        .params
        .iter()
        .flat_map(|p| others(p).into_iter().map(move |text| vec![(p.name, text)]));
    let together = |chosen: fn(&&Param) -> bool| -> Vec<(&'static str, String)> {
        let params = entry.params.iter().filter(chosen);
        params
            .filter_map(|p| Some((p.name, others(p).into_iter().next()?)))
            .collect()
    };
    let is_number = |p: &&Param| !matches!(p.unit, ParamUnit::Flag | ParamUnit::Word(_));
    let mut all: Vec<Vec<(&str, String)>> = vec![vec![]];
    for changes in one_by_one.chain([together(is_number), together(|_| true)]) {
        if !all.contains(&changes) {
            all.push(changes);
        }
    }
    let setting = |changes: Vec<(&str, String)>| Setting {
        words: words(&changes),
        values: values(entry.params, &changes),
    };
    let all = all.into_iter().map(setting);
    all.filter(|setting| builds(&setting.values)).collect()
}

fn words(changes: &[(&str, String)]) -> String {
    if changes.is_empty() {
        return "defaults".into();
    }
    let words: Vec<String> = changes
        .iter()
        .map(|(name, text)| format!("{name}={text}"))
        .collect();
    words.join("; ")
}

/// The defaults with `changes`.
fn values(params: &'static [Param], changes: &[(&str, String)]) -> Values {
    let mut values = Values::defaults(params);
    for (name, text) in changes {
        let param = params.iter().find(|param| param.name == *name);
        let param = param.expect("it is one of these");
        let value = Value::parse(text, param).expect("it reads as its own unit");
        values.set(param.name, value);
    }
    values
}

/// Other values of `param` that small rows can tell from the default.
fn others(param: &Param) -> Vec<String> {
    let mut others: Vec<String> = match param.unit {
        ParamUnit::Flag => vec!["true".into(), "false".into()],
        ParamUnit::Word(words) => words.iter().map(|w| w.to_string()).collect(),
        ParamUnit::Size => vec!["5 pkt".into(), "12 kB".into()],
        // Another than the default, whichever that is.
        ParamUnit::Count if param.default == Some("2") => vec!["4".into()],
        ParamUnit::Count => vec!["2".into()],
        ParamUnit::Bytes => vec!["3 kB".into()],
        ParamUnit::Fraction => vec!["1".into()],
        ParamUnit::Time => vec!["5 us".into()],
        ParamUnit::Rate => vec!["2 Gbps".into()],
        ParamUnit::PerSecond => vec!["300 /s".into()],
        ParamUnit::File => vec![],
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
            Flag,
            Word(&["a"]),
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
