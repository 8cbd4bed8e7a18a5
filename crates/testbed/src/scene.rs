//! A scheme of a scenario as a blueprint for the testbed, or why it cannot be one.

use crate::error::Error;
use crate::network::blueprint::{
    Agent, Blueprint, Cable, Congestion, End, HostSettings, Kernel, MOST_SUBFLOWS, Marks, Switch,
};
use crate::network::changes::{self, Becomes, Change};
use crate::scale::Scale;
use crate::traffic::LEAST_MSS;
use sidestep_lab::{Probe, Scenario, Scheme, SchemeConfig, Setting};
use sidestep_softswitch::setup::{Tags, shims_to_toml};
use sidestep_switch::{buffer, route, sched};
use sidestep_transport::{TcpConfig, shim};
use sidestep_types::{
    BitRate, Chosen, Framing, PortId, Quantity, Refusal, Time, Unit, Value, Values, parse_quantity,
};

/// An order, read: what to run, and what to build for it.
pub struct Scene {
    /// With one scheme.
    pub scenario: Scenario,
    /// Between its times and this machine's.
    pub scale: Scale,
    /// What to build.
    pub blueprint: Blueprint,
    /// What becomes of its cables during a run.
    pub changes: Vec<Change>,
    /// What the testbed does otherwise than the scenario says.
    pub differences: Vec<String>,
}

impl Scene {
    /// The first scheme of a scenario at `rate`, as the testbed called `name`.
    pub fn of(scenario: Scenario, rate: &str, name: &str) -> Result<Scene, Error> {
        let scale = scale(&scenario, rate)?;
        let scheme = &scenario.schemes[0];
        let (settings, mut differences) = settings(&scenario, scheme, scale)
            .map_err(|why| Error::Input(format!("scheme {}: {why}", scheme.name)))?;
        differences.extend(around(&scenario));
        let blueprint = blueprint(&scenario, scale, settings, name)?;
        let changes = changes(scheme, scale);
        changes::check(&changes)
            .map_err(|why| Error::Input(format!("{}: at {rate}: {why}", scenario.name)))?;
        if !changes.is_empty() {
            differences.push(
                "each switch is told of a change by itself, within a fraction of a millisecond as measured; a host's NIC \
                 goes on sending into a link that is down, where the switch refuses it"
                    .into(),
            );
        }
        Ok(Scene {
            changes,
            blueprint,
            scenario,
            scale,
            differences,
        })
    }
}

/// The changes of a scheme as they are here.
fn changes(scheme: &Scheme, scale: Scale) -> Vec<Change> {
    let one = |change: &sidestep_sim::Change| Change {
        at_ns: scale.here_ns(change.at),
        cable: change.cable as usize,
        to: match change.to {
            sidestep_sim::Becomes::Rate(rate) => Becomes::Rate(scale.rate(rate)),
            sidestep_sim::Becomes::Down => Becomes::Down,
            sidestep_sim::Becomes::Up => Becomes::Up,
        },
        reroute_ns: change.reroute.map(|after| scale.here_ns(after)),
    };
    scheme.config.changes.iter().map(one).collect()
}

/// How much slower than its network a testbed may be.
const SLOWEST: u64 = 1_000;

fn scale(scenario: &Scenario, rate: &str) -> Result<Scale, Error> {
    let bed = match parse_quantity(rate, Unit::Rate) {
        Ok(Quantity::Rate(bed)) => bed,
        Ok(other) => unreachable!("a rate was asked for, got {other:?}"),
        Err(e) => return Err(Error::Input(format!("--rate {rate:?}: {e}"))),
    };
    let access = sidestep_sim::workload::Site::of(&scenario.network).access;
    let model = access.first().copied().unwrap_or(bed);
    // Slower than this, timeouts would be longer than the kernel takes.
    let least = model.as_bps().div_ceil(SLOWEST);
    if bed > model || bed.as_bps() < least {
        return Err(Error::Input(format!(
            "--rate {rate:?}: expected from {} to the {model} of the scenario's hosts: {SLOWEST} times slower at most",
            BitRate::bps(least)
        )));
    }
    Ok(Scale { model, bed })
}

