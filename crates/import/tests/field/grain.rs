//! Grain of starts: the step that most of them have, the burst that it makes, and the draws within it.

use crate::rows;
use sidestep_import::{Format, Imported, Options, Spread, import};

/// Returns numbers that look random.
fn noise(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ i.wrapping_mul(0xd1b5_4a32_d192_ed03)
}

/// Imports flows that start at these microseconds.
fn read(starts: &[u64], spread: Spread) -> Imported {
    let mut csv = "start_us,src,dst,size\n".to_string();
    for (i, start) in starts.iter().enumerate() {
        csv.push_str(&format!("{start},a{},b,1000\n", i % 7));
    }
    let options = Options {
        keep_times: true,
        spread,
        ..Options::new()
    };
    import("f", csv.as_bytes(), Format::Csv, &options).unwrap()
}

fn told(starts: &[u64]) -> Option<String> {
    let read = read(starts, Spread::No);
    let found = read.notes.iter().find(|note| note.contains("multiples"));
    found.map(|note| note.split(" begin").next().unwrap().to_string())
}

/// Returns 1000 starts within 10 s, of which so many are on a grid, and the others on random microseconds.
fn mixed(on: u64, step: u64, offset: u64) -> Vec<u64> {
    let mut all: Vec<u64> = (0..on).map(|i| i % 10 * step + offset).collect();
    all.extend((on..1000).map(|i| noise(i) % 9_999_999 / 10 * 10 + 3));
    all
}

#[test]
fn the_step_of_most_starts_is_named_whatever_the_others_are() {
    for on in [1000, 990, 950, 900, 800, 600] {
        let burst = on / 10;
        let words = format!("{on} of 1000 starts are multiples of 1 s, and up to {burst} of them");
        assert_eq!(told(&mixed(on, 1_000_000, 0)), Some(words));
        let words = format!(
            "{on} of 1000 starts are multiples of 1 s plus 17 us, and up to {burst} of them"
        );
        assert_eq!(told(&mixed(on, 1_000_000, 17)), Some(words));
        let words = format!("{on} of 1000 starts are multiples of 1 ms, and up to {burst} of them");
        assert_eq!(told(&mixed(on, 1_000, 3_000)), Some(words));
    }
}

#[test]
fn spread_draws_the_starts_on_the_step_and_no_others() {
    for (on, offset) in [(950, 0), (800, 0), (600, 0), (800, 17)] {
        let starts = mixed(on, 1_000_000, offset);
        let spread = read(&starts, Spread::Found);
        let note = spread.notes.iter().find(|note| note.contains("drawn"));
        assert!(
            note.unwrap()
                .starts_with(&format!("{on} starts were drawn within 1000000 us"))
        );
        let at = |row: &str| row.split(',').next().unwrap().parse::<f64>().unwrap();
        let after: Vec<f64> = rows(&spread).into_iter().map(at).collect();
        for start in &starts[on as usize..] {
            assert!(after.contains(&(*start as f64)), "{start}");
        }
        // Each step has as many starts as before, and no two are together.
        let others = &starts[on as usize..];
        let drawn = after
            .iter()
            .filter(|at| !others.iter().any(|other| *other as f64 == **at));
        let mut steps = [0; 10];
        drawn.for_each(|at| steps[(*at as u64 - offset) as usize / 1_000_000] += 1);
        assert_eq!(steps, [on / 10; 10]);
        let largest = after
            .chunk_by(|one, two| one == two)
            .map(<[f64]>::len)
            .max();
        assert!(largest < Some(4), "{largest:?}");
    }
}

#[test]
fn microseconds_that_make_no_burst_are_not_told() {
    let all: Vec<u64> = (0..1000).map(|i| noise(i) % 10_000_000).collect();
    assert_eq!(told(&all), None);
    let alone: Vec<u64> = (0..1000).map(|i| i * 1_000_000).collect();
    assert_eq!(told(&alone), None);
    // One burst is the traffic's: it shows no step.
    let once: Vec<u64> = (0..1000)
        .map(|i| if i < 600 { 0 } else { noise(i) })
        .collect();
    let once: Vec<u64> = once.into_iter().map(|at| at % 10_000_000).collect();
    let said = told(&once).unwrap_or_default();
    assert!(!said.contains("1 s") && !said.contains("minute"), "{said}");
    // With so many in a second, microseconds are steps.
    let dense: Vec<u64> = (0..5000).map(|i| noise(i) % 1_000).collect();
    assert!(
        told(&dense)
            .unwrap()
            .starts_with("5000 of 5000 starts are multiples of 1 us")
    );
}

#[test]
fn of_two_bursts_the_one_on_a_full_hour_gives_no_step_of_an_hour() {
    let two: Vec<u64> = (0..1000).map(|i| u64::from(i >= 550) * 1_000_000).collect();
    assert!(
        told(&two)
            .unwrap()
            .starts_with("1000 of 1000 starts are multiples of 1 s")
    );
    // Most starts on full minutes, in a clock of seconds.
    let minutes: Vec<u64> = (0..1000)
        .map(|i| if i < 600 { i % 10 * 60 } else { i % 40 + 7 } * 1_000_000)
        .collect();
    assert!(
        told(&minutes)
            .unwrap()
            .starts_with("1000 of 1000 starts are multiples of 1 s")
    );
}
