//! A conformance scenario: a network, a switch's decision, and packets at given times.

use sidestep_config::decision::{ALPHA, CAPACITY, Decision, MEMORY, POLICIES, decision};
use sidestep_config::differ::{Called, resolve_switches};
use sidestep_config::document::{Item, Table, find, parse};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::section;
use sidestep_config::source::{Origin, Sources};
use sidestep_config::spec::{Layer, Spec};
use sidestep_sim::{Files, Network, topology};
use sidestep_types::{Param, ParamUnit, Time, Value, Values};
use std::path::Path;

/// One scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its file's name.
    pub name: String,
    /// Of draws and salts.
    pub seed: u64,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// What must happen at least once: a drop reason, or `detours`, `marks`, `trims`, `delivered`.
    pub shows: Vec<String>,
    pub network: Network,
    /// Of each switch.
    pub decisions: Vec<Decision>,
    pub flows: Vec<Flow>,
}

/// Packets from one host to another.
#[derive(Clone, Debug)]
pub struct Flow {
    pub from: u32,
    pub to: u32,
    pub start: Time,
    pub every: Time,
    pub packets: u64,
    /// Payload of each; 0 is an acknowledgement.
    pub bytes: u32,
    pub ect: bool,
    /// What pFabric orders by, up to 63: the code point.
    pub rank: u32,
}

const TOP: &[Param] = &[
    Param::required("says", ParamUnit::File, ""),
    Param::with_default("seed", ParamUnit::Count, "1", ""),
    Param::with_default("ttl", ParamUnit::Count, "64", ""),
    Param::required("cables", ParamUnit::File, ""),
];

const FLOW: &[Param] = &[
    Param::required("from", ParamUnit::Count, ""),
    Param::required("to", ParamUnit::Count, ""),
    Param::required("start", ParamUnit::Time, ""),
    Param::required("every", ParamUnit::Time, ""),
    Param::required("packets", ParamUnit::Count, ""),
    Param::with_default("bytes", ParamUnit::Count, "1460", ""),
    Param::with_default("ect", ParamUnit::Flag, "false", ""),
    Param::with_default("rank", ParamUnit::Count, "0", ""),
];

/// The time by which every scenario is over.
pub const END: Time = Time::from_s(1);

impl Scenario {
    /// All of `conformance/scenarios`, by name.
    pub fn all() -> Vec<Scenario> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/scenarios");
        let files = std::fs::read_dir(&folder).expect("conformance/scenarios");
        let paths = files.map(|file| file.expect("a file").path());
        let mut paths: Vec<_> = paths
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .to_string();
            let text = std::fs::read_to_string(path).expect("readable");
            Scenario::read(&name, &text)
        };
        paths.iter().map(read).collect()
    }

    fn read(name: &str, text: &str) -> Scenario {
        let mut problems = Problems::default();
        let scenario = whole(name, text, &mut problems);
        let said = problems.into_sorted();
        assert!(said.is_empty(), "{said:#?}");
        scenario.expect("no problems, a scenario")
    }
}

fn whole(name: &str, text: &str, problems: &mut Problems) -> Option<Scenario> {
    let file = format!("conformance/scenarios/{name}.toml");
    let root = parse(&file, text, problems);
    let at = At::file(&file);
    let inner = ["shows", "switch", "flow"];
    let plain: Table = root
        .iter()
        .filter(|e| !inner.contains(&e.key.as_str()))
        .cloned()
        .collect();
    let top = section("", TOP, &[], &plain, &at, problems)?;
    let switch = find(&root, "switch")?.node.table("switch", problems)?;
    let network = network(&top.values.word("cables"));
    let decisions = decisions(switch, &network, &at, problems)?;
    let mut words = Vec::new();
    if let Item::List(shows) = &find(&root, "shows")?.node.item {
        for node in shows {
            words.push(node.text("shows", "a word", problems)?.to_string());
        }
    }
    let mut flows = Vec::new();
    if let Item::List(nodes) = &find(&root, "flow")?.node.item {
        for node in nodes {
            let table = node.table("flow", problems)?;
            flows.push(flow(
                &section("flow", FLOW, &[], table, &node.at, problems)?.values,
            ));
        }
    }
    Some(Scenario {
        name: name.to_string(),
        seed: top.values.count("seed"),
        ttl: top.values.count("ttl") as u8,
        shows: words,
        network,
        decisions,
        flows,
    })
}

/// What each switch decides by.
fn decisions(
    switch: &Table,
    network: &Network,
    at: &At,
    problems: &mut Problems,
) -> Option<Vec<Decision>> {
    let spec = Spec {
        name: "switch",
        params: &[CAPACITY, MEMORY, ALPHA],
        kind: None,
        policies: POLICIES,
    };
    let layer = Layer {
        table: switch,
        origin: &Origin::Scenario(Sources::new()),
        name: "switch",
        prefix: "",
        shared: false,
    };
    let called = network.switches.iter().map(|info| Called {
        name: &info.name,
        tier: info.tier.as_deref(),
    });
    let called: Vec<Called<'_>> = called.collect();
    let mut ledger = Ledger::default();
    let (all, differing) =
        resolve_switches(&spec, &[layer], Some(&called), at, &mut ledger, problems)?;
    let decision = decision(&all)
        .map_err(|(part, why)| all.refused(part, &why, at, problems))
        .ok()?;
    let mut decisions = vec![decision; network.switches.len()];
    for differing in differing {
        for switch in differing.switches {
            decisions[switch] = differing.decision.clone();
        }
    }
    Some(decisions)
}

fn flow(values: &Values) -> Flow {
    Flow {
        from: values.count("from") as u32,
        to: values.count("to") as u32,
        start: values.time("start"),
        every: values.time("every"),
        packets: values.count("packets"),
        bytes: values.count("bytes") as u32,
        ect: values.flag("ect"),
        rank: values.count("rank") as u32,
    }
}

struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(format!("a,b,rate,delay\n{}\n", self.0))
    }
}

fn network(cables: &str) -> Network {
    let mut values = Values::default();
    values.set("file", Value::Word("cables".to_string()));
    topology::build("custom", &values, &Text(cables)).expect("a good network")
}
