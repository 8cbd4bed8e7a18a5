//! Recordings beside the other files of a result: the options of `--record`, the files, and a summary of their
//! contents.
//!
//! **Errors**       a window, a list of flows or a switch that cannot be read; a file that is no recording.

mod listing;
mod summary;

pub use listing::{EventFilter, Listing, list};
pub use summary::RecordingSummary;

use crate::{Error, ResultDir};
use sidestep_lab::{Packets, Sampled};
use sidestep_types::{Quantity, Time, Unit, parse_quantity};
use std::fs;
use std::path::PathBuf;

/// Folder of a result directory that contains recordings.
pub const FOLDER: &str = "recordings";

/// Returns the file of a recorded run, relative to its result directory.
///
/// A scheme may have any name in quotes. Every byte that is no letter, digit or one of `-_.+` is
/// percent-encoded as in URLs, and so is a dot at the start.
pub fn file_name(scheme: &str, seed: u64) -> String {
    let mut name = String::new();
    for byte in scheme.bytes() {
        match byte {
            b'.' if name.is_empty() => name.push_str("%2e"),
            b'-' | b'_' | b'.' | b'+' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                name.push(byte.into());
            }
            other => name.push_str(&format!("%{other:02x}")),
        }
    }
    format!("{FOLDER}/{name}-{seed}.srec")
}

/// Reads a window of time: `2 ms..12 ms`, `2 ms..` or `..12 ms`. A missing end is that of the run.
pub fn parse_window(text: &str) -> Result<(Time, Time), String> {
    let refuse = |got: &str| {
        format!(
            "expected a window of time like \"2 ms..12 ms\" that ends after it begins, got {got}"
        )
    };
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| refuse(&format!("{text:?}")))?;
    let time = |part: &str, open: Time| {
        if part.trim().is_empty() {
            return Ok(open);
        }
        match parse_quantity(part.trim(), Unit::Time) {
            Ok(Quantity::Time(time)) => Ok(time),
            Ok(_) => Err(refuse(&format!("{part:?}"))),
            Err(wrong) => Err(refuse(&wrong.got)),
        }
    };
    let (from, to) = (time(from, Time::ZERO)?, time(to, Time::MAX)?);
    if from >= to {
        return Err(refuse(&format!("{text:?}")));
    }
    Ok((from, to))
}

/// Reads the flows whose windows are recorded: `all`, `none`, `1/10` or `3,5,8`.
pub fn parse_flows(text: &str) -> Result<Sampled, String> {
    let refuse = || {
        format!(
            "expected \"all\", \"none\", \"1/10\" for every tenth, or flow numbers like \"3,5,8\", \
             got {text:?}"
        )
    };
    match text.trim() {
        "all" => return Ok(Sampled::All),
        "none" => return Ok(Sampled::Every(0)),
        _ => {}
    }
    if let Some(every) = text.trim().strip_prefix("1/") {
        let every = every.parse().ok().filter(|every| *every > 0);
        return every.map(Sampled::Every).ok_or_else(refuse);
    }
    let flows: Option<_> = text.split(',').map(|id| id.trim().parse().ok()).collect();
    flows.map(Sampled::These).ok_or_else(refuse)
}

/// Reads the packets that are recorded: `all`, `none`, `1/10`, `flows 3,5` or `flows 1/10`.
pub fn parse_packets(text: &str) -> Result<Packets, String> {
    let refuse = || {
        format!(
            "expected \"all\", \"none\", \"1/10\" for every tenth, or packets of flows like \
             \"flows 3,5\", got {text:?}"
        )
    };
    if let Some(flows) = text.trim().strip_prefix("flows ") {
        let flows = parse_flows(flows).map_err(|_| refuse())?;
        return Ok(Packets::Flows(flows));
    }
    match parse_flows(text) {
        Ok(Sampled::All | Sampled::Every(1)) => Ok(Packets::All),
        Ok(Sampled::Every(every)) => Ok(Packets::Every(every)),
        Ok(Sampled::These(_)) | Err(_) => Err(refuse()),
    }
}

