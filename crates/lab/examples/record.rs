//! Cost of recording: processor time of a run with and without, and bytes an event.
//!
//! `record SCENARIO SCHEME FROM_US TO_US FILE [KEY=VALUE]...` runs the first seed of scheme number SCHEME three
//! times each way in turn, and writes the recording to FILE.

use sidestep_lab::recorded::Reader;
use sidestep_lab::{RecordSpec, Scenario, Watch, run, run_recorded};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_types::Time;
use std::time::Duration;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, scheme, from, to, out, sets @ ..] = &args[..] else {
        return Err("expected SCENARIO SCHEME FROM_US TO_US FILE [KEY=VALUE]...".into());
    };
    let number = |text: &String| text.parse().map_err(|why| format!("{text:?}: {why}"));
    let text = std::fs::read_to_string(path).map_err(|why| format!("{path}: {why}"))?;
    let scenario = Scenario::read(path, &text, sets, &NoFiles).map_err(|e| format!("{e:?}"))?;
    let (scheme, seed) = (number(scheme)? as usize, scenario.seeds[0]);
    let spec = RecordSpec {
        window: Some((Time::from_us(number(from)?), Time::from_us(number(to)?))),
        ..RecordSpec::default()
    };
    let go = &mut |_: &_| Watch::Go;
    for _ in 0..3 {
        let began = processor_time();
        let plain = run(&scenario, scheme, seed, TraceFilter::None, go)?;
        let without = processor_time() - began;
        let began = processor_time();
        let taped = run_recorded(&scenario, scheme, seed, TraceFilter::None, &spec, go)?;
        let with = processor_time() - began;
        assert_eq!(plain.outcome, taped.outcome);
        let bytes = taped.recording.ok_or("nothing was recorded")?;
        let reader = Reader::open(&bytes).map_err(|e| e.to_string())?;
        let events: u64 = reader.tail().counts.iter().map(|crowd| crowd.events).sum();
        let each = bytes.len() as f64 / events as f64;
        let hops = taped.outcome.totals.packet_hops;
        println!(
            "{without:?} without, {with:?} with: {hops} hops, {events} events, {each:.2} bytes an event"
        );
        std::fs::write(out, &bytes).map_err(|why| format!("{out}: {why}"))?;
    }
    Ok(())
}

/// Returns the processor time of this thread so far, as Linux reports it.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = told.split_whitespace().next();
    Duration::from_nanos(first.and_then(|ns| ns.parse().ok()).unwrap_or_default())
}
