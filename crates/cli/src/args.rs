//! Command line arguments.

use crate::values::{Datapath, whole};
use clap::{Args, Parser, Subcommand};
use sidestep_study::catalog::KINDS;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The burst-tolerance lab for data-centre networks.
///
/// Pick a topology, a workload and schemes; see in seconds what a burst does.
#[derive(Debug, Parser)]
#[command(
    name = "sidestep",
    version = VERSION.as_str(),
    max_term_width = 100,
    after_help = "\
Examples:
  sidestep run quickstart                    an incast on 16 hosts, in a second
  sidestep init mine                         a scenario to edit, with its files
  sidestep import capture.pcap               a flow list from captured packets
  sidestep run dibs-demo --jobs 2            DIBS against DCTCP on 128 hosts
  sidestep reproduce dibs --quick            the figures of a paper, checked against its claims
  sidestep check my.toml                     all values of a scenario, and its load
  sidestep view results/mine                 show a recording in a browser
  sidestep list buffers                      all buffer policies, with every parameter

Exit status: 0 success, 1 the run failed, 2 the input was wrong, 130 interrupted. Only `reproduce` \
exits with 1 for a verdict on a claim."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// Version, with the commit it was built from.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), sidestep_study::COMMIT);
    format!("{version} (commit {commit})")
});

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every scheme of a scenario with every seed, at every point of its sweep
    #[command(visible_alias = "sweep")]
    Run(Box<RunArgs>),
    /// Reproduce the figures of a paper, with a verdict for each claim
    Reproduce(ReproduceArgs),
    /// Explain a scenario: every value with its source, and the offered load
    Check(CheckArgs),
    /// List what there is to choose from: schemes, policies, workloads, metrics and more
    List(ListArgs),
    /// Show the table of a result directory, or the path of a packet
    Show(ShowArgs),
    /// Explain the path of one packet of a run, decision by decision
    Why(WhyArgs),
    /// Show recorded runs in a browser, or write them as one HTML file
    View(crate::view::ViewArgs),
    /// Run benchmarks by name
    Bench(BenchArgs),
    /// Switch real frames between Linux interfaces
    Switch(SwitchArgs),
    /// Run a scenario over the kernel's TCP and software switches
    Testbed(crate::testbed::args::TestbedArgs),
    /// Print the decisions of a switch policy row by row, as test vectors for hardware
    Vectors(VectorsArgs),
    /// Write an example scenario, trace, topology and scheme to start from
    Init(crate::init::InitArgs),
    /// Write the crate of a new switch policy, for `run --plugin`
    NewPolicy(crate::new_policy::NewPolicyArgs),
    /// Convert captures, NetFlow, and files of other simulators and switches
    Import(crate::import::ImportArgs),
    /// Print the JSON Schema of a file format, for editors
    Schema(crate::schema::SchemaArgs),
    /// Print the completions of a shell
    Completions(crate::faces::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(crate::faces::ManArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep run dibs-demo --set workload.query.rate=\"600 /s\" --seeds 1..3
  sidestep run dibs-demo --schemes dctcp,dibs,infinite --out results/three
  sidestep run dibs-demo --seed 1 --trace-packets \"detours>=15\"
  sidestep run quickstart --plugin least-full
  sidestep run dibs-demo --seed 1 --record --record-window \"2 ms..12 ms\"
  sidestep run my.toml --json --out results/mine | jq .schemes.dibs.qct_ms
  sidestep run my-sweep.toml --executor dask:tcp://head:8786 --cache s3://bucket/records

The result directory holds report.html, manifest.json, summary.json, scenario.toml, flows.parquet, \
queries.parquet, groups.parquet, ports.parquet, subflows.parquet, counts.parquet, samples.parquet, \
probes.json if anything was probed, and plots/. A sweep has experiment.toml in place of \
scenario.toml, and the tables points.parquet, counts.parquet and samples.parquet. Ctrl-C writes \
the results so far. Repeat an interrupted or killed command to continue it.")]
pub struct RunArgs {
    /// Scenario file, folder with a scenario.toml, or name of a shipped scenario (see `sidestep list scenarios`)
    pub scenario: String,
    /// Change a value: `switch.capacity="50 pkt"`, `scheme.dibs.transport.rto_min="1 ms"`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Compare these schemes: `dctcp,dibs`; schemes of the scenario, shipped ones, or files
    #[arg(long, value_name = "SCHEMES", alias = "scheme")]
    pub schemes: Option<String>,
    /// Run this seed only
    #[arg(long, value_name = "N", conflicts_with = "seeds", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Run these seeds: `1..10` or `1-10` for ten, or `1,2,5`; `3` is one seed, number 3
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Number of concurrent runs [default: one per core, or fewer with --threads]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Threads of each run, which share its network: `auto`, or a number; results do not depend on it [default:
    /// 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threads: Option<String>,
    /// Result directory, which must not exist yet [default: results/SCENARIO-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the whole table: every class, packets by what happened to them, cost, and all warnings
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print the summary as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Print the numbers of the table as CSV and nothing else, a row for each scheme and metric; with --all every metric
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Keep the paths of packets: `detours>=8`, `dropped`, `flow=12` or `id=100:3`
    #[arg(long, value_name = "FILTER")]
    pub trace_packets: Option<String>,
    /// Record the queues, packets and windows of each run in recordings/SCHEME-SEED.srec, for `sidestep view`
    #[arg(long)]
    pub record: bool,
    /// With --record: time span to record [default: around the first query, up to 20 MB]
    #[arg(long, value_name = "FROM..TO", requires = "record")]
    pub record_window: Option<String>,
    /// With --record: flows whose windows are recorded: `all`, `none`, `1/10` or `3,5,8` [default: all]
    #[arg(long, value_name = "FLOWS", requires = "record")]
    pub record_flows: Option<String>,
    /// With --record: packets whose events are recorded: `all`, `none`, `1/10` or `flows 3,5`; queue lengths
    /// are always recorded [default: all]
    #[arg(long, value_name = "PACKETS", requires = "record")]
    pub record_packets: Option<String>,
    /// Apply the file's `[quick]`: a first look in less time
    #[arg(long)]
    pub quick: bool,
    /// Add the scheme of a plug-in: the folder of a crate from `new-policy`, which is built first, or a library
    #[arg(long = "plugin", value_name = "DIR")]
    pub plugins: Vec<PathBuf>,
    /// Folder of finished runs, which later calls reuse [default: results/.cache]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Reuse no finished runs, and keep none
    #[arg(long)]
    pub no_cache: bool,
    /// Save the state of each run at this interval, and continue from the last saved one: `10 ms` of simulated
    /// time, or `clock 5 min`
    #[arg(long, value_name = "EVERY")]
    pub checkpoint: Option<String>,
    /// With --checkpoint: folder of the saved states [default: results/.checkpoints/SCENARIO]
    #[arg(long, value_name = "DIR", requires = "checkpoint")]
    pub checkpoint_to: Option<PathBuf>,
    /// Run even if the estimated memory is not available
    #[arg(long)]
    pub force: bool,
    /// Executor of a sweep's runs: `local`, `dask`, `dask:tcp://HOST:PORT`, `ray`, `ray:HOST:PORT` or
    /// `slurm:partition=NAME`; needs the Python package, and then --cache may be a URL (see docs/how-to/scaling.md)
    #[arg(long, value_name = "EXECUTOR", conflicts_with_all = ["trace_packets", "force", "plugins", "csv", "record", "record_window", "record_flows", "record_packets", "checkpoint", "threads"])]
    pub executor: Option<String>,
    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    pub progress: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep reproduce                         all figures except those that take hours each: one to two hours on two cores
  sidestep reproduce dibs --quick            one paper, shortened: two to seven minutes
  sidestep reproduce dibs/fig08 --jobs 2     one figure
  sidestep reproduce plts                    spraying packets over all paths, against ECMP: 20 minutes on two cores
  sidestep reproduce beyond                  questions that the papers leave open
  sidestep reproduce plts --dry-run          the time each figure will take on this machine
  sidestep reproduce dibs/fig06 --testbed    the simulator compared with real packets and the kernel's TCP
  sidestep reproduce dibs --quick --json | jq '.claims[] | {id, paper, ours, verdict}'

The result directory holds report.html, report.json and a folder for each figure with its plots, \
points.csv, summary.json and experiment.toml. A folder `experiments/PAPER/` in the working \
directory replaces the shipped figures of that paper. `sidestep list experiments` names them all. \
Finished runs are kept: repeat an interrupted command to continue it. If the runs will take more \
than a minute, the time of each figure is printed on standard error first.

Exit status: 1 if the verdict on a claim is not the one that this version expects (with --quick, \
`can't tell` is accepted); 2 if the input is wrong; 130 after Ctrl-C, with a partial report.")]
pub struct ReproduceArgs {
    /// Paper, or one of its figures: `dibs`, `dibs/fig08` [default: all]
    #[arg(value_name = "PAPER[/FIGURE]")]
    pub what: Option<String>,
    /// Run fewer points, fewer seeds and less time, as set in each figure's `[quick]`
    #[arg(long)]
    pub quick: bool,
    /// Number of concurrent runs [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Result directory, which must not exist yet [default: results/reproduce-PAPER-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Folder of finished runs, which later calls reuse [default: results/.cache]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Reuse no finished runs, and keep none
    #[arg(long)]
    pub no_cache: bool,
    /// Run even if the estimated memory is not available
    #[arg(long, conflicts_with = "testbed")]
    pub force: bool,
    /// Run nothing: print for each figure the number of runs, how many are finished, and how long the others
    /// will take
    #[arg(long, conflicts_with_all = ["keep_stalled", "force", "out", "progress"])]
    pub dry_run: bool,
    /// Run one figure on the testbed as well, and check its claims against the testbed: needs root
    #[arg(long)]
    pub testbed: bool,
    /// With --testbed: emulated rate of the first host's link [default: 100 Mbps]
    #[arg(long, value_name = "RATE", requires = "testbed")]
    pub rate: Option<String>,
    /// With --testbed: datapath of its switches, one process each or programs in the kernel [default: packet]
    #[arg(long, value_enum, requires = "testbed")]
    pub datapath: Option<Datapath>,
    /// No longer needed: every run on the testbed is kept, and marked if this machine stalled
    #[arg(long, requires = "testbed", hide = true)]
    pub keep_stalled: bool,
    /// Print the report as one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Report progress even if standard error is not a terminal
    #[arg(long)]
    pub progress: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep check dibs-demo --brief
  sidestep check dibs-demo --set workload.background.inter_arrival=\"10 ms\"")]
pub struct CheckArgs {
    /// Scenario files, folders with a scenario.toml, or names of shipped scenarios
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Change a value, as in `run`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Apply the file's `[quick]`
    #[arg(long)]
    pub quick: bool,
    /// Print the load, the estimate, assumed values and warnings only
    #[arg(long, conflicts_with = "json")]
    pub brief: bool,
    /// Number of concurrent runs to estimate for [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep list                              all kinds, one entry per line
  sidestep list workloads                    one kind, with parameters, defaults and sources
  sidestep list metrics                      the metrics of claims and plots, with units")]
pub struct ListArgs {
    #[arg(help = kinds())]
    pub kind: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// Returns the kinds as text: "scenarios, experiments … or cdfs".
fn kinds() -> String {
    let (last, others) = KINDS.split_last().expect("there are kinds");
    format!("{} or {last}", others.join(", "))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep show results/mine                 the table of the run
  sidestep show results/mine --packet 100:3  one packet's path, hop by hop
  sidestep show results/mine --flow 12       the traced packets of one flow
  sidestep show results/mine --recording     number of recorded events, by kind
  sidestep show results/mine --recording --scheme dibs --seed 1 --at \"edge 0.0\" --during \"2 ms..2.1 ms\"

`sidestep run --trace-packets` keeps paths; `sidestep why` explains any packet without them.")]
pub struct ShowArgs {
    /// Result directory
    pub dir: PathBuf,
    /// Show what was recorded; with --at, --packet or --during, list the events
    #[arg(long, conflicts_with_all = ["flow", "packets"])]
    pub recording: bool,
    /// With --recording: events at this switch or host
    #[arg(long, value_name = "NAME", requires = "recording")]
    pub at: Option<String>,
    /// With --recording: events in this time span
    #[arg(long, value_name = "FROM..TO", requires = "recording")]
    pub during: Option<String>,
    /// With --recording: largest number of events to list
    #[arg(long, value_name = "N", requires = "recording", default_value_t = 200, value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub most: usize,
    /// Show the path of this packet: its source host and its number there, as `100:3`
    #[arg(long, value_name = "ID", conflicts_with = "flow")]
    pub packet: Option<String>,
    /// Show the traced packets of this flow
    #[arg(long, value_name = "ID", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub flow: Option<u32>,
    /// List the packets whose paths were kept, those with the most detours first
    #[arg(long)]
    pub packets: bool,
    /// Only this scheme
    #[arg(long)]
    pub scheme: Option<String>,
    /// Only this seed: for packets and recordings, since the numbers of the table are of all seeds together
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Print the whole table, as `run --all`
    #[arg(long, conflicts_with_all = ["json", "recording", "packet", "flow", "packets"])]
    pub all: bool,
    /// Print the numbers of the table as CSV, as `run --csv`
    #[arg(long, conflicts_with_all = ["json", "recording", "packet", "flow", "packets"])]
    pub csv: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep why results/mine --scheme dibs --seed 1 --packet 100:3
  sidestep why results/mine --scheme dibs --seed 1 --flow 12
  sidestep why results/mine --scheme dctcp --seed 1 --dropped
  sidestep why results/mine --scheme dctcp --seed 1 --class query     the slowest flow of a workload

The run is repeated from the files of the result directory, this time with an account of the \
packet; the first run needs no recording. The last line tells whether the repeated run equals the \
first. docs/how-to/why.md explains the output.

Exit status: 1 if the repeated run differs from the recorded one.")]
pub struct WhyArgs {
    /// Result directory of `sidestep run`
    pub dir: PathBuf,
    /// Explain this packet: its source host and its number there, as `100:3`
    #[arg(long, value_name = "ID", conflicts_with_all = ["flow", "dropped", "detoured"])]
    pub packet: Option<String>,
    /// List the packets of this flow, to choose from
    #[arg(long, value_name = "ID", conflicts_with_all = ["dropped", "detoured"], value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub flow: Option<u32>,
    /// List the dropped packets
    #[arg(long, conflicts_with = "detoured")]
    pub dropped: bool,
    /// List the detoured packets
    #[arg(long)]
    pub detoured: bool,
    /// With --dropped or --detoured: only packets of this class, a workload or a class of a flow list; alone: the
    /// packets of its slowest flow
    #[arg(long, value_name = "NAME", conflicts_with_all = ["packet", "flow"])]
    pub class: Option<String>,
    /// Scheme, if the directory holds several
    #[arg(long)]
    pub scheme: Option<String>,
    /// Seed, if the directory holds several
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Folder of the files that the scenario refers to [default: DIR, its parent folder, then the current one]
    #[arg(long, value_name = "FOLDER")]
    pub files: Option<PathBuf>,
    /// Plug-in with the policy that the scheme had; may be given several times
    #[arg(long = "plugin", value_name = "DIR")]
    pub plugins: Vec<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Times are CPU time of one thread; on a shared machine ratio_to_heap, measured within one run, is \
the most reliable value.

`sidestep bench switch` needs root: it floods the software switch and the Linux bridge in \
temporary network namespaces and prints medians over the rounds. Then it sends pings through both \
while idle; `sidestep bench latency` does only that. `sidestep bench garbage --rounds 10` sends \
ten million random frames to a switch and checks that each is counted; `garbage-ebpf` and \
`garbage-xdp` do the same with the datapath in the kernel and with AF_XDP. `sidestep bench soak \
--rounds 60` sends for an hour at half of the paced rate, in both directions, and fails if a frame \
is lost; `soak-ebpf` and `soak-xdp` use the other datapaths.")]
pub struct BenchArgs {
    /// Name of the benchmark [default: all that do not need root]
    pub name: Option<String>,
    /// Rounds, each with the wheel and with the heap agenda; for soak, minutes
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub rounds: u32,
    /// For soak: load as a percentage of the paced rate [default: 50]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub load: Option<u32>,
    /// For soak: paced rate of the ports [default: 100 Mbps]
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Append a row for each benchmark of the simulator to this CSV file (bench/history.csv)
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Run the short form of this benchmark once and print its packet-hops; --history runs it under Valgrind
    #[arg(long, hide = true, requires = "name")]
    pub brief: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep vectors dibs                      CSV, as in conformance/vectors/
  sidestep vectors sched/pfabric --count 1000 --seed 7
  sidestep vectors dibs-flow | cut -d, -f2,12,32,33,34
  sidestep vectors agent-droptail            an agent below a sender

Each row of a buffer or a route has the state of a small switch, a packet, the random draws and \
the policy's decision; each row of a scheduler is one operation on a queue. Rows of a policy with \
state, such as red, form sequences. Masks are hexadecimal, bit p for port p. Rows cycle through \
the policy's defaults and one changed parameter at a time. Host mechanisms have rows too: agents, \
receivers that report duplicates, duplicate thresholds, coupled windows. docs/reference/vectors.md explains \
the columns.")]
pub struct VectorsArgs {
    /// Route, buffer or scheduler, or `shim/NAME`, `receiver/dsack`, `threshold/NAME`, `coupled/NAME`; if two
    /// have the same name, with the kind, as `sched/NAME`
    pub policy: String,
    /// Number of rows [default: as many as in `conformance/vectors/`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
    /// Seed of the rows; those of `conformance/vectors/` have seed 1
    #[arg(long, default_value_t = 1, value_name = "S", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep switch edge0.toml                 switch frames until SIGTERM or Ctrl-C; needs root
  sidestep switch edge0.toml --user switches run as this user once everything is open
  sidestep switch edge0.toml --check         the config with all values
  sidestep switch edge0.toml --ask counters | jq .ports
  sidestep switch edge0.toml --ask reload    like SIGHUP: read the config again, without losing a frame
  sidestep switch edge0.toml --ask '{\"do\": \"capture\", \"file\": \"/tmp/x.pcapng\"}'
  sidestep switch edge0.toml --ask '{\"do\": \"change\", \"port\": \"up0\", \"link\": \"down\"}'

docs/how-to/softswitch.md describes the config. --ask needs `control` in its [process].")]
pub struct SwitchArgs {
    /// Config file
    pub config: PathBuf,
    /// Datapath: this process, or a program in the kernel
    #[arg(long, value_enum, default_value = "packet")]
    pub datapath: Datapath,
    /// Print the config with all its values, and exit
    #[arg(long, conflicts_with = "ask")]
    pub check: bool,
    /// Send a question to the switch that runs with this config: counters, reset, reload, stop, or a JSON
    /// object
    #[arg(long, value_name = "WHAT", conflicts_with = "json")]
    pub ask: Option<String>,
    /// Run as this user once everything is open, overriding the config: a name or number, auto, or keep
    #[arg(long, conflicts_with = "ask")]
    pub user: Option<String>,
    /// Print the last counters as one line of JSON at the end
    #[arg(long)]
    pub json: bool,
}