fn blueprint(
    scenario: &Scenario,
    scale: Scale,
    settings: HostSettings,
    name: &str,
) -> Result<Blueprint, Error> {
    let network = &scenario.network;
    let refuse = |why: String| Error::Input(format!("{}: {why}", scenario.name));
    let config = &scenario.schemes[0].config;
    let hops = network.next_hops().map_err(refuse)?;
    let end = |end: sidestep_sim::End| match end {
        sidestep_sim::End::Host(h) => End::Host(h.0 as usize),
        sidestep_sim::End::Switch(s) => End::Switch(s.0 as usize),
    };
    let cable = |cable: &sidestep_sim::Cable| Cable {
        a: end(cable.a),
        b: end(cable.b),
        rate_bps: scale.rate(cable.rate),
        delay_ns: scale.here_ns(cable.delay),
    };
    let switch =
        |(number, (info, hops)): (usize, (&sidestep_sim::SwitchInfo, Vec<Vec<_>>))| Switch {
            name: info.name.clone(),
            next_hops: hops
                .iter()
                .map(|to: &Vec<PortId>| to.iter().map(|port| port.0).collect())
                .collect(),
            decision: decision(scenario, number, scale),
        };
    let blueprint = Blueprint {
        name: name.to_string(),
        scale: scale.factor(),
        hosts: network.hosts as usize,
        switches: network
            .switches
            .iter()
            .zip(hops)
            .enumerate()
            .map(switch)
            .collect(),
        cables: network.cables.iter().map(cable).collect(),
        settings,
        shims: shims(&at_ports(config), scale),
        announces: config.shims.iter().any(marks_what_remains),
        fabric_mtu: tags(&config.shims).map_or(0, |tags| tags.carry.mtu()),
        settle_ns: settle(scenario, scale),
        seed: 1,
    };
    blueprint.check().map_err(refuse)?;
    Ok(blueprint)
}

/// What switch `number` decides by, in the words of a software switch's config.
fn decision(scenario: &Scenario, number: usize, scale: Scale) -> String {
    let mut decision = scenario.decision(0, number);
    decision.route = last_longer(&decision.route, route::choose, scale);
    decision.buffer = last_longer(&decision.buffer, buffer::choose, scale);
    decision.sched = last_longer(&decision.sched, sched::choose, scale);
    let mut lines = decision.to_toml();
    if let Some(gap) = scenario.schemes[0].config.switch.sent {
        let gap = Time::from_ns(scale.here_ns(gap));
        lines.push_str(&format!("rank = \"sent\"\nrank_gap = \"{gap}\"\n"));
    }
    let shims = &scenario.schemes[0].config.shims;
    if let Some(marks) = shims.iter().find(|shim| shim.name() == MARKS)
        && let Some(codes) = marks.values().numbers_or_off("dscp")
    {
        let codes: Vec<String> = codes.iter().map(u64::to_string).collect();
        lines.push_str(&format!("dscp = \"{}\"\n", codes.join(", ")));
    }
    if let Some(tags) = tags(shims) {
        lines.push_str("rank = \"tag\"\n");
        for (key, word) in tags.words() {
            lines.push_str(&format!("{key} = \"{word}\"\n"));
        }
    }
    lines
}

/// A policy or a shim whose times are longer here.
fn last_longer<M: ?Sized>(
    chosen: &Chosen<M>,
    choose: fn(&str, &Values) -> Result<Chosen<M>, Refusal>,
    scale: Scale,
) -> Chosen<M> {
    let mut values = chosen.values().clone();
    for param in chosen.params() {
        if let Value::Time(time) = *values.get(param.name) {
            let here = Time::from_ns(scale.here_ns(time));
            values.set(param.name, Value::Time(here));
        }
    }
    choose(chosen.name(), &values).expect("a longer time is as good")
}

/// How long switches remember a flow that is silent, here.
fn settle(scenario: &Scenario, scale: Scale) -> u64 {
    let remembers = |number| {
        let sched = scenario.decision(0, number).sched;
        let values = sched.values();
        if sched.get("count").is_none() {
            return 0;
        }
        match values.word_or_off("count").as_deref() {
            None => 0,
            Some("exact") => scale.here_ns(values.time("silence")),
            Some(_) => 2 * scale.here_ns(values.time("window")),
        }
    };
    let switches = 0..scenario.network.switches.len();
    switches.map(remembers).max().unwrap_or(0)
}

