//! `sidestep import`: converts other tools' files into Sidestep's.

mod document;
mod wire;
mod wiring;

use crate::failure::{Failure, Outcome};
use crate::{init, out};
use clap::Args;
use serde_json::{Value, json};
use sidestep_import::{
    Columns, Format, Hosts, Imported, Nodes, Options, OutputKind, Spread, counting, import as read,
    time_of,
};
use sidestep_types::{Quantity, Unit, parse_quantity};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use wire::{Target, Wired};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep import capture.pcapng --into mine/scenario.toml     the scenario reads the capture's flows
  sidestep import capture.pcapng -o mine     mine.flows.csv, and the map of hosts
  sidestep import capture.pcap --hosts hosts.csv --class-by-port
  sidestep import flows.csv -o mine          any CSV with start, source, destination and size
  sidestep import flows.csv --columns start_ms=begin,size=octets
  sidestep import CDF_search.txt --packet 1460
  sidestep import nfdump.csv -o mine         also SiLK, Argus, Zeek conn.log, VPC flow logs, nProbe
  sidestep import topology.txt -o net
  sidestep import flow.txt --topology topology.txt -o net
  sidestep import incast.cm -o incast
  sidestep import config_db.json --queue 3 -o edge

The format is detected from the content: csv (a header like time,src_ip,dst_ip,bytes,app,job), \
pcap (pcapng too), netflow (flow records), hpcc-flows, hpcc-topology, htsim, sonic or cdf \
(sizes of flows). Where the values have two readings, the file is refused and the option that chooses is named. No \
file is overwritten. Left-out parts are counted, in the output and in the files. docs/how-to/import.md \
defines a flow, and lists the parts of each format that Sidestep does not support.")]
pub struct ImportArgs {
    /// File to read
    pub file: PathBuf,
    /// Prefix of the files to write, to which .flows.csv and the like are appended; for a folder, FILE's name
    /// in that folder without its ending. A missing folder is made [default: beside FILE]
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Scenario to change, so that it reads the imported files; without OUT they are written beside it. It is
    /// made if it does not exist; a folder means the scenario.toml in it
    #[arg(long, value_name = "SCENARIO")]
    pub into: Option<PathBuf>,
    /// Format of the file, if its content does not show it
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub from: Option<String>,
    /// Addresses or names of hosts: a CSV with the header address,host and rows like 10.0.0.1,h0 or
    /// 10.1.0.0/16,h1
    #[arg(long, value_name = "MAP")]
    pub hosts: Option<PathBuf>,
    /// With hpcc-flows: the topology.txt that tells which nodes are hosts
    #[arg(long, value_name = "FILE")]
    pub topology: Option<PathBuf>,
    /// With pcap: silence of one end after which its next data is a new flow [default: 10 ms]
    #[arg(long, value_name = "TIME")]
    pub idle_gap: Option<String>,
    /// With pcap and netflow: set the class of a flow to the server's port, as tcp-443
    #[arg(long)]
    pub class_by_port: bool,
    /// With pcap and netflow: import UDP as well, as if it were TCP
    #[arg(long)]
    pub udp: bool,
    /// With netflow: one packet in N was sampled, so sizes are multiplied by N; 1 takes them as they are [default:
    /// the rate in the file]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sampling: Option<u64>,
    /// Draw starts on a coarse grid within its steps; TIME names the step of the clock [default: the step found]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "found")]
    pub spread: Option<String>,
    /// Seed of the draws of --spread
    #[arg(long, value_name = "N", default_value_t = 1, requires = "spread")]
    pub seed: u64,
    /// Leave out flows that start before this date or number of seconds of the file's clock
    #[arg(long, value_name = "DATE")]
    pub from_time: Option<String>,
    /// Leave out flows that start later than TIME after the first one that is kept
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
    /// Keep the times of the file; without this option the first flow starts at 0
    #[arg(long)]
    pub keep_times: bool,
    /// With htsim: leave out connections that wait for a trigger; without this option they are refused
    #[arg(long)]
    pub drop_triggered: bool,
    /// With sonic: queue to use, where several differ: 3, 3-4 or 'Ethernet0|3-4'
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// With sonic: buffer profile of the queue to use
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Columns by hand. With csv and netflow: start=NAME,src=NAME,dst=NAME,size=NAME, and class=, group=; start_ms=
    /// names a unit, and size_kb= too. With files without a header their fields in order, - for one that is not used:
    /// start_s,src,dst,-,size or src,dst,pg,packets,start,stop
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// With hpcc-flows and cdf: the file counts packets, with so many bytes of payload each
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=65_535))]
    pub packet: Option<u64>,
    /// Print what was read, kept and left out as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

