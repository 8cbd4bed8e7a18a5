//! Conversion of a scenario's scheme into a blueprint for the testbed, with the reasons for refusals.

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

/// Order that was read: the runs to make, and the network to build for them.
pub struct TestbedSetup {
    /// Scenario with one scheme.
    pub scenario: Scenario,
    /// Scale between the scenario's times and this machine's.
    pub scale: Scale,
    /// Network to build.
    pub blueprint: Blueprint,
    /// Changes of its cables during a run.
    pub changes: Vec<Change>,
    /// Sentences on how the testbed deviates from the scenario.
    pub differences: Vec<String>,
}

impl TestbedSetup {
    /// Reads the first scheme of a scenario at `rate`, for the testbed called `name`.
    pub fn of(scenario: Scenario, rate: &str, name: &str) -> Result<TestbedSetup, Error> {
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
                "switches receive a change one by one, within a fraction of a millisecond as \
                 measured; a host's NIC continues to send into a link that is down, and the switch \
                 refuses the frames"
                    .into(),
            );
        }
        Ok(TestbedSetup {
            changes,
            blueprint,
            scenario,
            scale,
            differences,
        })
    }
}

/// Converts the changes of a scheme to this machine's times and rates.
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

/// Largest slow-down of a testbed.
const SLOWEST: u64 = 1_000;

fn scale(scenario: &Scenario, rate: &str) -> Result<Scale, Error> {
    let bed = match parse_quantity(rate, Unit::Rate) {
        Ok(Quantity::Rate(bed)) => bed,
        Ok(other) => unreachable!("a rate was asked for, got {other:?}"),
        Err(e) => return Err(Error::Input(format!("--rate {rate:?}: {e}"))),
    };
    let access = sidestep_sim::workload::Site::of(&scenario.network).access;
    let model = access.first().copied().unwrap_or(bed);
    // With a larger slow-down, timeouts would exceed the kernel's maximum.
    let least = model.as_bps().div_ceil(SLOWEST);
    if bed > model || bed.as_bps() < least {
        return Err(Error::Input(format!(
            "--rate {rate:?}: expected {} to {model} (the rate of the scenario's hosts; at most \
             {SLOWEST} times slower)",
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

/// Returns the policies of switch `number` as lines of a software switch's configuration.
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

/// Returns how long switches remember a silent flow, in nanoseconds of this machine.
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

/// Returns the settings of the hosts, and the kernel's deviations from the scheme.
fn settings(
    scenario: &Scenario,
    scheme: &Scheme,
    scale: Scale,
) -> Result<(HostSettings, Vec<String>), String> {
    let config = &scheme.config;
    if config.framing != Framing::Ethernet {
        return Err(
            "framing: expected \"ethernet\": the testbed's switches pace Ethernet frames".into(),
        );
    }
    if config.switch.pfc.is_some() || config.switch.cioq.is_some() {
        return Err(
            "switch.pfc and switch.fabric = \"cioq\": expected neither, since only the simulator \
             has PFC and CIOQ"
                .into(),
        );
    }
    let lasting = |s: &&Setting| s.key.ends_with(".connection") && s.value == "persistent";
    if let Some(workload) = scenario.settings().iter().find(lasting) {
        return Err(format!(
            "{}: expected \"own\" or \"shared\": the kernel's counters are per connection, not per \
             message of a persistent one",
            workload.key
        ));
    }
    if config.nic.is_some() {
        return Err(
            "host.capacity, host.buffer and host.sched: expected \"unlimited\", \"droptail\" and \
             \"fifo\": a testbed host sends from a kernel queue without a limit"
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
            "the kernel does not couple windows: each subflow grows independently, as with \
             transport.coupled = \"none\""
                .into(),
        );
    }
    Ok((settings, differences))
}

/// Refuses workloads whose transport differs from the scheme's: a host's namespace has one congestion control
/// and one set of TCP settings for all its connections.
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
        "{}: expected {common:?}, the value of [transport], got {:?}: a testbed host has one set \
         of TCP settings for all its connections; only the simulator has one per workload",
        own.key, own.value
    ))
}

/// Returns the number of subflows per connection if the transport is MPTCP.
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
            "host.{name}.by: expected \"packets\" or \"bytes\" with transport \"mptcp\", got \
             \"remaining\": an edge switch sees subflows, not the bytes of the message that each \
             carries"
        ));
    }
    let subflows = u32::from(mptcp.subflows);
    if subflows > MOST_SUBFLOWS {
        return Err(format!(
            "transport.subflows: expected at most {MOST_SUBFLOWS}, the limit of the kernel's \
             MPTCP, got {subflows}"
        ));
    }
    for seed in &scenario.seeds {
        let plan = scenario.plan(*seed)?;
        if let Some(flow) = plan.flows.iter().find(|flow| flow.mss.is_some()) {
            return Err(format!(
                "workload.{}: mss: expected transport.mss with \"mptcp\": the kernel's subflows \
                 use the MSS of their hosts",
                plan.classes[usize::from(flow.class)]
            ));
        }
    }
    Ok(Some(subflows))
}