/// What the hosts are told, and what the kernel does otherwise.
fn settings(
    scenario: &Scenario,
    scheme: &Scheme,
    scale: Scale,
) -> Result<(HostSettings, Vec<String>), String> {
    let config = &scheme.config;
    if config.framing != Framing::Ethernet {
        return Err("framing: expected \"ethernet\", which is what the switches pace by".into());
    }
    if config.switch.pfc.is_some() || config.switch.cioq.is_some() {
        return Err("switch.pfc and switch.fabric = \"cioq\": only the simulator has them".into());
    }
    let lasting = |s: &&Setting| s.key.ends_with(".connection") && s.value == "persistent";
    if let Some(workload) = scenario.settings().iter().find(lasting) {
        return Err(format!(
            "{}: expected \"own\" or \"shared\": what the kernel counts of a connection is not what it counts of \
             one message after another",
            workload.key
        ));
    }
    if config.nic.is_some() {
        return Err(
            "host.capacity, host.buffer and host.sched: expected \"unlimited\", \"droptail\" and \"fifo\": a host \
             here sends by a queue of the kernel's without a limit"
                .into(),
        );
    }
    one_transport(scenario, scheme)?;
    let Some(tcp) = config.transport.each_tcp() else {
        return Err(not_in_the_kernel("pfabric"));
    };
    if tcp.handshake {
        return Err(
            "transport.handshake: expected false: connections are made before a run".into(),
        );
    }
    if tcp.fin {
        return Err("transport.fin: expected false: connections outlast a run".into());
    }
    let settings = HostSettings {
        congestion: congestion(tcp)?,
        ecn: !matches!(
            tcp.congestion,
            sidestep_transport::Congestion::NewReno { ecn: false }
        ),
        initial_window: tcp.initial_window,
        fast_retransmit: tcp.dupack_threshold,
        sack: told_sack(tcp),
        rto_min_us: scale.here_ns(tcp.rto.min) / 1000,
        rto_max_ms: scale.here_ns(tcp.rto.max) / 1_000_000,
        idle_restart: tcp.idle_restart,
        delayed_ack: tcp.delayed_ack.is_some(),
        receive_window: tcp.receive_window,
        send_buffer: send_buffer(scenario)?,
        mss: mss(scenario, scheme, tcp)?,
        ttl: config.ttl,
        kernel: match config.kernel {
            sidestep_lab::Kernel::Told => Kernel::Told,
            sidestep_lab::Kernel::Plain => Kernel::Plain,
            sidestep_lab::Kernel::Stock => Kernel::Stock,
        },
        subflows: subflows(scenario, scheme)?,
        agent: agent(&config.shims)?,
        marks: marks(config)?,
    };
    marks_can_be_set(scenario, &settings)?;
    let mut differences = differences(tcp, config.switch.sent.is_some());
    differences.extend(marking(config));
    if let sidestep_transport::TransportConfig::Mptcp(mptcp) = &config.transport
        && mptcp.subflows > 1
        && mptcp.coupling != sidestep_transport::mptcp::Coupling::Uncoupled
    {
        differences.push(
            "the kernel couples no windows: each subflow grows by itself, as transport.coupled = \"none\""
                .into(),
        );
    }
    Ok((settings, differences))
}

/// Refuses workloads with a transport of their own, unless it is the scheme's: a host's namespace has one congestion
/// control and one set of settings of TCP, which all its connections have.
fn one_transport(scenario: &Scenario, scheme: &Scheme) -> Result<(), String> {
    let config = &scheme.config;
    let mut own = config.transports.own.iter().flatten();
    if own.all(|own| *own == config.transport) {
        return Ok(());
    }
    let of_scheme = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name);
    let settings = || scenario.settings().iter().filter(of_scheme);
    let differs = settings().find_map(|own| {
        let (workload, key) = own.key.rsplit_once(".transport.")?;
        workload.strip_prefix("workload.")?;
        let key = format!("transport.{key}");
        let common = settings().find(|common| common.key == key);
        let common = common.map_or("nothing", |common| &common.value);
        (common != own.value).then(|| (own, common.to_string()))
    });
    let (own, common) = differs.expect("transports that differ have a key that does");
    Err(format!(
        "{}: expected {common:?}, as transport says of all workloads: a host of the testbed has one congestion control \
         and one set of settings of TCP for all its connections, got {:?}; the simulator has one for each workload",
        own.key, own.value
    ))
}

