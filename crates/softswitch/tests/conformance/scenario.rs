//! A conformance scenario: a network, a switch's decision, the shims of hosts, and packets at given times.

use sidestep_config::decision::{Decision, Memory, POLICIES};
use sidestep_config::differ::{Called, resolve_switches};
use sidestep_config::document::{Item, Table, find, parse};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::section;
use sidestep_config::source::{Origin, Sources};
use sidestep_config::spec::{Layer, Spec};
use sidestep_sim::{Files, Network, topology};
use sidestep_softswitch::setup::{Setup, Tags};
use sidestep_transport::shim;
use sidestep_types::{Param, ParamUnit, Settings, Time, Value, Values};
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
    /// Of every host.
    pub shims: Vec<shim::Chosen>,
    /// Switches rank data by what they saw of its flow; so long a silence ends it.
    pub sent: Option<Time>,
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
    /// Which packet each sending is: of those that are sent again there are several.
    pub sends: Vec<u64>,
    /// Sequence numbers are of bytes: shims go by them.
    pub in_bytes: bool,
    /// Payload of each; 0 is an acknowledgement.
    pub bytes: u32,
    pub ect: bool,
    /// What pFabric orders by, and the class of service, up to 63: the code point.
    pub rank: u32,
    /// Its last packet says that it ends.
    pub ends: bool,
    /// What its receiver sends back.
    pub answers: Vec<Answer>,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub at: Time,
    /// The next byte that is expected.
    pub ack: u64,
    /// It echoes a mark.
    pub ece: bool,
}

/// Acknowledgements of flow n are packets of the flow of this number and n.
pub const ANSWERS: u32 = 1 << 15;

impl Flow {
    /// Does packet `n` say that the flow ends?
    pub fn ends_with(&self, n: u64) -> bool {
        self.ends && n + 1 == self.packets
    }

    /// The sequence number of sending `n`: its own, and where there are shims that of its packet's first byte.
    pub fn seq(&self, n: u64) -> u64 {
        match self.in_bytes {
            false => n,
            true => self.sends[n as usize] * u64::from(self.bytes),
        }
    }

    /// Was the packet of sending `n` sent before?
    pub fn again(&self, n: u64) -> bool {
        self.sends[..n as usize].contains(&self.sends[n as usize])
    }

    /// All its bytes, each once.
    pub fn size(&self) -> u64 {
        self.sends.iter().max().map_or(0, |last| last + 1) * u64::from(self.bytes)
    }
}

const TOP: &[Param] = &[
    Param::required("says", ParamUnit::File, ""),
    Param::with_default("seed", ParamUnit::Count, "1", ""),
    Param::with_default("ttl", ParamUnit::Count, "64", ""),
    Param::required("cables", ParamUnit::File, ""),
    // What a port of the software switch says of the shims of its host.
    Param::with_default("shims", ParamUnit::File, "", ""),
    // Switches rank data by what they saw of its flow, which so long a silence ends.
    Param::with_default("sent", ParamUnit::Time, "off", "").or_off("off"),
    // What its [switch] says of their tags.
    Param::with_default("tags", ParamUnit::File, "", ""),
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
    // Each so many sendings one is of a packet sent before: the one that new data was so many packets ahead of.
    Param::with_default("again_every", ParamUnit::Count, "0", ""),
    Param::with_default("again_back", ParamUnit::Count, "1", ""),
    Param::with_default("ends", ParamUnit::Flag, "false", ""),
    // Packets that have arrived in order, `e` behind one that echoes a mark.
    Param::with_default("answers", ParamUnit::File, "", ""),
    Param::with_default("answers_start", ParamUnit::Time, "0 us", ""),
    Param::with_default("answers_every", ParamUnit::Time, "0 us", ""),
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
            let mut read = flow(&section("flow", FLOW, &[], table, &node.at, problems)?.values);
            read.in_bytes = !top.values.word("shims").is_empty();
            flows.push(read);
        }
    }
    Some(Scenario {
        name: name.to_string(),
        seed: top.values.count("seed"),
        ttl: top.values.count("ttl") as u8,
        shows: words,
        network,
        decisions,
        shims: shims(&top.values.word("shims"), &top.values.word("tags")),
        sent: top.values.time_or_off("sent"),
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
        params: Memory::PARAMS,
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
    let (_, decision, differing) =
        resolve_switches(&spec, &[layer], Some(&called), at, &mut ledger, problems)?;
    let mut decisions = vec![decision?; network.switches.len()];
    for differing in differing {
        for switch in differing.switches {
            decisions[switch] = differing.decision.clone();
        }
    }
    Some(decisions)
}

/// How frames carry the tags of these shims.
pub fn tags(shims: &[shim::Chosen]) -> Option<Tags> {
    let mark = shims.iter().find(|shim| shim.nature().tags)?;
    Some(Tags::of(mark.values()).expect("it was read"))
}

/// The shims that a port with these lines has, in a switch with those.
fn shims(port: &str, switch: &str) -> Vec<shim::Chosen> {
    let text =
        format!("[switch]\n{switch}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n{port}\n");
    let setup = Setup::read("shims", &text).expect("lines of a port and a switch");
    setup.ports[0].shims.clone()
}

fn flow(values: &Values) -> Flow {
    let bytes = values.count("bytes");
    let (start, every) = (values.time("answers_start"), values.time("answers_every"));
    let words = values.word("answers");
    let answer = |(n, word): (u64, &str)| Answer {
        at: start + every * n,
        ack: bytes * word.trim_end_matches('e').parse::<u64>().expect("packets"),
        ece: word.ends_with('e'),
    };
    Flow {
        sends: sends(
            values.count("packets"),
            values.count("again_every"),
            values.count("again_back"),
        ),
        in_bytes: false,
        answers: (0..).zip(words.split_whitespace()).map(answer).collect(),
        from: values.count("from") as u32,
        to: values.count("to") as u32,
        start: values.time("start"),
        every: values.time("every"),
        packets: values.count("packets"),
        bytes: values.count("bytes") as u32,
        ect: values.flag("ect"),
        rank: values.count("rank") as u32,
        ends: values.flag("ends"),
    }
}

/// Which packet each sending is, with one of each `every` a repeat of what was sent `back` packets before.
fn sends(sendings: u64, every: u64, back: u64) -> Vec<u64> {
    let mut new = 0u64;
    let one = |n: u64| match every > 0 && (n + 1).is_multiple_of(every) {
        true => new.saturating_sub(back),
        false => {
            new += 1;
            new - 1
        }
    };
    (0..sendings).map(one).collect()
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
