//! `sidestep show`

use crate::args::ShowArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use crate::run::text_of;
use serde_json::{Value, json};
use sidestep_lab::recorded::Reader;
use sidestep_study::format::seeds;
use sidestep_study::recorded;
use sidestep_study::result::{Choice, ResultDir, packet_list, packet_text};
use sidestep_study::why::{missing, not_run};
use sidestep_types::Time;

/// Largest number of traced packets in a list.
const MOST: usize = 40;

/// Prints the table of a result, or the paths of packets.
pub fn show(args: &ShowArgs) -> Outcome {
    let dir = ResultDir::open(&args.dir)?;
    if args.recording {
        return recording(&dir, args);
    }
    let choice = Choice {
        packet: args.packet.clone(),
        flow: args.flow,
        scheme: args.scheme.clone(),
        seed: args.seed,
    };
    if args.packet.is_none() && args.flow.is_none() && !args.packets {
        return table(&dir, args, &choice);
    }
    let packets = dir.packets(&choice)?;
    if packets.is_empty() {
        let name = args.dir.display().to_string();
        return Err(Failure::input(missing(&dir, &name, &choice)?));
    }
    if args.json {
        out::say_json(&json!({"packets": packets}));
    } else if args.packet.is_some() {
        let texts: Vec<String> = packets.iter().map(|p: &Value| packet_text(p)).collect();
        out::say(&texts.join("\n"));
    } else {
        out::say(&packet_list(&packets, MOST));
    }
    Ok(0)
}

/// Prints the table, of one scheme if one is chosen.
fn table(dir: &ResultDir, args: &ShowArgs, choice: &Choice) -> Outcome {
    let name = args.dir.display().to_string();
    if let Some(not_run) = not_run(dir, &name, choice)? {
        return Err(Failure::input(not_run));
    }
    let scheme = choice.scheme.as_deref();
    if let Some(mut report) = dir.sweep()? {
        one_seed(&report.seeds, choice)?;
        if let Some(scheme) = scheme {
            report = report.only(scheme);
        }
        return Ok(print(
            args,
            || report.to_json(),
            || report.to_csv(args.all),
            || report.answer(),
            || report.to_text(),
        ));
    }
    let mut report = dir.report()?;
    one_seed(&report.seeds, choice)?;
    if let Some(scheme) = scheme {
        report = report.only(scheme);
    }
    Ok(print(
        args,
        || report.to_json(),
        || report.to_csv(args.all),
        || report.answer(),
        || report.to_text(),
    ))
}

/// Refuses a choice of one seed among several: the numbers of the table are of all seeds together.
fn one_seed(all: &[u64], choice: &Choice) -> Result<(), Failure> {
    match choice.seed {
        Some(seed) if all != [seed] => Err(Failure::input(format!(
            "--seed {seed}: expected --packets, --packet, --flow or --recording with it, got the \
             table, whose numbers are of the seeds {} together; flows.parquet has the flows of \
             each seed",
            seeds(all)
        ))),
        _ => Ok(()),
    }
}

/// Prints the table as JSON with `--json`, as CSV with `--csv`, whole with `--all`, else the answer; returns the exit
/// status.
fn print(
    args: &ShowArgs,
    json: impl Fn() -> Value,
    csv: impl Fn() -> String,
    answer: impl Fn() -> String,
    whole: impl Fn() -> String,
) -> u8 {
    match (args.json, args.csv) {
        (true, _) => out::say_json(&json()),
        (false, true) => out::say(&csv()),
        (false, false) => out::say(&text_of(args.all, answer, whole)),
    }
    0
}

/// Prints the contents of recordings, or their events.
fn recording(dir: &ResultDir, args: &ShowArgs) -> Outcome {
    let files = recorded::files(dir, args.scheme.as_deref(), args.seed)?;
    let lists = args.at.is_some() || args.packet.is_some() || args.during.is_some();
    if lists && files.len() > 1 {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Failure::input(format!(
            "--recording: expected --scheme and --seed that select one recording, got {}",
            names.join(", ")
        )));
    }
    let during = args.during.as_deref().map(recorded::parse_window);
    let during = during.transpose();
    let during = during.map_err(|why| Failure::input(format!("--during: {why}")))?;
    let (mut all, mut texts) = (Vec::new(), Vec::new());
    for (name, path) in &files {
        let bytes = recorded::read(path)?;
        let refused = |e: String| Failure::input(format!("cannot read {}: {e}", path.display()));
        let reader = Reader::open(&bytes).map_err(|e| refused(e.to_string()))?;
        if lists {
            let about = recorded::EventFilter {
                node: args.at.clone(),
                packet: args.packet.clone(),
                during: during.unwrap_or((Time::ZERO, Time::MAX)),
                most: args.most,
            };
            let listing = recorded::list(&reader, &about).map_err(refused)?;
            match args.json {
                true => out::say_json(&listing.to_json()),
                false => out::say(&listing.to_text()),
            }
            return Ok(0);
        }
        let holds =
            recorded::RecordingSummary::of(name, &reader).map_err(|e| refused(e.to_string()))?;
        all.push(holds.to_json());
        texts.push(holds.to_text());
    }
    match args.json {
        true => out::say_json(&json!({"recordings": all})),
        false => out::say(&texts.join("\n")),
    }
    Ok(0)
}