/// The subflows of each connection, when it is MPTCP.
fn subflows(scenario: &Scenario, scheme: &Scheme) -> Result<Option<u32>, String> {
    let sidestep_transport::TransportConfig::Mptcp(mptcp) = &scheme.config.transport else {
        return Ok(None);
    };
    if let Some(shim) = scheme
        .config
        .shims
        .iter()
        .find(|shim| marks_what_remains(shim))
    {
        let name = shim.name();
        return Err(format!(
            "host.{name}.by: expected \"packets\" or \"bytes\" with transport \"mptcp\": an edge switch sees \
             subflows, and not which bytes of a message each carries, got \"remaining\""
        ));
    }
    let subflows = u32::from(mptcp.subflows);
    if subflows > MOST_SUBFLOWS {
        return Err(format!(
            "transport.subflows: expected at most {MOST_SUBFLOWS}, which the kernel's MPTCP has, got {subflows}"
        ));
    }
    for seed in &scenario.seeds {
        let plan = scenario.plan(*seed)?;
        if let Some(flow) = plan.flows.iter().find(|flow| flow.mss.is_some()) {
            return Err(format!(
                "workload.{}: mss: expected that of transport with \"mptcp\": a kernel's subflows have the segments of \
                 their hosts",
                plan.classes[usize::from(flow.class)]
            ));
        }
    }
    Ok(Some(subflows))
}

fn not_in_the_kernel(kind: &str) -> String {
    format!(
        "transport.kind: expected \"newreno\", \"dctcp\" or \"mptcp\", which the kernel has, got {kind:?}"
    )
}

fn congestion(tcp: &TcpConfig) -> Result<Congestion, String> {
    let thousandths = |share: f64| (share * 1024.0).round() as u32;
    match tcp.congestion {
        sidestep_transport::Congestion::NewReno { .. } => Ok(Congestion::Reno),
        sidestep_transport::Congestion::Dctcp {
            alpha_moves: sidestep_transport::AlphaMoves::Echoes,
            ..
        } => Err(
            "transport.dctcp_alpha_moves: expected \"windows\", as the kernel's alpha moves, got \"echoes\""
                .into(),
        ),
        sidestep_transport::Congestion::Dctcp { loss_leaves, .. } if loss_leaves != 0.5 => Err(format!(
            "transport.dctcp_loss_leaves: expected 0.5, what the kernel leaves, got {loss_leaves}"
        )),
        sidestep_transport::Congestion::Dctcp {
            gain,
            initial_alpha,
            ..
        } => match thousandths(gain) {
            0 => Err(format!(
                "transport.dctcp_gain: expected at least 1/1024, got {gain}"
            )),
            gain => Ok(Congestion::Dctcp {
                gain,
                initial_alpha: thousandths(initial_alpha),
            }),
        },
        sidestep_transport::Congestion::Swift { .. } => Err(not_in_the_kernel("swift")),
    }
}

/// The shim that is a program of the host's own here: see [`mod@crate::network::agent`].
const AGENT: &str = "agent-droptail";

/// The most that its `longest` may be: each connection has a counter for each length.
const LONGEST: u64 = 1024;

/// The agent of every host, if it has one.
pub(crate) fn agent(shims: &[shim::Chosen]) -> Result<Option<Agent>, String> {
    let Some(place) = shims.iter().position(|shim| shim.name() == AGENT) else {
        return Ok(None);
    };
    let (name, values) = (AGENT, shims[place].values());
    // Its program is below the host's TCP, and other shims behind its cable.
    if place > 0 {
        return Err(format!(
            "host.shims: {name}: expected it first, next to the transport, where the testbed has it, got {} before it",
            shims[place - 1].name()
        ));
    }
    let longest = values.count("longest");
    if longest > LONGEST {
        return Err(format!(
            "host.{name}.longest: expected at most {LONGEST}, as a BPF map has a counter for each length and \
             connection, got {longest}"
        ));
    }
    Ok(Some(Agent {
        pass: values.count("pass"),
        share: values.fraction("share"),
        exceed: values.word("until") == "exceeded",
        per_host: values.word("per") == "host",
        first: values.count("first"),
        repaired: values.word("repaired") == "counted",
        recovery: values.word("recovery") == "pass",
        shortest: values.count("shortest"),
        longest,
    }))
}

/// The shim that is the host's own here where `host.marker` says so.
pub(crate) const MARKS: &str = "by-size";

