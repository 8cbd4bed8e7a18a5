//! Arguments of `sidestep testbed`.

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

docs/how-to/testbed.md describes the testbed, and its deviations from a scenario's network.")]
pub struct TestbedArgs {
    #[command(subcommand)]
    pub command: TestbedCommand,
}

#[derive(Debug, Subcommand)]
pub enum TestbedCommand {
    /// Build a scenario's network from namespaces, veth links and software switches
    Up(UpArgs),
    /// Run the scenario's flows on the testbed, one seed after the other
    Run(RunArgs),
    /// Show which testbeds are up, and the counters of their switches
    Status(StatusArgs),
    /// Remove a testbed, including what a crash left behind
    Down(DownArgs),
}

#[derive(Debug, Args)]
pub struct UpArgs {
    /// Scenario file, or name of a shipped scenario
    #[arg(default_value = "dibs-testbed")]
    pub scenario: String,
    /// Scheme whose switches and hosts are built [default: the scenario's only one]
    #[arg(long)]
    pub scheme: Option<String>,
    /// Emulated rate of the first host's link; everything else is slower by the same factor
    #[arg(long, default_value = RATE, value_name = "RATE")]
    pub rate: String,
    /// Name of the testbed, and prefix of its namespaces
    #[arg(long, default_value = "sidestep")]
    pub name: String,
    /// Change a value of the scenario, as in `run`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Use Linux bridges instead of software switches, for comparison: no policy, no rate, no loops
    #[arg(long, conflicts_with = "datapath")]
    pub bridge: bool,
    /// Datapath of the switches: a process each, or programs in the kernel (docs/how-to/ebpf.md)
    #[arg(long, value_enum, default_value = "packet")]
    pub datapath: Datapath,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The result directory is that of `sidestep run`: manifest.json, summary.json, flows.parquet, \
queries.parquet, groups.parquet, ports.parquet, subflows.parquet, counts.parquet, samples.parquet \
and plots/; --kernel-stats adds kernel.parquet. Times are those of the emulated network; \
`testbed` in the manifest has the factor by which they were longer on this machine, and the \
lateness of switches, hosts and changes. Every run is kept; runs in which the machine stalled are \
marked, and results are given with and without them. Ctrl-C writes the results so far.")]
pub struct RunArgs {
    /// Run seeds 1 to N: one query each in `dibs-testbed`
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub queries: Option<u64>,
    /// Run these seeds: `1..10`, or `1,2,5` [default: the scenario's]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Result directory, which must not exist yet [default: results/SCENARIO-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Testbed to use [default: the only one]
    #[arg(long)]
    pub name: Option<String>,
    /// No longer needed: every run is kept, and marked if this machine stalled
    #[arg(long, hide = true)]
    pub keep_stalled: bool,
    /// Record each run from the switches' notes in recordings/SCHEME-SEED.srec, for `sidestep view`
    #[arg(long)]
    pub record: bool,
    /// Query the kernel every 10 ms about each flow's sender (windows, round trips, reordering, losses), and
    /// write kernel.parquet
    #[arg(long)]
    pub kernel_stats: bool,
    /// Print the whole table, as `run --all`
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print the summary as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Testbed to show [default: all]
    #[arg(long)]
    pub name: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DownArgs {
    /// Testbed to remove [default: the only one]
    #[arg(long)]
    pub name: Option<String>,
    /// Also remove namespaces with that name that belong to no known testbed, with all their processes
    #[arg(long)]
    pub force: bool,
}
