//! Conformance scenario: a network, a switch's decision, the shims of hosts, and packets at given times.

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

/// Conformance scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of its file.
    pub name: String,
    /// Seed of draws and salts.
    pub seed: u64,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// Events that must happen at least once: a drop reason, or `detours`, `marks`, `trims`, `delivered`.
    pub shows: Vec<String>,
    pub network: Network,
    /// Decision of each switch.
    pub decisions: Vec<Decision>,
    /// Shims of every host.
    pub shims: Vec<shim::Chosen>,
    /// Silence after which a flow's rank starts at 0 again, if switches rank data by the bytes sent so far.
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
    /// Number of the packet in each transmission: retransmitted packets have several.
    pub sends: Vec<u64>,
    /// True if sequence numbers count bytes, as shims need.
    pub in_bytes: bool,
    /// Payload of each packet; 0 is an acknowledgement.
    pub bytes: u32,
    pub ect: bool,
    /// Rank for pFabric, and class of service, up to 63: the code point.
    pub rank: u32,
    /// True if its last packet ends the flow.
    pub ends: bool,
    /// Acknowledgements of its receiver.
    pub answers: Vec<Answer>,
}

/// Acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub at: Time,
    /// Next byte expected.
    pub ack: u64,
    /// True if it echoes a mark.
    pub ece: bool,
}

/// Acknowledgements of flow n are packets of the flow with this number plus n.
pub const ANSWERS: u32 = 1 << 15;

impl Flow {
    /// Returns true if packet `n` ends the flow.
    pub fn ends_with(&self, n: u64) -> bool {
        self.ends && n + 1 == self.packets
    }

    /// Returns the sequence number of transmission `n`: its number, or, where there are shims, that of its
    /// packet's first byte.
    pub fn seq(&self, n: u64) -> u64 {
        match self.in_bytes {
            false => n,
            true => self.sends[n as usize] * u64::from(self.bytes),
        }
    }

    /// Returns true if transmission `n` is a retransmission.
    pub fn again(&self, n: u64) -> bool {
        self.sends[..n as usize].contains(&self.sends[n as usize])
    }

    /// Returns the bytes of the flow, each counted once.
    pub fn size(&self) -> u64 {
        self.sends.iter().max().map_or(0, |last| last + 1) * u64::from(self.bytes)
    }
}

const TOP: &[Param] = &[
    Param::required("says", ParamUnit::File, ""),
    Param::with_default("seed", ParamUnit::Count, "1", ""),
    Param::with_default("ttl", ParamUnit::Count, "64", ""),
    Param::required("cables", ParamUnit::File, ""),
    // Lines of a port of the software switch that configure the shims of its host.
    Param::with_default("shims", ParamUnit::File, "", ""),
    // Switches rank data by the bytes of its flow so far, until a silence of this length.
    Param::with_default("sent", ParamUnit::Time, "off", "").or_off("off"),
    // Lines of `[switch]` that configure its tags.
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
    // One in so many transmissions is a retransmission: of the packet so many packets before the newest data.
    Param::with_default("again_every", ParamUnit::Count, "0", ""),
    Param::with_default("again_back", ParamUnit::Count, "1", ""),
    Param::with_default("ends", ParamUnit::Flag, "false", ""),
    // Packets that have arrived in order, with `e` behind one that echoes a mark.
    Param::with_default("answers", ParamUnit::File, "", ""),
    Param::with_default("answers_start", ParamUnit::Time, "0 us", ""),
    Param::with_default("answers_every", ParamUnit::Time, "0 us", ""),
];

/// Time by which every scenario is over.
pub const END: Time = Time::from_s(1);

impl Scenario {
    /// Reads all of `conformance/scenarios`, sorted by name.
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

/// Returns the decision of each switch.
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

/// Returns the tags of frames for these shims.
pub fn tags(shims: &[shim::Chosen]) -> Option<Tags> {
    let mark = shims.iter().find(|shim| shim.nature().tags)?;
    Some(Tags::of(mark.values()).expect("it was read"))
}

/// Returns the shims of a port with these lines, in a switch with those.
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

/// Returns the number of the packet in each transmission; one in `every` is a retransmission of the packet
/// `back` packets before.
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