fn formats() -> Vec<&'static str> {
    Format::ALL.iter().map(|(name, _)| *name).collect()
}

/// Largest file size; a larger file would not fit in memory together with its conversion.
const LARGEST: u64 = 2 << 30;

/// Converts a file, and writes the results.
pub fn import(args: &ImportArgs) -> Outcome {
    let name = args.file.display().to_string();
    let bytes = contents(&args.file)?;
    let options = options(args)?;
    let format = match &args.from {
        Some(name) => Format::ALL
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, format)| *format),
        None => None,
    };
    let format = match format {
        Some(format) => format,
        None => Format::detect(&name, &bytes, &options).map_err(Failure::input)?,
    };
    refuse_of_others(args, format.name())?;
    let imported = read(&name, &bytes, format, &options).map_err(Failure::input)?;
    let target = args.into.as_deref().map(Target::open).transpose()?;
    let mut made = Vec::new();
    if let Some(target) = &target {
        made.extend(new_folder("--into", &target.folder())?);
    }
    let done = match stem(args, target.as_ref()).parent() {
        None => Ok(Vec::new()),
        Some(folder) => new_folder("--out", folder),
    };
    let done = done.and_then(|folders| {
        made.extend(folders);
        connect(args, &name, &imported, target.as_ref())
    });
    if done.is_err() {
        remove_folders(&made);
    }
    let (places, wired) = done?;
    let wired = target.as_ref().map(Target::path).zip(wired.as_ref());
    if args.json {
        out::say_json(&to_json(&name, format, &imported, &places, wired));
    } else {
        out::say(&to_text(format, &imported, &places, wired));
    }
    Ok(0)
}

/// Writes the files, and the scenario that reads them; all or none.
fn connect(
    args: &ImportArgs,
    name: &str,
    imported: &Imported,
    target: Option<&Target>,
) -> Result<(Vec<PathBuf>, Option<Wired>), Failure> {
    let places = write(&stem(args, target), imported)?;
    let wired = target.map(|target| {
        let wired = target.wire(name, imported, &places);
        let wired =
            wired.map_err(|why| Failure::input(format!("--into: {why}\nnothing was written")))?;
        target.write(&wired).map(|()| wired)
    });
    let wired = wired.transpose().inspect_err(|_| {
        for place in &places {
            let _ = fs::remove_file(place);
        }
    })?;
    Ok((places, wired))
}

/// Creates a folder if it does not exist, and those above it. Returns the created ones, the uppermost first.
fn new_folder(option: &str, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing = folder.ancestors().take_while(missing);
    let mut new: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    new.reverse();
    let made = fs::create_dir_all(folder);
    made.map_err(|why| {
        remove_folders(&new);
        Failure::input(format!(
            "{option}: cannot make the directory {}: {why}",
            folder.display()
        ))
    })?;
    Ok(new)
}

/// Removes those of the folders that are empty, the last first.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Refuses options that do not apply to the file's format.
fn refuse_of_others(args: &ImportArgs, format: &str) -> Result<(), Failure> {
    const FLOWS: &[&str] = &["csv", "pcap", "netflow", "hpcc-flows", "htsim"];
    let named: [(&str, bool, &[&str]); 14] = [
        ("--topology", args.topology.is_some(), &["hpcc-flows"]),
        ("--hosts", args.hosts.is_some(), &["csv", "pcap", "netflow"]),
        ("--idle-gap", args.idle_gap.is_some(), &["pcap"]),
        ("--class-by-port", args.class_by_port, &["pcap", "netflow"]),
        ("--udp", args.udp, &["pcap", "netflow"]),
        ("--sampling", args.sampling.is_some(), &["netflow"]),
        ("--spread", args.spread.is_some(), FLOWS),
        ("--from-time", args.from_time.is_some(), FLOWS),
        ("--for", args.length.is_some(), FLOWS),
        ("--drop-triggered", args.drop_triggered, &["htsim"]),
        ("--profile", args.profile.is_some(), &["sonic"]),
        ("--queue", args.queue.is_some(), &["sonic"]),
        (
            "--columns",
            args.columns.is_some(),
            &["csv", "netflow", "hpcc-flows", "htsim", "cdf"],
        ),
        ("--packet", args.packet.is_some(), &["hpcc-flows", "cdf"]),
    ];
    match named
        .iter()
        .find(|(_, given, of)| *given && !of.contains(&format))
    {
        Some((option, _, of)) => Err(Failure::input(format!(
            "{option}: expected a file of format {}, got {format}",
            of.join(" or ")
        ))),
        None => Ok(()),
    }
}

