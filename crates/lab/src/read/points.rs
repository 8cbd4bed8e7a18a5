//! Points of a paper's authors, from a table: `points` and `points_of` of `[[plot]]`.
//!
//! **Decision**     a row is drawn if its figure is one of `points_of`, its metric is one of `y`, and its
//!                  scheme is drawn. A plot that would show no row is refused: one of its names must be wrong.
//! **Units**        `y` is in the metric's unit, shares from 0 to 1; `x` is written as the axis writes its
//!                  values.
//! **Errors**       a table without its `# source:` line or with another heading, a row with other columns, an
//!                  invalid number: each with its line.

use crate::experiment::{AuthorPoint, AuthorPoints};
use sidestep_config::problem::suggest;

/// Heading of such a table.
const HEADING: &str = "figure,metric,scheme,x,y";

/// Reads the points of these figures, metrics and schemes; of all figures if none is named.
pub(super) fn points(
    text: &str,
    figures: &[String],
    metrics: &[String],
    has_scheme: impl Fn(&str) -> bool,
) -> Result<AuthorPoints, String> {
    let mut lines = (1..).zip(text.lines());
    let source = lines
        .next()
        .and_then(|(_, line)| line.strip_prefix("# source: "));
    let source = source.ok_or("line 1: expected \"# source: \" and the source of the numbers")?;
    let mut lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    match lines.next() {
        Some((_, HEADING)) => {}
        Some((n, got)) => return Err(format!("line {n}: expected {HEADING}, got {got}")),
        None => {
            return Err(format!(
                "expected the heading {HEADING}, got the end of the file"
            ));
        }
    }
    let mut known: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for (n, line) in lines {
        let (figure, point) = row(line).map_err(|why| format!("line {n}: {why}"))?;
        if !known.contains(&figure) {
            known.push(figure);
        }
        let drawn = figures.is_empty() || figures.iter().any(|own| own == figure);
        if drawn && metrics.contains(&point.metric) && has_scheme(&point.scheme) {
            all.push(point);
        }
    }
    if let Some(wrong) = figures.iter().find(|own| !known.contains(&own.as_str())) {
        let hint = suggest(wrong, known.iter().copied());
        return Err(format!("no point is of figure {wrong:?}{hint}"));
    }
    if all.is_empty() {
        return Err(
            "no point is for the metrics and schemes of this plot; check y and schemes".into(),
        );
    }
    let source = source.trim().to_string();
    Ok(AuthorPoints { source, all })
}

fn row(line: &str) -> Result<(&str, AuthorPoint), String> {
    let cells: Vec<&str> = line.split(',').collect();
    let [figure, metric, scheme, x, y] = cells[..] else {
        return Err(format!("expected {HEADING}, got {line}"));
    };
    let number: Option<f64> = y.parse().ok().filter(|y: &f64| y.is_finite());
    let y = number.ok_or_else(|| format!("y: expected a number, got {y:?}"))?;
    let [metric, scheme, x] = [metric, scheme, x].map(str::to_string);
    Ok((
        figure,
        AuthorPoint {
            metric,
            scheme,
            x,
            y,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# source: a paper\n# what it is\nfigure,metric,scheme,x,y\n5,qct_p99_ms,dibs,35,76.2\n5,qct_p99_ms,tcp,35,9\n6,drops,dibs,1 s,3\n";

    fn of(text: &str, figures: &[&str], metric: &str) -> Result<Vec<f64>, String> {
        let figures: Vec<String> = figures.iter().map(|f| f.to_string()).collect();
        let found = points(text, &figures, &[metric.to_string()], |s| s == "dibs")?;
        assert_eq!(found.source, "a paper");
        Ok(found.all.iter().map(|point| point.y).collect())
    }

    #[test]
    fn rows_of_the_figure_the_metrics_and_the_schemes_are_drawn() {
        assert_eq!(of(TABLE, &["5"], "qct_p99_ms"), Ok(vec![76.2]));
        assert_eq!(of(TABLE, &[], "drops"), Ok(vec![3.0]));
    }

    #[test]
    fn a_table_that_is_wrong_says_where() {
        let says = |text: &str, words: &str| {
            let why = of(text, &["5"], "qct_p99_ms").unwrap_err();
            assert!(why.contains(words), "{why}");
        };
        says("figure,metric,scheme,x,y\n", "line 1: expected \"# source");
        says(
            "# source: a\nfigure,x,y\n",
            "line 2: expected figure,metric",
        );
        says("# source: a\n", "expected the heading");
        says(
            &TABLE.replace("76.2", "fast"),
            "line 4: y: expected a number, got \"fast\"",
        );
        says(&TABLE.replace("76.2", "nan"), "expected a number");
        says(
            &TABLE.replace(",76.2", ""),
            "line 4: expected figure,metric",
        );
        says(&TABLE.replace("\n5", "\n7"), "no point is of figure \"5\"");
        let why = of(TABLE, &["5"], "drops").unwrap_err();
        assert!(why.starts_with("no point is for"), "{why}");
    }
}
