//! Switches of a scheme: `[switch]` for all of them, and `[switch.at]` for some.

use crate::scheme::switch;
use sidestep_config::decision::{Decision, holds_a_packet};
use sidestep_config::differ::{Called, Differing};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_sim::{Network, SwitchConfig, SwitchOverrides, check_switch};
use sidestep_types::{Framing, Longest, Refusal, Values};

/// Returns the switches of a network with the names of their topology.
pub(super) fn called(network: &Network) -> Vec<Called<'_>> {
    let each = network.switches.iter().map(|info| Called {
        name: &info.name,
        tier: info.tier.as_deref(),
    });
    each.collect()
}

/// Switches of a scheme, as read.
pub(super) struct ReadSwitches {
    pub switch: SwitchConfig,
    pub others: SwitchOverrides,
    /// Tier or switch that each kind of `others` applies to.
    pub about: Vec<String>,
}

/// Kind of switch, with its own section.
struct Kind<'a> {
    resolved: &'a Resolved,
    /// Place of a refusal if no value of the section is to blame.
    at: &'a At,
    /// Switches of this kind.
    numbers: Vec<usize>,
}

impl Kind<'_> {
    /// Reports a refusal, unless an inherited one with the same place and part was shown already.
    fn refused(
        &self,
        part: &'static str,
        why: &Refusal,
        shown: &mut Vec<(At, &'static str)>,
        problems: &mut Problems,
    ) {
        let place = (self.resolved.place(part, why, self.at).clone(), part);
        if !shown.contains(&place) {
            self.resolved.refused(part, why, self.at, problems);
            shown.push(place);
        }
    }

    /// Builds the config, if it is possible with the values for all of `[switch]`, in `values`.
    fn config(
        &self,
        decision: Decision,
        values: &Values,
        network: Option<&Network>,
        shown: &mut Vec<(At, &'static str)>,
        problems: &mut Problems,
    ) -> Option<SwitchConfig> {
        let fits = network.map_or(Ok(()), |network| self.fits(&decision, network));
        let built = fits.and_then(|()| switch(decision, values));
        let refused = |(part, why)| self.refused(part, &why, shown, problems);
        built.map_err(refused).ok()
    }

    /// Refuses policies for which one of the switches has too few ports.
    fn fits(&self, decision: &Decision, network: &Network) -> Result<(), (&'static str, Refusal)> {
        let ports = network.port_counts();
        let mut seen = Vec::new();
        for &number in &self.numbers {
            if seen.contains(&ports[number]) {
                continue;
            }
            seen.push(ports[number]);
            decision.fits(ports[number]).map_err(|(part, why)| {
                let name = &network.switches[number].name;
                let expected = format!("switch {name:?}: {}", why.expected);
                (part, Refusal { expected, ..why })
            })?;
        }
        Ok(())
    }
}

/// Builds the switches from the sections. `longest` is known if transport and shims could be read.
pub(super) fn switches(
    (resolved, decision, differing): (&Resolved, Option<&Decision>, &[Differing]),
    network: Option<&Network>,
    framing: Framing,
    longest: Option<Longest>,
    at: &At,
    problems: &mut Problems,
) -> Option<ReadSwitches> {
    let count = network.map_or(0, |network| network.switches.len());
    let mut of = vec![None; count];
    // If two kinds match one switch, either will do: they are equal.
    for (kind, differing) in (0u16..).zip(differing) {
        differing.switches.iter().for_each(|s| of[*s] = Some(kind));
    }
    let numbers = |kind: Option<u16>| (0..count).filter(|s| of[*s] == kind).collect();
    let all = Kind {
        resolved,
        at,
        numbers: numbers(None),
    };
    let mut shown = Vec::new();
    let switch = decision.and_then(|decision| {
        all.config(
            decision.clone(),
            &resolved.values,
            network,
            &mut shown,
            problems,
        )
    });
    let kinds = (0u16..).zip(differing).map(|(number, differing)| {
        let kind = Kind {
            resolved: &differing.resolved,
            at: &differing.at,
            numbers: numbers(Some(number)),
        };
        let decision = differing.decision.clone();
        let config = kind.config(decision, &resolved.values, network, &mut shown, problems)?;
        Some((kind, config))
    });
    let kinds: Vec<_> = kinds.collect();
    let (switch, kinds) = (switch?, kinds.into_iter().collect::<Option<Vec<_>>>()?);
    let longest = longest?;
    let mut whole = true;
    for (kind, config) in std::iter::once(&(all, switch.clone())).chain(&kinds) {
        if let Err(why) = holds_a_packet(&config.capacity, longest) {
            kind.refused("", &why, &mut shown, problems);
            whole = false;
        }
    }
    if let Err(why) = check_switch(&switch, framing, longest) {
        resolved.refused("", &why, at, problems);
        whole = false;
    }
    whole.then(|| ReadSwitches {
        switch,
        others: SwitchOverrides {
            of: if kinds.is_empty() { Vec::new() } else { of },
            kinds: kinds.into_iter().map(|(_, config)| config).collect(),
        },
        about: differing.iter().map(|d| d.about.clone()).collect(),
    })
}