/// The marks that hosts set by themselves, if they do.
pub(crate) fn marks(config: &SchemeConfig) -> Result<Option<Marks>, String> {
    let place = config.shims.iter().position(|shim| shim.name() == MARKS);
    let Some(place) = place.filter(|_| config.marker == sidestep_lab::Marker::Host) else {
        return Ok(None);
    };
    let (name, values) = (MARKS, config.shims[place].values());
    if place > 0 {
        return Err(format!(
            "host.shims: {name}: expected it first, next to the transport, where sockets mark, got {} before it; with \
             host.marker = \"port\" it stands at the port of the switch",
            config.shims[place - 1].name()
        ));
    }
    let classes =
        sidestep_transport::shim::by_size::Classes::read(values).map_err(|why| why.to_string())?;
    Ok(Some(Marks {
        by_sent: values.word("by") == "sent",
        thresholds: classes.thresholds,
        services: classes.services,
        mirrors: values.word("acks") == "flow",
    }))
}

/// What marks, and what switches make of it, in sentences.
fn marking(config: &SchemeConfig) -> Vec<String> {
    let Some(marks) = config.shims.iter().find(|shim| shim.name() == MARKS) else {
        return Vec::new();
    };
    let values = marks.values();
    let mut list = Vec::new();
    if config.marker == sidestep_lab::Marker::Host {
        let words = match values.word("by").as_str() {
            "sent" => {
                "a program at each host's interface marks, and SYN/ACKs and acknowledgements as well; that a flow has ended \
                 its switch learns from silence"
            }
            _ => {
                "sockets mark: a flow has one code point, its SYN too, and its sender closes behind the last byte, so that a \
                 FIN ends it"
            }
        };
        list.push(words.to_string());
    }
    if values.numbers_or_off("dscp").is_some() {
        list.push(
            "switches sort the code points of by-size.dscp into its classes; in the simulator a code point is the number of \
             its class, and what is above the last waits in that"
                .into(),
        );
    }
    list
}

/// A socket has one code point.
fn marks_can_be_set(scenario: &Scenario, settings: &HostSettings) -> Result<(), String> {
    let Some(marks) = &settings.marks else {
        return Ok(());
    };
    if settings.subflows.is_some() {
        return Err(
            "host.marker: expected \"port\" with transport \"mptcp\": the kernel opens subflows by itself, got \"host\""
                .into(),
        );
    }
    let shared = |s: &&Setting| s.key.ends_with(".connection") && s.value == "shared";
    match scenario.settings().iter().find(shared) {
        Some(workload) if !marks.by_sent => Err(format!(
            "{}: expected \"own\" where sockets mark by size (host.marker = \"host\"): a socket has one code point for \
             its data and for what acknowledges the other's, got \"shared\"",
            workload.key
        )),
        _ => Ok(()),
    }
}

/// The shims that stand at ports of switches.
fn at_ports(config: &SchemeConfig) -> Vec<shim::Chosen> {
    let own = |name: &str| match name {
        AGENT => true,
        MARKS => config.marker == sidestep_lab::Marker::Host,
        _ => false,
    };
    let all = config.shims.iter().filter(|shim| !own(shim.name()));
    all.cloned().collect()
}

/// The lines of a port to a host with these shims, whose times are longer here.
fn shims(shims: &[shim::Chosen], scale: Scale) -> String {
    let all = shims
        .iter()
        .map(|shim| last_longer(shim, shim::choose, scale));
    match shims.is_empty() {
        true => String::new(),
        false => shims_to_toml(&all.collect::<Vec<_>>()),
    }
}

/// Does a shim mark by what remains, for which it must be told sizes?
fn marks_what_remains(shim: &shim::Chosen) -> bool {
    shim.nature().tags && shim.values().word("by") == "remaining"
}

/// How frames between switches carry the tags of these shims, if they do.
fn tags(shims: &[shim::Chosen]) -> Option<Tags> {
    let mark = shims.iter().find(|shim| shim.nature().tags)?;
    Some(Tags::of(mark.values()).expect("it was read"))
}

/// The largest segment that a flow may have: what a connection has otherwise is said by itself.
fn mss(scenario: &Scenario, scheme: &Scheme, tcp: &TcpConfig) -> Result<u32, String> {
    for seed in &scenario.seeds {
        let plan = scenario.plan(*seed)?;
        let own = plan.flows.iter().filter(|flow| flow.mss.is_some());
        if let Some(flow) = own.min_by_key(|flow| flow.mss)
            && flow.mss_or(tcp.mss) < LEAST_MSS
        {
            return Err(format!(
                "workload.{}: mss: expected at least {LEAST_MSS} B, the kernel's least segment, got {} B in seed {seed}",
                plan.classes[usize::from(flow.class)],
                flow.mss_or(tcp.mss)
            ));
        }
    }
    Ok(scenario.largest_mss(scheme))
}