/// Lists the recordings of a result directory, of this scheme and seed if given: the name within the directory,
/// and the path. Errors if there are none.
pub fn files(
    dir: &ResultDir,
    scheme: Option<&str>,
    seed: Option<u64>,
) -> Result<Vec<(String, PathBuf)>, Error> {
    let folder = dir.path().join(FOLDER);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".srec").map(String::from))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(Error::Input(format!(
            "{} has no recording; run again with --record: sidestep run SCENARIO --record",
            dir.path().display()
        )));
    }
    let all = names.join(", ");
    let wanted = |name: &String| {
        let (of_scheme, of_seed) = name.rsplit_once('-').unwrap_or((name, ""));
        scheme.is_none_or(|scheme| scheme == of_scheme)
            && seed.is_none_or(|seed| seed.to_string() == of_seed)
    };
    names.retain(wanted);
    if names.is_empty() {
        return Err(Error::Input(format!(
            "{} has no recording of this scheme and seed; it has {all}",
            folder.display()
        )));
    }
    let named = |name: String| {
        let name = format!("{name}.srec");
        let path = folder.join(&name);
        (format!("{FOLDER}/{name}"), path)
    };
    Ok(names.into_iter().map(named).collect())
}

/// Reads the bytes of a recording.
pub fn read(path: &PathBuf) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| Error::io("cannot read", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_recording_stands_in_its_folder_whatever_the_scheme_is_called() {
        assert_eq!(file_name("dibs", 3), "recordings/dibs-3.srec");
        assert_eq!(file_name("../a b", 1), "recordings/%2e.%2fa%20b-1.srec");
    }

    #[test]
    fn windows_are_read_and_what_is_none_is_refused() {
        let ms = Time::from_ms;
        assert_eq!(parse_window("2 ms..12 ms"), Ok((ms(2), ms(12))));
        assert_eq!(parse_window("2ms .. 12ms"), Ok((ms(2), ms(12))));
        assert_eq!(parse_window("2 ms.."), Ok((ms(2), Time::MAX)));
        assert_eq!(parse_window("..1 ms"), Ok((Time::ZERO, ms(1))));
        for wrong in [
            "2 ms",
            "2 ms..2 ms",
            "3 ms..2 ms",
            "2..3",
            "a..b",
            "2 pkt..3 pkt",
            "..0 ms",
        ] {
            let said = parse_window(wrong).unwrap_err();
            assert!(said.starts_with("expected a window of time"), "{said}");
        }
    }

    #[test]
    fn flows_are_read_and_what_is_none_is_refused() {
        assert_eq!(parse_flows("all"), Ok(Sampled::All));
        assert_eq!(parse_flows("none"), Ok(Sampled::Every(0)));
        assert_eq!(parse_flows("1/10"), Ok(Sampled::Every(10)));
        assert_eq!(parse_flows("3, 5,8"), Ok(Sampled::These([3, 5, 8].into())));
        for wrong in ["", "1/0", "1/x", "3,x", "-1", "2/3"] {
            let said = parse_flows(wrong).unwrap_err();
            assert!(said.ends_with(&format!("got {wrong:?}")), "{said}");
        }
    }

    #[test]
    fn packets_are_read_and_what_is_none_is_refused() {
        assert_eq!(parse_packets("all"), Ok(Packets::All));
        assert_eq!(parse_packets("1/1"), Ok(Packets::All));
        assert_eq!(parse_packets("none"), Ok(Packets::Every(0)));
        assert_eq!(parse_packets("1/10"), Ok(Packets::Every(10)));
        let these = Sampled::These([3, 5].into());
        assert_eq!(parse_packets("flows 3,5"), Ok(Packets::Flows(these)));
        let tenth = Packets::Flows(Sampled::Every(10));
        assert_eq!(parse_packets("flows 1/10"), Ok(tenth));
        for wrong in ["", "3,5", "flows", "flows x", "1/0", "2/3"] {
            let said = parse_packets(wrong).unwrap_err();
            assert!(said.ends_with(&format!("got {wrong:?}")), "{said}");
        }
    }
}
