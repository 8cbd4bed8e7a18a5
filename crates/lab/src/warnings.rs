//! What must be read before trusting a number.

mod nics;

use crate::scenario::{Scenario, Setting};
use crate::scheme::Scheme;
use crate::tables::{SWITCH, TRANSPORT, takes};
use sidestep_config::decision::Named;
use sidestep_config::document::join;
use sidestep_config::source::default;
use sidestep_sim::pfc::headroom_needed;
use sidestep_sim::{Deadlock, End, Network, Outcome, Plan, PortOutcome, SwitchConfig};
use sidestep_switch::{Capacity, Nature, buffer, route, sched};
use sidestep_transport::{Ranking, ThresholdRule, shim};
use sidestep_types::{Bytes, FlowId, HEADER_BYTES, Param, Size, Value};

/// All warnings of a scenario. `first` is the plan of its first seed, when it was drawn.
pub(crate) fn of(scenario: &Scenario, first: Option<&Plan>) -> Vec<String> {
    let mut warnings: Vec<String> = overload(scenario)
        .into_iter()
        .chain(first.and_then(|first| nothing_happens(scenario, first)))
        .chain(waits_for_another_key(scenario))
        .chain(shims_of_no_scheme(scenario))
        .collect();
    for scheme in &scenario.schemes {
        let own = [
            first.and_then(|first| never_idle(scheme, first)),
            first.and_then(|first| shares_little(scheme, first)),
            nothing_to_order(scheme),
            nothing_echoes(scheme),
            passes_too_many(scheme),
            without_effect(scenario, scheme),
            too_little_headroom(scenario, scheme),
        ];
        let own = own.into_iter().flatten();
        let of_kind = |(about, switch)| {
            let said = [
                nothing_marks(scheme, switch),
                nothing_marks_for_agent(scheme, switch),
                marks_too_late(&switch.buffer, switch.capacity),
                detours_without_signal(scheme, switch),
                reordering_looks_like_losses(scheme, switch),
                nothing_to_spray(scenario, scheme, switch),
                never_detours(switch),
                line_rate_without_priorities(scheme, switch),
                nothing_is_ranked(scenario, scheme, switch),
                overflows_though_paused(scenario, scheme, switch),
            ];
            let said = said.into_iter().flatten();
            said.map(move |warning| match about {
                None => warning,
                Some(about) => format!("at {about}: {warning}"),
            })
        };
        let of_switches = scheme.switches().flat_map(of_kind);
        let of_nics = nics::of(scenario, scheme, first);
        let idle = of_no_switch(scenario, scheme);
        let named = |warning| format!("scheme {}: {warning}", scheme.name);
        warnings.extend(of_switches.chain(own).chain(of_nics).chain(idle).map(named));
    }
    warnings
}

fn overload(scenario: &Scenario) -> Option<String> {
    let share = scenario.load().sum.share;
    (share > 1.0).then(|| {
        let percent = 100.0 * share;
        format!("the offered load is {percent:.0} % of what the hosts' links carry: queues and completion times grow with duration")
    })
}

fn nothing_happens(scenario: &Scenario, first: &Plan) -> Option<String> {
    first.flows.is_empty().then(|| {
        let (seed, duration) = (scenario.seeds[0], scenario.duration);
        format!("seed {seed} draws no flow in {duration}: expected a longer duration, or a flow list that is not empty")
    })
}

