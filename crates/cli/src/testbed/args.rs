//! The words of `sidestep testbed`.

use crate::values::Datapath;
use clap::{Args, Subcommand};
use sidestep_testbed::RATE;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep testbed up dibs-testbed --scheme dibs     needs root, and iproute2
  sidestep testbed run --queries 50 --out results/testbed
  sidestep testbed status
  sidestep testbed down

What is built, and how far it is a scenario's network: docs/testbed.md.")]
pub struct TestbedArgs {
    #[command(subcommand)]
    pub command: TestbedCommand,
}

#[derive(Debug, Subcommand)]
pub enum TestbedCommand {
    /// Build a scenario's network out of namespaces, veth links and software switches
    Up(UpArgs),
    /// Run the scenario's flows over the testbed, one seed after the other
    Run(RunArgs),
    /// Say what stands, and what the switches have counted
    Status(StatusArgs),
    /// Take everything away, also what a crash left
    Down(DownArgs),
}

#[derive(Debug, Args)]
pub struct UpArgs {
    /// A scenario file, or the name of a shipped one
    #[arg(default_value = "dibs-testbed")]
    pub scenario: String,
    /// The scheme whose switches and hosts are built [default: the scenario's only one]
    #[arg(long)]
    pub scheme: Option<String>,
    /// What the first host's link is emulated at; everything else is slower by the same factor
    #[arg(long, default_value = RATE, value_name = "RATE")]
    pub rate: String,
    /// What the testbed and its namespaces are called
    #[arg(long, default_value = "sidestep")]
    pub name: String,
    /// Change a value of the scenario, as in `run`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Linux bridges instead of software switches, for comparison: no policy, no rate, no loops
    #[arg(long, conflicts_with = "datapath")]
    pub bridge: bool,
    /// Who moves the frames of the switches: a process each, or programs in the kernel (docs/ebpf.md)
    #[arg(long, value_enum, default_value = "packet")]
    pub datapath: Datapath,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The result directory is that of `sidestep run`: manifest.json, summary.json, flows.parquet, \
queries.parquet, groups.parquet, ports.parquet, subflows.parquet, counts.parquet, samples.parquet and plots/; \
--kernel-stats adds kernel.parquet. Times in it are those of the network that is emulated; the manifest says under \
`testbed` by which factor they were longer on this machine, how late switches, hosts and changes of the network were. \
Every run is kept; those in which the machine stalled are marked, and the numbers are there with and without them. \
Ctrl-C writes what there is.")]
pub struct RunArgs {
    /// Run seeds 1 to N: one query each in `dibs-testbed`
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub queries: Option<u64>,
    /// Run these seeds: `1..10`, or `1,2,5` [default: the scenario's]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// The result directory, which must not exist yet [default: results/SCENARIO-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The testbed to use [default: the only one]
    #[arg(long)]
    pub name: Option<String>,
    /// Not needed any more: every run is kept, and one in which this machine stalled is marked
    #[arg(long, hide = true)]
    pub keep_stalled: bool,
    /// Record each run for a page to play, from what the switches note, in recordings/SCHEME-SEED.srec
    #[arg(long)]
    pub record: bool,
    /// Ask the kernel every 10 ms what it says of each flow's sender (windows, round trips, reordering, losses), in
    /// kernel.parquet
    #[arg(long)]
    pub kernel_stats: bool,
    /// Print the summary as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The testbed to look at [default: all]
    #[arg(long)]
    pub name: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DownArgs {
    /// The testbed to remove [default: the only one]
    #[arg(long)]
    pub name: Option<String>,
    /// Also remove namespaces of that name that no testbed was written down for, with all
    /// processes inside
    #[arg(long)]
    pub force: bool,
}