/// The largest flow of the first seed, three times: the kernel counts its own overhead as well.
fn send_buffer(scenario: &Scenario) -> Result<u64, String> {
    let plan = scenario.plan(scenario.seeds[0])?;
    let sizes = plan
        .flows
        .iter()
        .filter(|f| !f.is_endless())
        .map(|f| f.size);
    Ok(sizes
        .max()
        .unwrap_or(0)
        .saturating_mul(3)
        .clamp(1 << 20, 256 << 20))
}

/// Is the kernel told to have SACK? Without it nothing repairs before the timer, as `fast_retransmit = "off"` asks.
fn told_sack(tcp: &TcpConfig) -> bool {
    tcp.recovery == sidestep_transport::Recovery::Sack && tcp.dupack_threshold.is_some()
}

/// Do connections of this scheme have SACK here? A kernel that is told nothing has it.
pub fn has_sack(config: &SchemeConfig) -> bool {
    config.kernel == sidestep_lab::Kernel::Stock
        || config.transport.each_tcp().is_some_and(told_sack)
}

/// `sent`: switches rank data by themselves in the scenario as well.
fn differences(tcp: &TcpConfig, sent: bool) -> Vec<String> {
    let mut list = Vec::new();
    let mut say = |applies: bool, words: &str| {
        if applies {
            list.push(words.to_string());
        }
    };
    say(
        tcp.rto.estimator != sidestep_transport::Estimator::Linux,
        "the timeout's estimator is the kernel's, not transport.rto_estimator",
    );
    say(
        tcp.rto.initial != tcp.rto.min,
        "the handshake has measured the path: transport.rto_initial means nothing",
    );
    say(
        !tcp.rto.backoff,
        "the kernel doubles its timeout, though transport.rto_backoff = false",
    );
    say(
        tcp.reduction == sidestep_transport::Reduction::AtOnce,
        "the kernel reaches a cut window by proportional rate reduction, as transport.reduction = \"prr\"",
    );
    say(
        tcp.recovery == sidestep_transport::Recovery::Sack && tcp.rack.is_none(),
        "with SACK the kernel detects losses by time (RACK), though transport.loss_detection = \"duplicates\"",
    );
    say(
        tcp.growth != sidestep_transport::Growth::Linux,
        "in slow start the kernel's windows grow by each segment delivered, as transport.window_growth = \"linux\"",
    );
    say(
        tcp.rto.jiffy.is_none(),
        "the kernel's timers run out at its ticks, though transport.jiffy = \"off\"",
    );
    say(
        tcp.echoes_in_loss || tcp.window_floor != 2 || !tcp.duplicates_in_cwr,
        "the kernel hears no echo while it repairs after a timeout, hears duplicates after an echo, and keeps two segments \
         of window, whatever transport.echoes_in_loss, duplicates_in_cwr and window_floor say",
    );
    say(
        tcp.recovery == sidestep_transport::Recovery::Reno,
        "the kernel repairs the next hole on a partial acknowledgement, as transport.recovery = \"newreno\"",
    );
    say(
        tcp.timestamps,
        "the kernel's segments carry no time stamps, though transport.timestamps = true",
    );
    say(
        !tcp.limited_transmit,
        "the kernel sends new segments on duplicate acknowledgements (RFC 3042)",
    );
    say(
        tcp.ranking == sidestep_transport::Ranking::Unmarked && !sent,
        "switches that go by ranks go by what flows have sent, though transport.rank = \"none\"",
    );
    say(
        tcp.reordering != TcpConfig::default().reordering,
        "D-SACK, thresholds that move and undo are the kernel's, not transport.dsack, fast_retransmit_rule and undo",
    );
    say(
        tcp.delayed_ack.is_some(),
        "delayed acknowledgements are the kernel's, with its own times",
    );
    list
}

/// What is not of the transport.
fn around(scenario: &Scenario) -> Vec<String> {
    let mut list = vec![
        "a host's packet reaches its switch when it begins to leave the host, one serialisation earlier than in the \
         simulator; the delay of that link is added on the way to the host instead"
            .to_string(),
        "drops, detours and reordering of single flows, how many packets were detoured at least once, and spurious \
         retransmissions are not known: they are null"
            .into(),
        "wire_bytes counts frames below 60 B without Ethernet's padding".into(),
    ];
    if scenario.probe != Probe::default() {
        list.push("[probe] is of the simulator: nothing is probed".into());
    }
    list
}

#[cfg(test)]
mod tests;