/// Parameters that mean something only beside another one.
fn waits_for_another_key(scenario: &Scenario) -> Vec<String> {
    let any = |of: fn(&Scheme) -> bool| scenario.schemes.iter().any(of);
    let mut idle: Vec<(&str, &str)> = Vec::new();
    if !any(|scheme| scheme.config.switch.pfc.is_some()) {
        let names = ["pfc_xoff", "pfc_xon", "pfc_headroom"];
        idle.extend(names.map(|name| (name, "pfc = true")));
    }
    if !any(|scheme| scheme.config.switch.cioq.is_some()) {
        let names = ["speedup", "input_capacity"];
        idle.extend(names.map(|name| (name, "fabric = \"cioq\"")));
    }
    // What says its default does no harm.
    let says_more = |name: &str| {
        let param = SWITCH.iter().find(|p| p.name == name);
        let default = param.expect("a parameter of [switch]").default;
        let key = format!("switch.{name}");
        let mut all = scenario.settings.iter().filter(|s| s.key == key);
        all.any(|s| Some(s.value.as_str()) != default)
    };
    let more = idle.into_iter().filter(|(name, _)| says_more(name));
    more.map(|(name, beside)| format!("switch.{name} has no effect: no scheme has {beside}"))
        .collect()
}

/// Parameters of shims that no scheme has.
fn shims_of_no_scheme(scenario: &Scenario) -> Vec<String> {
    let has = |scheme: &Scheme, name: &str| scheme.config.shims.iter().any(|(n, _)| n == name);
    let mut warnings = Vec::new();
    for entry in shim::ENTRIES {
        let begins = format!("host.{}.", entry.name);
        let said = (scenario.settings.iter()).find(|s| s.key.starts_with(&begins));
        if let Some(said) = said
            && !scenario
                .schemes
                .iter()
                .any(|scheme| has(scheme, entry.name))
        {
            let (key, name) = (&said.key, entry.name);
            warnings.push(format!(
                "{key} has no effect: no scheme has {name:?} among its host.shims"
            ));
        }
    }
    warnings
}

/// What the buffer policy does with its values, beside its scheduler: FIFO has no worst to make room.
fn nature(switch: &SwitchConfig) -> Nature {
    nature_of(&switch.buffer, &switch.sched)
}

fn nature_of(buffer: &Named, sched: &Named) -> Nature {
    let nature = buffer::nature(&buffer.0);
    let stays = value(buffer, "deflect") == Some(&Value::Flag(false));
    Nature {
        detours: nature.detours && !stays,
        reorders: nature.reorders && !stays,
        ranks: nature.ranks && !(nature.displaces && sched.0 == "fifo"),
        ..nature
    }
}

fn reacts_to_marks(scheme: &Scheme) -> bool {
    scheme.config.transport.nature().marks
}

/// The value of the buffer policy's parameter, if it has it.
fn value<'a>((name, values): &'a Named, key: &str) -> Option<&'a Value> {
    let entry = buffer::ENTRIES.iter().find(|entry| entry.name == name)?;
    let has = entry.params.iter().any(|param| param.name == key);
    has.then(|| values.get(key))
}

/// A buffer policy that marks nothing.
fn silent(buffer: &Named, sched: &Named) -> bool {
    !nature_of(buffer, sched).marks || value(buffer, "mark_at") == Some(&Value::Off)
}

fn nothing_marks(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    (silent(&switch.buffer, &switch.sched) && reacts_to_marks(scheme)).then(|| {
        let buffer = &switch.buffer.0;
        format!("the transport slows down on marks, but buffer {buffer:?} as set marks nothing on its way")
    })
}

/// A shim that goes by echoes of marks.
fn reads_echoes(scheme: &Scheme) -> Option<&str> {
    let mut shims = scheme.config.shims.iter();
    let reads = shims.find(|(name, _)| shim::nature(name).echoes)?;
    Some(&reads.0)
}

fn nothing_echoes(scheme: &Scheme) -> Option<String> {
    let name = reads_echoes(scheme)?;
    (!reacts_to_marks(scheme)).then(|| {
        format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and transport {} asks for no \
             echo: all of them are dropped, and each loss costs a timeout",
            scheme.config.transport.name()
        )
    })
}

fn nothing_marks_for_agent(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let name = reads_echoes(scheme)?;
    let nic = scheme.config.nic.as_ref();
    if let Some(nic) = nic.filter(|nic| silent(&nic.buffer, &nic.sched)) {
        return Some(format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and buffer {:?} of [host] \
             marks nothing: what a NIC loses costs a timeout",
            nic.buffer.0
        ));
    }
    let silent = reacts_to_marks(scheme) && silent(&switch.buffer, &switch.sched);
    silent.then(|| {
        format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and buffer {:?} as set marks \
             nothing: what it loses costs a timeout",
            switch.buffer.0
        )
    })
}

