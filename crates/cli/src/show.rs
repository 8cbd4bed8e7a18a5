//! `sidestep show`

use crate::args::ShowArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use serde_json::{Value, json};
use sidestep_study::result::{Choice, ResultDir, packet_list, packet_text};
use sidestep_study::why::missing;

/// How many traced packets a list shows.
const MOST: usize = 40;

/// Prints a result's table, or packets' paths.
pub fn show(args: &ShowArgs) -> Outcome {
    let dir = ResultDir::open(&args.dir)?;
    if args.packet.is_none() && args.flow.is_none() && !args.packets {
        if let Some(report) = dir.sweep()? {
            if args.json {
                out::say_json(&report.to_json());
            } else {
                out::say(&report.to_text());
            }
            return Ok(0);
        }
        let report = dir.report()?;
        if args.json {
            out::say_json(&report.to_json());
        } else {
            out::say(&report.to_text());
        }
        return Ok(0);
    }
    let choice = Choice {
        packet: args.packet.clone(),
        flow: args.flow,
        scheme: args.scheme.clone(),
        seed: args.seed,
    };
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
