//! Warnings to read before trusting a number.

mod connections;
mod idle;
mod keys;
mod marks;
mod nics;
mod parts;
mod pauses;
mod ranks;
mod reordering;
mod services;
mod signals;
mod windows;

pub(crate) use pauses::of_run;

use crate::scenario::Scenario;
use connections::{never_idle, shares_little};
use keys::{of_no_switch, shims_of_no_scheme, without_effect};
use parts::Part;
use pauses::{overflows_though_paused, too_little_headroom};
use ranks::nothing_is_ranked;
use reordering::{
    held_beyond_a_timeout, nothing_to_order, nothing_to_spray, reordering_looks_like_losses,
};
use sidestep_sim::{SwitchConfig, TrafficPlan};
use sidestep_switch::{Capacity, Nature, buffer, sched};
use sidestep_types::Value;
use signals::{
    delays_by_rank, delays_of_hosts, detours_without_signal, line_rate_without_priorities,
    marks_too_late, nothing_echoes, nothing_marks, nothing_marks_for_agent, passes_too_many,
};

/// Returns all warnings of a scenario. `first` is the plan of its first seed, if it was drawn.
pub(crate) fn of(scenario: &Scenario, first: Option<&TrafficPlan>) -> Vec<String> {
    let mut warnings: Vec<String> = overload(scenario)
        .into_iter()
        .chain(first.and_then(|first| nothing_happens(scenario, first)))
        .chain(shims_of_no_scheme(scenario))
        .collect();
    for scheme in scenario.schemes.iter() {
        let named = |warning| format!("scheme {}: {warning}", scheme.name);
        let said = parts::of_each(scenario, scheme, |part| of_part(scenario, part, first));
        let idle = keys::kind_of_nobody(scenario, scheme);
        warnings.extend(said.into_iter().chain(idle).map(named));
    }
    warnings
}

/// Returns the warnings of a scheme for the workloads that share one transport.
fn of_part(scenario: &Scenario, part: &Part<'_>, first: Option<&TrafficPlan>) -> Vec<String> {
    let scheme = &*part.scheme;
    let own = [
        first.and_then(|first| never_idle(scenario, part, first)),
        first.and_then(|first| shares_little(part, first)),
        nothing_to_order(scenario, scheme),
        held_beyond_a_timeout(scheme),
        nothing_echoes(scheme),
        delays_of_hosts(scheme),
        passes_too_many(scheme),
        services::nothing_goes_by_services(scheme),
        without_effect(scenario, part),
        too_little_headroom(scenario, scheme),
    ];
    let own = own.into_iter().flatten();
    let of_kind = |(about, switch)| {
        let said = [
            nothing_marks(scheme, switch),
            nothing_marks_for_agent(scheme, switch),
            marks_too_late(&switch.buffer, switch.capacity),
            detours_without_signal(scheme, switch),
            reordering_looks_like_losses(scenario, scheme, switch),
            nothing_to_spray(scenario, scheme, switch),
            never_detours(switch),
            line_rate_without_priorities(scheme, switch),
            delays_by_rank(scheme, switch),
            nothing_is_ranked(scenario, part, switch),
            services::nobody_sets_services(scheme, switch),
            first.and_then(|first| {
                services::first_window_is_more_than_a_flow_s_room(part, switch, first)
            }),
            overflows_though_paused(scenario, scheme, switch),
            first
                .and_then(|first| windows::marks_too_early(scenario, part, (about, switch), first)),
        ];
        let said = said
            .into_iter()
            .flatten()
            .chain(idle::of_switch(scheme, switch));
        said.map(move |warning| match about {
            None => warning,
            Some(about) => format!("at {about}: {warning}"),
        })
    };
    let of_switches = scheme.switches().flat_map(of_kind);
    let of_nics = nics::of(scenario, part, first);
    let of_windows = windows::of(scenario, part, first);
    let of_marks = marks::of(scheme, first);
    let idle = of_no_switch(scenario, scheme);
    let idle = idle.into_iter().chain(idle::of_scheme(scenario, part));
    of_switches
        .chain(own)
        .chain(of_marks)
        .chain(of_nics)
        .chain(of_windows)
        .chain(idle)
        .collect()
}

fn overload(scenario: &Scenario) -> Option<String> {
    let share = scenario.load().sum.share;
    (share > 1.0).then(|| {
        let percent = 100.0 * share;
        format!(
            "the offered load is {percent:.0} % of the capacity of the hosts' links: queues and \
             completion times grow with duration"
        )
    })
}

fn nothing_happens(scenario: &Scenario, first: &TrafficPlan) -> Option<String> {
    first.flows.is_empty().then(|| {
        let (seed, duration) = (scenario.seeds[0], scenario.duration);
        format!(
            "seed {seed} draws no flow within {duration}; set a longer duration or a larger load"
        )
    })
}

/// Returns the nature of the buffer policy with its values, beside its scheduler: a FIFO has no worst packet to
/// evict.
fn nature(switch: &SwitchConfig) -> Nature {
    nature_of(&switch.buffer, &switch.sched)
}

/// Returns the policies of a switch: the kind, name and nature of each.
fn natures(switch: &SwitchConfig) -> [(&'static str, &str, Nature); 3] {
    [
        ("route", switch.route.name(), switch.route.nature()),
        ("buffer", switch.buffer.name(), nature(switch)),
        ("sched", switch.sched.name(), switch.sched.nature()),
    ]
}

fn nature_of(buffer: &buffer::Chosen, sched: &sched::Chosen) -> Nature {
    let nature = buffer.nature();
    let stays = buffer.get("deflect") == Some(&Value::Flag(false));
    Nature {
        detours: nature.detours && !stays,
        reorders: nature.reorders && !stays,
        ranks: nature.ranks && !(nature.displaces && sched.name() == "fifo"),
        ..nature
    }
}

fn never_detours(switch: &SwitchConfig) -> Option<String> {
    let never = nature(switch).detours && switch.capacity == Capacity::Unlimited;
    never.then(|| {
        "an unlimited queue is never full, so no packet is ever detoured; set a capacity"
            .to_string()
    })
}