/// A shim that keeps duplicates back, but not those that start a repair.
fn passes_too_many(scheme: &Scheme) -> Option<String> {
    let threshold = scheme.config.transport.tcp()?.dupack_threshold?;
    scheme.config.shims.iter().find_map(|(name, values)| {
        let param = shim::nature(name).passes?;
        let passes = values.count(param);
        (passes >= u64::from(threshold)).then(|| {
            format!(
                "{name} lets the first {passes} duplicate acknowledgements of a run pass, and \
                 fast_retransmit = {threshold} has started by then: expected {param} below \
                 {threshold}"
            )
        })
    })
}

fn marks_too_late(buffer: &Named, capacity: Capacity) -> Option<String> {
    let Capacity::PerPort(capacity) = capacity else {
        return None;
    };
    let Some(Value::Size(mark_at)) = value(buffer, "mark_at") else {
        return None;
    };
    let late = match (mark_at, capacity) {
        (Size::Packets(mark), Size::Packets(room)) => *mark >= room,
        (Size::Bytes(mark), Size::Bytes(room)) => *mark >= room,
        _ => false,
    };
    late.then(|| format!("mark_at ({mark_at}) is not below capacity ({capacity}): a queue is full before it marks"))
}

fn detours_without_signal(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let alone = nature(switch).detours && !reacts_to_marks(scheme);
    alone.then(|| {
        "detours hide losses, and this transport slows down on losses alone: it needs one that \
         reacts to marks (DIBS section 3)"
            .to_string()
    })
}

/// A shim puts data back into order.
fn orders(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|(name, _)| shim::nature(name).orders)
}

/// A shim keeps from the sender what reordering looks like.
fn hides_reordering(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|(name, _)| shim::nature(name).duplicates)
}

/// What lets packets of one flow overtake each other.
fn reorders(switch: &SwitchConfig) -> Option<String> {
    let (route, sched) = (&switch.route.0, &switch.sched.0);
    if nature(switch).reorders {
        Some("detours reorder packets".to_string())
    } else if route::nature(route).reorders {
        Some(format!("route {route:?} reorders packets"))
    } else if sched::nature(sched).reorders {
        Some(format!("scheduler {sched:?} reorders packets"))
    } else {
        None
    }
}

fn reordering_looks_like_losses(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let tcp = scheme.config.transport.each_tcp()?;
    let threshold = tcp.dupack_threshold?;
    let who = reorders(switch)?;
    if tcp.reordering.rule != ThresholdRule::Fixed {
        return None; // It learns.
    }
    // DIBS section 4: above 10 duplicates is usually enough.
    let helped = orders(scheme) || hides_reordering(scheme);
    (threshold <= 10 && !helped).then(|| {
        format!(
            "{who}, and fast_retransmit = {threshold} takes that for loss; DIBS turns it off, and \
             found more than 10 usually enough (section 4); host.shims = [\"order\"] and \
             fast_retransmit_rule leave it on"
        )
    })
}

/// A route that spreads a flow's packets, where no switch that has it has a choice.
fn nothing_to_spray(scenario: &Scenario, scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let route = &switch.route.0;
    if !route::nature(route).reorders {
        return None;
    }
    let config = &scheme.config;
    let choices = scenario.network.choices().ok()?;
    let of = |number| std::ptr::eq(config.others.kind(&config.switch, number), switch);
    let idle = !(0..choices.len()).any(|number| choices[number] && of(number));
    idle.then(|| {
        format!(
            "route {route:?} has nothing to choose from: expected switches with several next hops \
             toward some host, got one next hop for every packet"
        )
    })
}

