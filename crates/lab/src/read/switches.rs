//! What the switches of a scheme are: what `[switch]` says of all of them, and `[switch.at]` of some.

use crate::scheme::switch;
use sidestep_config::decision::{Decision, holds_a_packet};
use sidestep_config::differ::{Called, Differing};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_sim::{Network, Others, SwitchConfig, check_switch};
use sidestep_types::{Framing, Longest, Refusal, Values};

/// The switches of a network as their topology calls them.
pub(super) fn called(network: &Network) -> Vec<Called<'_>> {
    let each = network.switches.iter().map(|info| Called {
        name: &info.name,
        tier: info.tier.as_deref(),
    });
    each.collect()
}

/// The switches of a scheme, read.
pub(super) struct ReadSwitches {
    pub switch: SwitchConfig,
    pub others: Others,
    /// What each kind of `others` is about.
    pub about: Vec<String>,
}

/// One kind of switch, with its own section.
struct Kind<'a> {
    resolved: &'a Resolved,
    /// Where it is refused when no value of it is to blame.
    at: &'a At,
    /// The switches that are of it.
    numbers: Vec<usize>,
}

impl Kind<'_> {
    /// Reports a refusal, but not what it inherits when that is shown already: its place and part.
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

    /// Its config, when it can be had with what `[switch]` says of all, in `values`.
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

    /// Refuses policies that one of its switches has too few ports for.
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

/// What the sections come to. `longest` is known where transport and shims could be read.
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
    // Of two that match one switch either will do: they say the same.
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
        others: Others {
            of: if kinds.is_empty() { Vec::new() } else { of },
            kinds: kinds.into_iter().map(|(_, config)| config).collect(),
        },
        about: differing.iter().map(|d| d.about.clone()).collect(),
    })
}
