//! Summaries as JSON: what was not measured is null, and stays so when it is read again.

use serde_json::{Value, json};
use sidestep_lab::stats::{Summary, summarise};
use sidestep_lab::{ClassRecord, Record, Unmeasured};

/// A summary as it stands in JSON: what was not measured is null.
pub(crate) fn summary_json(summary: &Summary) -> Value {
    let mut json = json!(summary);
    blank(&mut json, &summary.unmeasured);
    json
}

fn blank(summary: &mut Value, unmeasured: &Unmeasured) {
    let null = |object: &mut Value, key: &str| {
        if let Some(value) = object.get_mut(key) {
            *value = Value::Null;
        }
    };
    for name in unmeasured.names() {
        match name.split_once('.') {
            None => null(summary, name),
            Some((list, key)) => {
                let each = summary.get_mut(list).and_then(Value::as_object_mut);
                let each = each.into_iter().flat_map(|of| of.values_mut());
                each.for_each(|one| null(one, key));
            }
        }
    }
    let seeds = summary.get_mut("per_seed").and_then(Value::as_array_mut);
    for seed in seeds.into_iter().flatten() {
        blank(seed, unmeasured);
    }
}

/// Reads [`summary_json`] back: what is null and no `Option` is what a summary of nothing has.
pub(crate) fn summary_from(mut json: Value) -> Result<Summary, serde_json::Error> {
    let unmeasured = json.get("unmeasured").cloned().unwrap_or(json!([]));
    let unmeasured: Unmeasured = serde_json::from_value(unmeasured)?;
    if !unmeasured.is_empty() {
        let nothing = Record {
            classes: vec![ClassRecord::default()],
            ..Record::default()
        };
        fill(&mut json, &json!(summarise(&[&nothing])));
    }
    serde_json::from_value(json)
}

/// Puts what a summary of `nothing` has in the place of each null, which may be null itself.
fn fill(summary: &mut Value, nothing: &Value) {
    let Some(keys) = summary.as_object_mut() else {
        return;
    };
    for (key, value) in keys {
        let each = match key.as_str() {
            "per_seed" => nothing,
            "classes" => {
                let of = value.as_object_mut().into_iter();
                let own = &nothing["classes"][""];
                of.flat_map(|of| of.values_mut()).for_each(|c| fill(c, own));
                continue;
            }
            _ if value.is_null() => {
                *value = nothing[key].clone();
                continue;
            }
            _ => continue,
        };
        let list = value.as_array_mut();
        list.into_iter().flatten().for_each(|one| fill(one, each));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use crate::report::tests::report;
    use sidestep_lab::stats::ClassSummary;

    #[test]
    fn what_was_not_measured_is_null_and_a_dash_also_when_read_again() {
        let mut report = report();
        let names = [
            "detours",
            "detoured_data_share",
            "events",
            "drops",
            "drops_full",
            "marks",
            "link_use",
            "trajectory_hash",
        ];
        for summary in &mut report.summaries {
            summary.unmeasured = Unmeasured::of(names);
        }
        let json = report.to_json();
        let scheme = json["schemes"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap();
        for name in [
            "detours",
            "events",
            "drops",
            "marks",
            "link_use",
            "trajectory_hash",
        ] {
            assert_eq!(scheme[name], Value::Null, "{name}");
        }
        assert_eq!(scheme["timeouts"], 5);
        let again = Report::from_json(&json).unwrap();
        assert_eq!(again.to_json(), json);
        for text in [report.to_text(), again.to_text()] {
            let line = |name: &str| {
                text.lines()
                    .find(|l| l.trim_start().starts_with(name))
                    .unwrap()
            };
            for name in ["ECN marks", "dropped, no room", "data packets detoured"] {
                let shown = line(name);
                assert!(shown.contains(" - ") || shown.ends_with(" -"), "{shown:?}");
            }
        }
        let marks = sidestep_lab::stats::metric::find("marks").unwrap();
        let nothing = sidestep_lab::stats::metric::Reading::Nothing;
        assert_eq!(marks.read(&report.summaries[0]), nothing);
    }

    #[test]
    fn what_was_not_measured_of_a_class_or_a_seed_is_null_too() {
        let class = [
            "sent",
            "delivered",
            "detoured",
            "detours",
            "detours_delivered",
            "dropped",
            "marked",
            "detours_each",
            "extra_hops",
            "trimmed",
            "reordered",
            "transport_reordered",
            "n_reordering",
        ];
        let mut report = report();
        let summary = &mut report.summaries[0];
        summary.classes = vec![ClassSummary::default()];
        summary.per_seed = vec![summary.clone()];
        let columns = class.map(|key| format!("classes.{key}"));
        let names = columns.iter().map(String::as_str);
        summary.unmeasured = Unmeasured::of(names.chain(["reordering_p99_at_least"]));
        let json = report.to_json();
        let scheme = &json["schemes"]["dctcp"];
        for summary in [scheme, &scheme["per_seed"][0]] {
            assert_eq!(summary["reordering_p99_at_least"], Value::Null);
            for key in class {
                assert_eq!(summary["classes"][""][key], Value::Null, "{key}");
            }
        }
        let again = Report::from_json(&json).map(|report| report.to_json());
        assert_eq!(again, Ok(json));
    }
}