/// Returns the prefix of the output files.
fn stem(args: &ImportArgs, target: Option<&Target>) -> PathBuf {
    let beside = args.file.with_extension("");
    let Some(out) = &args.out else {
        return match (target, beside.file_name()) {
            (Some(target), Some(name)) => target.folder().join(name),
            _ => beside,
        };
    };
    let folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/');
    match (folder, beside.file_name()) {
        (true, Some(name)) => out.join(name),
        _ => out.clone(),
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, Failure> {
    let wrong = |why: String| Failure::input(format!("cannot read {}: {why}", path.display()));
    let about = fs::metadata(path).map_err(|why| wrong(why.to_string()))?;
    if about.is_dir() {
        return Err(wrong("expected a file, got a directory".into()));
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path)
        .map_err(|why| wrong(why.to_string()))?
        .take(LARGEST + 1);
    file.read_to_end(&mut bytes)
        .map_err(|why| wrong(why.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        let expected = format!(
            "expected at most {LARGEST} bytes; cut a capture to its headers with `editcap -s 96`"
        );
        return Err(wrong(expected));
    }
    Ok(bytes)
}

/// Reads a time of the option `name` as picoseconds.
fn time(name: &str, text: &str) -> Result<u64, Failure> {
    match parse_quantity(text, Unit::Time) {
        Ok(Quantity::Time(time)) => Ok(time.ps()),
        Ok(other) => unreachable!("a time was read as {other:?}"),
        Err(why) => Err(Failure::input(format!("{name}: {why}"))),
    }
}

fn options(args: &ImportArgs) -> Result<Options, Failure> {
    let idle_gap = time("--idle-gap", args.idle_gap.as_deref().unwrap_or("10 ms"))?;
    let spread = match args.spread.as_deref() {
        None => Spread::No,
        Some("found") => Spread::Found,
        Some(step) => match time("--spread", step)? {
            0 => {
                let expected = "--spread: expected a step above 0, like --spread=1ms, got 0";
                return Err(Failure::input(expected));
            }
            step => Spread::Step(step),
        },
    };
    let from_time = args.from_time.as_deref().map(|text| {
        let expected = "a date with a time like 2026-09-01T10:00:05 or seconds of the file's clock";
        time_of(text).ok_or_else(|| {
            Failure::input(format!("--from-time: expected {expected}, got {text:?}"))
        })
    });
    let length = args.length.as_deref().map(|text| time("--for", text));
    let hosts = args.hosts.as_deref().map(|path| {
        let map = Hosts::read(&path.display().to_string(), &contents(path)?);
        map.map_err(Failure::input)
    });
    let nodes = args.topology.as_deref().map(|path| {
        let nodes = Nodes::read(&path.display().to_string(), &contents(path)?);
        nodes.map_err(Failure::input)
    });
    let columns = args.columns.as_deref().map(|text| {
        let columns = Columns::read(text);
        columns.map_err(|why| Failure::input(format!("--columns: {why}")))
    });
    Ok(Options {
        columns: columns.transpose()?,
        packet: args.packet,
        hosts: hosts.transpose()?,
        nodes: nodes.transpose()?,
        idle_gap,
        class_by_port: args.class_by_port,
        udp: args.udp,
        keep_times: args.keep_times,
        drop_triggered: args.drop_triggered,
        from_time: from_time.transpose()?,
        length: length.transpose()?,
        spread,
        seed: args.seed,
        sampling: args.sampling,
        profile: args.profile.clone(),
        queue: args.queue.clone(),
    })
}

/// Writes all files or none; never overwrites a file.
fn write(stem: &Path, imported: &Imported) -> Result<Vec<PathBuf>, Failure> {
    let place = |made: &OutputKind| {
        let mut name = stem.as_os_str().to_os_string();
        name.push(".");
        name.push(made.ending());
        PathBuf::from(name)
    };
    let mut places: Vec<PathBuf> = Vec::new();
    for (made, text) in &imported.files {
        let place = place(made);
        let opened = File::create_new(&place);
        let began = opened.is_ok();
        if let Err(why) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
            // Removes the files written here, and keeps those that existed before.
            for mine in places.iter().chain(began.then_some(&place)) {
                let _ = fs::remove_file(mine);
            }
            let words = match why.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    format!("{} already exists: choose another --out", place.display())
                }
                _ => format!("cannot write {}: {why}", place.display()),
            };
            return Err(Failure::input(words));
        }
        places.push(place);
    }
    Ok(places)
}