fn not_in_the_kernel(kind: &str) -> String {
    format!(
        "transport.kind: expected \"newreno\", \"dctcp\" or \"mptcp\", got {kind:?}, which the \
         kernel does not have"
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
            "transport.dctcp_alpha_moves: expected \"windows\", as in the kernel, got \"echoes\""
                .into(),
        ),
        sidestep_transport::Congestion::Dctcp { loss_leaves, .. } if loss_leaves != 0.5 => {
            Err(format!(
                "transport.dctcp_loss_leaves: expected 0.5, as in the kernel, got {loss_leaves}"
            ))
        }
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

/// Shim that runs as a BPF program in the host itself: see [`mod@crate::network::agent`].
const AGENT: &str = "agent-droptail";

/// Largest `longest` of the agent: each connection has a counter for each length.
const LONGEST: u64 = 1024;

/// Returns the agent of every host, if the scheme has one.
pub(crate) fn agent(shims: &[shim::Chosen]) -> Result<Option<Agent>, String> {
    let Some(place) = shims.iter().position(|shim| shim.name() == AGENT) else {
        return Ok(None);
    };
    let (name, values) = (AGENT, shims[place].values());
    // The agent runs below the host's TCP; other shims stand at the far end of the host's cable.
    if place > 0 {
        return Err(format!(
            "host.shims: {name}: expected it first: the testbed runs it next to the transport, got \
             {} before it",
            shims[place - 1].name()
        ));
    }
    let longest = values.count("longest");
    if longest > LONGEST {
        return Err(format!(
            "host.{name}.longest: expected at most {LONGEST}, since a BPF map has a counter per \
             length and connection, got {longest}"
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

/// Shim that runs in the host itself if `host.marker` selects that.
pub(crate) const MARKS: &str = "by-size";

/// Returns the marks that hosts set themselves, if they do.
pub(crate) fn marks(config: &SchemeConfig) -> Result<Option<Marks>, String> {
    let place = config.shims.iter().position(|shim| shim.name() == MARKS);
    let Some(place) = place.filter(|_| config.marker == sidestep_lab::Marker::Host) else {
        return Ok(None);
    };
    let (name, values) = (MARKS, config.shims[place].values());
    if place > 0 {
        return Err(format!(
            "host.shims: {name}: expected it first: sockets mark next to the transport, got {} \
             before it; host.marker = \"port\" moves it to the port of the switch",
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

/// Describes in sentences where packets are marked, and how switches read the marks.
fn marking(config: &SchemeConfig) -> Vec<String> {
    let Some(marks) = config.shims.iter().find(|shim| shim.name() == MARKS) else {
        return Vec::new();
    };
    let values = marks.values();
    let mut list = Vec::new();
    if config.marker == sidestep_lab::Marker::Host {
        let words = match values.word("by").as_str() {
            "sent" => {
                "a program at each host's interface marks all packets, SYN/ACKs and \
                 acknowledgements included; switches detect the end of a flow by silence"
            }
            _ => {
                "sockets mark: all packets of a flow, its SYN included, have one code point, and \
                 its sender closes after the last byte, so that a FIN ends the flow"
            }
        };
        list.push(words.to_string());
    }
    if values.numbers_or_off("dscp").is_some() {
        list.push(
            "switches map the code points of by-size.dscp to its classes; in the simulator a code \
             point is the number of its class, and larger ones belong to the last class"
                .into(),
        );
    }
    list
}

/// Refuses settings that a socket's single code point cannot express.
fn marks_can_be_set(scenario: &Scenario, settings: &HostSettings) -> Result<(), String> {
    let Some(marks) = &settings.marks else {
        return Ok(());
    };
    if settings.subflows.is_some() {
        return Err(
            "host.marker: expected \"port\" with transport \"mptcp\", got \"host\": the kernel \
             itself opens the subflows"
                .into(),
        );
    }
    let shared = |s: &&Setting| s.key.ends_with(".connection") && s.value == "shared";
    match scenario.settings().iter().find(shared) {
        Some(workload) if !marks.by_sent => Err(format!(
            "{}: expected \"own\" if sockets mark by size (host.marker = \"host\"), got \
             \"shared\": a socket has one code point for both its data and its acknowledgements",
            workload.key
        )),
        _ => Ok(()),
    }
}

/// Returns the shims that run at ports of switches.
fn at_ports(config: &SchemeConfig) -> Vec<shim::Chosen> {
    let own = |name: &str| match name {
        AGENT => true,
        MARKS => config.marker == sidestep_lab::Marker::Host,
        _ => false,
    };
    let all = config.shims.iter().filter(|shim| !own(shim.name()));
    all.cloned().collect()
}

/// Returns the configuration lines of a port to a host with these shims, with times scaled to this machine.
fn shims(shims: &[shim::Chosen], scale: Scale) -> String {
    let all = shims
        .iter()
        .map(|shim| last_longer(shim, shim::choose, scale));
    match shims.is_empty() {
        true => String::new(),
        false => shims_to_toml(&all.collect::<Vec<_>>()),
    }
}

/// Returns true if a shim marks by remaining size, and so needs announced sizes.
fn marks_what_remains(shim: &shim::Chosen) -> bool {
    shim.nature().tags && shim.values().word("by") == "remaining"
}

/// Returns how frames between switches carry the tags of these shims, if they do.
fn tags(shims: &[shim::Chosen]) -> Option<Tags> {
    let mark = shims.iter().find(|shim| shim.nature().tags)?;
    Some(Tags::of(mark.values()).expect("it was read"))
}

/// Returns the largest segment of any flow; a connection with another MSS sets its own.
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

/// Returns three times the largest flow of the first seed, in bytes within limits: the kernel counts its
/// overhead as well.
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

/// Returns true if SACK is enabled in the kernel. Without SACK nothing is repaired before the timer, as
/// `fast_retransmit = "off"` asks.
fn told_sack(tcp: &TcpConfig) -> bool {
    tcp.recovery == sidestep_transport::Recovery::Sack && tcp.dupack_threshold.is_some()
}

/// Returns true if connections of this scheme use SACK here; a kernel with default settings uses it.
pub fn has_sack(config: &SchemeConfig) -> bool {
    config.kernel == sidestep_lab::Kernel::Stock
        || config.transport.each_tcp().is_some_and(told_sack)
}

/// Returns the kernel's deviations from `tcp`. `sent`: in the scenario, too, switches rank data by sent bytes.
fn differences(tcp: &TcpConfig, sent: bool) -> Vec<String> {
    let mut list = Vec::new();
    let mut say = |applies: bool, words: &str| {
        if applies {
            list.push(words.to_string());
        }
    };
    say(
        tcp.rto.estimator != sidestep_transport::Estimator::Linux,
        "the kernel's own estimator sets the timeout; transport.rto_estimator is ignored",
    );
    say(
        tcp.rto.initial != tcp.rto.min,
        "transport.rto_initial is ignored: the handshake has measured the round trip",
    );
    say(
        !tcp.rto.backoff,
        "the kernel doubles its timeout, though transport.rto_backoff = false",
    );
    say(
        tcp.reduction == sidestep_transport::Reduction::AtOnce,
        "the kernel reaches a cut window by proportional rate reduction, as with \
         transport.reduction = \"prr\"",
    );
    say(
        tcp.recovery == sidestep_transport::Recovery::Sack && tcp.rack.is_none(),
        "with SACK the kernel detects losses by time (RACK), though transport.loss_detection = \"duplicates\"",
    );
    say(
        tcp.growth != sidestep_transport::Growth::Linux,
        "in slow start the kernel's windows grow by each segment delivered, as with \
         transport.window_growth = \"linux\"",
    );
    say(
        tcp.rto.jiffy.is_none(),
        "the kernel's timers run out at its ticks, though transport.jiffy = \"off\"",
    );
    say(
        tcp.echoes_in_loss || tcp.window_floor != 2 || !tcp.duplicates_in_cwr,
        "the kernel ignores echoes during recovery after a timeout, counts duplicates after an \
         echo, and keeps a window of at least two segments; transport.echoes_in_loss, \
         duplicates_in_cwr and window_floor are ignored",
    );
    say(
        tcp.recovery == sidestep_transport::Recovery::Reno,
        "the kernel repairs the next hole on a partial acknowledgement, as with transport.recovery \
         = \"newreno\"",
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
        "switches that use ranks rank by bytes sent, though transport.rank = \"none\"",
    );
    say(
        tcp.reordering != TcpConfig::default().reordering,
        "D-SACK, adaptive thresholds and undo are the kernel's; transport.dsack, \
         fast_retransmit_rule and undo are ignored",
    );
    say(
        tcp.delayed_ack.is_some(),
        "delayed acknowledgements are the kernel's, with the kernel's delays",
    );
    list
}

/// Returns the deviations outside the transport.
fn around(scenario: &Scenario) -> Vec<String> {
    let mut list = vec![
        "a host's packet reaches its switch when it begins to leave the host, one serialisation earlier than in the \
         simulator; the delay of that link is added on the way to the host instead"
            .to_string(),
        "drops, detours and reordering per flow, the number of packets detoured at least once, and \
         spurious retransmissions are not measured: they are null"
            .into(),
        "wire_bytes counts frames below 60 B without Ethernet's padding".into(),
    ];
    if scenario.probe != Probe::default() {
        list.push("[probe] is ignored: only the simulator probes".into());
    }
    list
}

#[cfg(test)]
mod tests;
