//! Values of an axis as numbers of one unit.

/// Converts the values of an axis to numbers in the unit of the first; `None` if one of them is a word.
pub fn numbers(values: &[&String]) -> Option<(String, Vec<f64>)> {
    let parsed: Option<Vec<(f64, &str)>> = values.iter().map(|v| split(v)).collect();
    let parsed = parsed?;
    let (_, first) = parsed.first()?;
    let base = factor(first);
    let same = |(v, unit): &(f64, &str)| match (factor(unit), base) {
        _ if unit == first => Some(*v),
        (Some((kind, by)), Some((own, of))) if kind == own => Some(v * by / of),
        _ => None,
    };
    let places: Option<Vec<f64>> = parsed.iter().map(same).collect();
    Some((first.to_string(), places?))
}

/// Splits a value into number and unit: `300 /s` is 300 and `/s`; `1/16` is a word.
fn split(value: &str) -> Option<(f64, &str)> {
    let (number, unit) = match value.split_once(' ') {
        Some((number, unit)) => (number, unit.trim()),
        None => (value, ""),
    };
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit))
}

/// Returns the quantity of a unit, and its size.
fn factor(unit: &str) -> Option<(&'static str, f64)> {
    Some(match unit {
        "ps" => ("time", 1e-12),
        "ns" => ("time", 1e-9),
        "us" => ("time", 1e-6),
        "ms" => ("time", 1e-3),
        "s" => ("time", 1.0),
        "B" => ("bytes", 1.0),
        "kB" => ("bytes", 1e3),
        "MB" => ("bytes", 1e6),
        "GB" => ("bytes", 1e9),
        "KiB" => ("bytes", 1024.0),
        "MiB" => ("bytes", 1_048_576.0),
        "bps" => ("rate", 1.0),
        "kbps" => ("rate", 1e3),
        "Mbps" => ("rate", 1e6),
        "Gbps" => ("rate", 1e9),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(words: &[&str]) -> Option<(String, Vec<f64>)> {
        let owned: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        numbers(&owned.iter().collect::<Vec<_>>())
    }

    #[test]
    fn axis_values_become_numbers_of_one_unit() {
        assert_eq!(
            values(&["300 /s", "2000 /s"]),
            Some(("/s".into(), vec![300.0, 2000.0]))
        );
        assert_eq!(
            values(&["500 kB", "2 MB"]),
            Some(("kB".into(), vec![500.0, 2000.0]))
        );
        assert_eq!(
            values(&["12", "255"]),
            Some((String::new(), vec![12.0, 255.0]))
        );
        assert_eq!(
            values(&["20 pkt", "off"]),
            None,
            "a word makes the axis one of words"
        );
        assert_eq!(
            values(&["20 pkt", "30 kB"]),
            None,
            "units that do not convert"
        );
    }
}