fn to_json(
    name: &str,
    format: Format,
    imported: &Imported,
    places: &[PathBuf],
    wired: Option<(&Path, &Wired)>,
) -> Value {
    let count = |all: &[(String, u64)]| -> Vec<Value> {
        let one = |(what, many): &(String, u64)| json!({"what": what, "count": many});
        all.iter().map(one).collect()
    };
    let files = imported.files.iter().zip(places);
    let files = files.map(|((made, _), place)| {
        json!({"kind": made.ending().split('.').next(), "path": place.display().to_string()})
    });
    json!({
        "file": name,
        "format": format.name(),
        "written": files.collect::<Vec<_>>(),
        "read": count(&imported.read),
        "kept": count(&imported.kept),
        "dropped": count(&imported.dropped),
        "notes": imported.notes,
        "block": wiring::block(imported, places),
        "scenario": wired.map(|(path, wired)| json!({
            "path": path.display().to_string(),
            "made": wired.made,
            "set": wired.set,
        })),
    })
}

fn to_text(
    format: Format,
    imported: &Imported,
    places: &[PathBuf],
    wired: Option<(&Path, &Wired)>,
) -> String {
    let mut text = format!("format {}\n", format.name());
    for (word, all) in [
        ("read", &imported.read),
        ("kept", &imported.kept),
        ("left out", &imported.dropped),
    ] {
        for (what, many) in all {
            text.push_str(&format!(
                "{word:<8} {many:>12}  {}\n",
                counting(*many, what)
            ));
        }
    }
    for note in &imported.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    for ((made, _), place) in imported.files.iter().zip(places) {
        let used = match made {
            OutputKind::Flows => "the flow list",
            OutputKind::Hosts => "hosts by address; pass it to the next import with --hosts",
            OutputKind::Topology => "the network",
            OutputKind::Switch => "the section [switch]",
            OutputKind::Sizes => "the sizes of flows, for cdf of a workload",
        };
        text.push_str(&format!("wrote {}: {used}\n", place.display()));
    }
    match wired {
        Some((path, wired)) => {
            let shown = path.display().to_string();
            text.push_str(&match &wired.made {
                Some(made) => format!("made {shown}: {made}\n"),
                None => {
                    let used = imported.files.iter().zip(places);
                    let used = used.filter(|((made, _), _)| *made != OutputKind::Hosts);
                    let used: Vec<String> =
                        used.map(|(_, place)| place.display().to_string()).collect();
                    format!("wrote {shown}, which uses {}:\n", used.join(" and "))
                }
            });
            for line in &wired.set {
                text.push_str(&format!("  {line}\n"));
            }
            let scenario = init::quoted(&shown);
            let results = init::quoted(&path.with_file_name("results").display().to_string());
            text.push_str(&format!(
                "\nnext\n  sidestep check {scenario} --brief\n  sidestep run {scenario} --out {results}\n"
            ));
        }
        None => {
            let block = wiring::block(imported, places);
            let instead = match block.contains("[topology]") {
                true => " in place of its [topology] and duration",
                false => "",
            };
            text.push_str(&format!(
                "\nto use it, paste this into a scenario{instead}, or import with --into SCENARIO.toml:\n\n{block}"
            ));
        }
    }
    text
}