fn nothing_to_order(scheme: &Scheme) -> Option<String> {
    let mut switches = scheme.switches();
    let idle = orders(scheme) && switches.all(|(_, switch)| reorders(switch).is_none());
    idle.then(|| {
        "host.shims puts data back into order, but nothing here reorders it: it only holds what is \
         behind a loss, so that the loss is found later"
            .to_string()
    })
}

fn never_idle(scheme: &Scheme, first: &Plan) -> Option<String> {
    let idle = scheme.config.transport.each_tcp()?.idle_restart && !carries_on(first);
    idle.then(|| {
        "idle_restart changes nothing: no connection carries a second message the same way, as with \
         connection = \"persistent\" of a workload that asks"
            .to_string()
    })
}

/// Does a connection carry a second message the same way?
fn carries_on(plan: &Plan) -> bool {
    let src = |flow: FlowId| plan.flows[flow.0 as usize].src;
    let mut later = plan.joint.iter().filter(|joint| joint.flow != joint.opener);
    later.any(|joint| src(joint.flow) == src(joint.opener))
}

/// Connections that flows share, where there is little to share.
fn shares_little(scheme: &Scheme, first: &Plan) -> Option<String> {
    if first.joint.is_empty() {
        return None;
    }
    let transport = &scheme.config.transport;
    match transport.each_tcp() {
        None => Some(format!(
            "transport {} knows no connections: flows that share one go by its path, one message \
             at a time, and learn nothing from each other",
            transport.name()
        )),
        Some(tcp) => (!tcp.handshake && !carries_on(first)).then(|| {
            "handshake = false: a request and its response share a path, and nothing is known of it \
             that they could share"
                .to_string()
        }),
    }
}

fn line_rate_without_priorities(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let transport = &scheme.config.transport;
    let expected = transport.nature().buffer?;
    let buffer = &switch.buffer.0;
    let evicts = nature(switch).answers.contains(&"evict");
    (buffer != expected && !evicts).then(|| {
        format!(
            "transport {} sends at line rate until a timeout, since its switches drop what \
             has most left to send: buffer {buffer:?} does not (SIGCOMM 2013)",
            transport.name()
        )
    })
}

/// Policies that order by what hosts mark data with, where hosts mark nothing.
fn nothing_is_ranked(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    if scheme.config.transport.nature().ranking != Ranking::Unmarked {
        return None;
    }
    let natures = [
        ("route", &switch.route.0, route::nature(&switch.route.0)),
        ("buffer", &switch.buffer.0, nature(switch)),
        ("sched", &switch.sched.0, sched::nature(&switch.sched.0)),
    ];
    let read = natures.iter().filter(|(_, _, nature)| nature.ranks);
    let read: Vec<String> = read
        .map(|(key, name, _)| format!("{key} {name:?}"))
        .collect();
    let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == "transport.rank";
    let rank = scenario.settings.iter().find(own)?;
    (!read.is_empty()).then(|| {
        format!(
            "{} with transport.rank = {:?} ({}): expected {:?}; no host marks data with a rank, so all \
             of it ranks alike, behind acknowledgements",
            read.join(" and "),
            rank.value,
            rank.source,
            Ranking::Unacknowledged.name(),
        )
    })
}

/// Values of `[transport]` that this kind of transport does not take.
fn without_effect(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let own = |key: &str| {
        let of = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == key;
        scenario.settings.iter().find(of)
    };
    let kind = &own("transport.kind")?.value;
    let given = |param: &&Param| {
        let setting = own(&format!("transport.{}", param.name));
        !takes(kind, param.name) && setting.is_some_and(|s| s.source != default(param.doc))
    };
    let given: Vec<&str> = TRANSPORT.iter().filter(given).map(|p| p.name).collect();
    (!given.is_empty()).then(|| {
        let given = given.join(", ");
        format!(
            "{given}: no effect on transport {kind}, which has a window, a timeout and a recovery \
             of its own and opens no connection"
        )
    })
}

