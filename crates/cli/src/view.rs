//! `sidestep view`: shows recordings in a browser.

use crate::failure::{Failure, Outcome};
use crate::out;
use crate::values::whole;
use clap::Args;
use serde_json::{Value, json};
use sidestep_view::{Choice, LARGE, Limits, Page, PageContents, Recording, Server, write_html};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep run dibs-demo --seed 1 --record --out results/demo
  sidestep view results/demo                 prints an address and serves the page until Ctrl-C
  sidestep view results/demo --open          the same, and opens the page in a browser
  sidestep view results/demo --html burst.html   one file to share, which needs neither a network nor Sidestep
  sidestep view results/demo --scheme dctcp,dibs --seed 1
  sidestep view before/recordings/dibs-1.srec after/recordings/dibs-1.srec   side by side

The page is served on this machine only (127.0.0.1), to browsers that have the whole address: its \
long part is a random token, new each time. Only the page and the recordings found at the start \
are served. The first two recordings are shown side by side. docs/how-to/page.md explains the page. A \
command built before `make web` contains no page; --page names one.")]
pub struct ViewArgs {
    /// Result directories with recordings, or recordings (.srec)
    #[arg(required = true, value_name = "DIR")]
    pub places: Vec<PathBuf>,
    /// Only these schemes
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    pub scheme: Vec<String>,
    /// Only these seeds
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Vec<u64>,
    /// Port to serve at [default: a free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub port: u16,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Write the page with the recordings inside into this file, and serve nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "open"])]
    pub html: Option<PathBuf>,
    /// With --html: replace an existing file
    #[arg(long, requires = "html")]
    pub force: bool,
    /// Page file, as built by `make web` [default: the one built into the command]
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Print what is served or written as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// Serves the page until Ctrl-C, or writes it.
pub fn view(args: &ViewArgs) -> Outcome {
    let choice = Choice {
        schemes: args.scheme.clone(),
        seeds: args.seed.clone(),
    };
    let shown = PageContents::gather(&args.places, &choice)?;
    let page = match &args.page {
        Some(path) => Page::read(path)?,
        None => Page::built_in()?,
    };
    match &args.html {
        Some(path) => write(args, &page, &shown, path),
        None => serve(args, &page, shown),
    }
}

fn write(args: &ViewArgs, page: &Page, shown: &PageContents, path: &Path) -> Outcome {
    let bytes = write_html(page, shown, path, args.force)?;
    let name = path.display();
    if bytes > LARGE {
        out::remark(&format!(
            "warning: {name} has {}: above {} a browser takes seconds to open it; --scheme and --seed choose recordings",
            size(bytes),
            size(LARGE)
        ));
    }
    match args.json {
        true => out::say_json(&json!({
            "html": name.to_string(),
            "bytes": bytes,
            "recordings": listed(shown),
        })),
        false => out::say(&format!(
            "{name}: {}, with {}\n",
            size(bytes),
            counted(shown)
        )),
    }
    Ok(0)
}

fn serve(args: &ViewArgs, page: &Page, shown: PageContents) -> Outcome {
    let (recordings, words) = (listed(&shown), counted(&shown));
    let server = Server::bind(page, shown, args.port, Limits::default())?;
    // Ctrl-C is the regular end of the server.
    ctrlc::set_handler(|| std::process::exit(0))
        .map_err(|why| Failure::work(format!("cannot wait for Ctrl-C: {why}")))?;
    let address = server.address();
    match args.json {
        true => out::say_json(&json!({"address": address, "recordings": recordings})),
        false => out::say(&format!(
            "{address}\nserving {words} on this machine only, until Ctrl-C\n"
        )),
    }
    if args.open
        && let Err(why) = open::that_detached(&address)
    {
        out::remark(&format!(
            "cannot open a browser ({why}): open the address above yourself"
        ));
    }
    server.run()
}

/// Returns the description of each recording for the page, without its bytes.
fn listed(shown: &PageContents) -> Vec<Value> {
    shown.recordings.iter().map(Recording::about).collect()
}

/// Describes the recordings: `2 recordings, 12.3 MB: dctcp-1, dibs-1`.
fn counted(shown: &PageContents) -> String {
    let names: Vec<&str> = shown.recordings.iter().map(|r| r.name.as_str()).collect();
    let bytes = shown.recordings.iter().map(|r| r.bytes).sum();
    let many = match names.len() {
        1 => "1 recording".to_string(),
        n => format!("{n} recordings"),
    };
    format!("{many}, {}: {}", size(bytes), names.join(", "))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