fn never_detours(switch: &SwitchConfig) -> Option<String> {
    let never = nature(switch).detours && switch.capacity == Capacity::Unlimited;
    never.then(|| "an unlimited queue always has room, so nothing is ever detoured".to_string())
}

/// What a pause on the network's worst cable needs.
fn needed(scenario: &Scenario, scheme: &Scheme) -> Bytes {
    let framing = scheme.config.framing;
    let full = framing.wire(HEADER_BYTES + scenario.largest_mss(scheme));
    let each = scenario.network.cables.iter();
    let each = each.map(|cable| headroom_needed(cable.rate, cable.delay, full));
    each.max().unwrap_or_default()
}

fn too_little_headroom(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let headroom = scheme.config.switch.pfc?.headroom?;
    let needed = needed(scenario, scheme);
    (headroom < needed).then(|| {
        format!(
            "pfc_headroom ({headroom}) is below the {needed} that come after a pause on some \
             cable of this network: packets may be lost"
        )
    })
}

/// Policies and capacities of `[switch]` that every switch of the network has its own of.
fn of_no_switch(scenario: &Scenario, scheme: &Scheme) -> Vec<String> {
    if scheme.switches().any(|(about, _)| about.is_none()) {
        return Vec::new();
    }
    let setting = |key: &str| {
        let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == key;
        scenario.settings.iter().find(own)
    };
    let given = |key: &str| setting(key).is_some_and(|s| !s.source.starts_with("default: "));
    let of_all = |key: &&str| {
        let mut kinds = scheme.switches().filter_map(|(about, _)| about);
        kinds.all(|about| setting(&join(&join("switch.at", about), key)).is_some())
    };
    let idle = ["route", "buffer", "sched", "capacity"].into_iter();
    let idle = idle
        .filter(|key| given(&format!("switch.{key}")))
        .filter(of_all);
    idle.map(|key| {
        format!(
            "switch.{key} has no effect: every switch of the network has its own under switch.at"
        )
    })
    .collect()
}

/// A limit on an output can be reached before any input's.
fn overflows_though_paused(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let pfc = switch.pfc?;
    if switch.capacity == Capacity::Unlimited {
        return None;
    }
    let of = |number: &usize| {
        let config = &scheme.config;
        std::ptr::eq(config.others.kind(&config.switch, *number), switch)
    };
    let ports = scenario.network.port_counts();
    let ports = (0..ports.len())
        .filter(of)
        .map(|number| u64::from(ports[number]));
    let most = ports.max().unwrap_or(0);
    let headroom = pfc.headroom.unwrap_or(needed(scenario, scheme)).0;
    let bytes = most.saturating_mul(pfc.xoff.0.saturating_add(headroom));
    let enough = matches!(switch.capacity, Capacity::PerPort(Size::Bytes(room)) if room.0 >= bytes);
    (!enough).then(|| format!(
        "pfc counts what each port brings, up to {} by {most} ports, and a limit on outputs may be \
         reached before: capacity = \"unlimited\" leaves it to the pauses",
        Bytes(bytes)
    ))
}

/// What must be read before trusting a number of this run.
pub(crate) fn of_run(network: &Network, scheme: &str, seed: u64, outcome: &Outcome) -> Vec<String> {
    let name = |end: End| match end {
        End::Host(host) => format!("host {}", host.0),
        End::Switch(switch) => network.switches[switch.0 as usize].to_string(),
    };
    let port = |p: &PortOutcome| format!("{} port {} to {}", name(p.from), p.port.0, name(p.to));
    let told = |deadlock: &Deadlock| {
        let ports = deadlock.ports.iter();
        let ports: Vec<String> = ports.map(|p| port(&outcome.ports[*p as usize])).collect();
        format!(
            "scheme {scheme}, seed {seed}: deadlock at {}: {}, and back to the first: each is \
             paused until the next one sends, for ever; flows that cross them do not finish",
            deadlock.at,
            ports.join(", ")
        )
    };
    outcome.deadlocks.iter().map(told).collect()
}
