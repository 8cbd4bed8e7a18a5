//! Reads the schemes to compare: finds them by name and resolves their layers.

use super::host::{ReadHost, host};
use super::names::{NAME_RULE, descend, is_name, of_scheme, stem, words};
use super::reader::Reader;
use super::scheme_file::{SchemeFile, WORKLOADS, check_keys};
use super::switches::{called, switches};
use super::transports::ReadTransports;
use crate::scenario::Setting;
use crate::scheme::{HOST_SPEC, SWITCH_SPEC, Scheme, SchemeConfig, TRANSPORT_SPEC, transport};
use sidestep_config::decision::Decision;
use sidestep_config::differ::{Differing, resolve_switches};
use sidestep_config::document::{self, Table, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::section::{Resolved, resolve};
use sidestep_config::spec::Layer;
use sidestep_sim::{Network, SwitchConfig};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Framing, Refusal};

/// Scheme with its settings.
pub(super) struct ReadScheme {
    pub scheme: Scheme,
    pub settings: Vec<Setting>,
}

/// Values of a scheme's sections.
struct SchemeValues {
    switch: Resolved,
    /// Values of the host; `None` if they were refused.
    decision: Option<Decision>,
    /// Values of switches that differ.
    differing: Vec<Differing>,
    transport: Resolved,
    /// Transports of workloads that choose their own.
    transports: ReadTransports,
    /// Values of the host; `None` if they were refused.
    host: Option<ReadHost>,
    profile: Setting,
}

impl SchemeValues {
    fn shims(&self) -> &[shim::Chosen] {
        self.host.as_ref().map_or(&[], |host| &host.shims)
    }
}

impl Reader<'_> {
    /// Reads all schemes, each even if another is wrong, and returns them with warnings. All use the scenario's
    /// `framing` and its `network`, if that could be read.
    pub(super) fn schemes(
        &self,
        names: &[(String, At)],
        framing: Framing,
        network: Option<&Network>,
        problems: &mut Problems,
    ) -> Option<(Vec<ReadScheme>, Vec<String>)> {
        self.check_overrides(names, problems);
        let mut ledger = Ledger::default();
        let read: Vec<Option<ReadScheme>> = names
            .iter()
            .map(|(name, at)| self.scheme(name, at, framing, network, &mut ledger, problems))
            .collect();
        let read = read.into_iter().collect::<Option<Vec<_>>>()?;
        let warnings = ledger.close(problems);
        Some((read, warnings))
    }

    fn scheme(
        &self,
        word: &str,
        at: &At,
        framing: Framing,
        network: Option<&Network>,
        ledger: &mut Ledger,
        problems: &mut Problems,
    ) -> Option<ReadScheme> {
        let name = stem(word);
        if !is_name(name) {
            problems.add(at, format!("scheme {word:?}: {NAME_RULE}"));
            return None;
        }
        let file = self.scheme_file(word, name, at, problems)?;
        let values = self.scheme_values(name, &file, network, ledger, problems)?;
        let (shims, transports) = (values.shims(), &values.transports);
        let transport = transport(&values.transport)
            .map_err(|why| values.transport.refused("", &why, &file.at, problems))
            .ok();
        let longest = |transport: &TransportConfig| {
            shim::longest(shims, transports.largest_mss(transport.mss()))
        };
        let switches = switches(
            (&values.switch, values.decision.as_ref(), &values.differing),
            network,
            framing,
            transport.as_ref().map(longest),
            &file.at,
            problems,
        );
        let (switches, transport, host) = (switches?, transport?, values.host?);
        let transports = values.transports;
        host.check(&transport, &file.at, problems)?;
        transports.check(name, &host, problems)?;
        if let Err(why) = marks_are_read(&switches.switch, &host.shims) {
            values.switch.refused("", &why, &file.at, problems);
            return None;
        }
        let ReadHost {
            resolved: host_values,
            shims,
            nic,
            kernel,
            marker,
        } = host;
        let config = SchemeConfig {
            framing,
            // The scenario's value follows in `Head::finish`.
            ttl: u8::MAX,
            switch: switches.switch,
            others: switches.others,
            transport,
            transports: transports.transports,
            shims,
            nic,
            kernel,
            marker,
            // The scenario's value follows later as well.
            changes: Vec::new(),
        };
        let word =
            |key: &str, problems: &mut Problems| self.scheme_word(key, name, &file, problems);
        let scheme = Scheme {
            name: name.to_string(),
            summary: word("summary", problems),
            source: word("paper", problems),
            changed: !file.root.is_empty() && self.defines(name, problems),
            config,
            about: switches.about,
            own: None,
        };
        let mut settings = vec![values.profile];
        settings.extend(of_scheme(Some(name), values.switch));
        for differing in values.differing {
            settings.extend(of_scheme(Some(name), differing.resolved));
        }
        settings.extend(of_scheme(Some(name), values.transport));
        settings.extend(transports.settings);
        settings.extend(of_scheme(Some(name), host_values));
        Some(ReadScheme { scheme, settings })
    }

    /// Resolves the layers of each section.
    fn scheme_values(
        &self,
        name: &str,
        file: &SchemeFile,
        network: Option<&Network>,
        ledger: &mut Ledger,
        problems: &mut Problems,
    ) -> Option<SchemeValues> {
        let prefix = format!("scheme.{name}.");
        let layers = self.scheme_layers(SWITCH_SPEC.name, name, &prefix, file, problems);
        let called = network.map(called);
        let switch = resolve_switches(
            &SWITCH_SPEC,
            &layers,
            called.as_deref(),
            &file.at,
            ledger,
            problems,
        );
        let layers = self.scheme_layers(HOST_SPEC.name, name, &prefix, file, problems);
        let host = host(&layers, &file.at, ledger, problems);
        let shims = host.as_ref().map_or(&[][..], |host| &host.shims);
        let profile = self.profile(name, file, problems)?;
        let written = self.scheme_layers(TRANSPORT_SPEC.name, name, &prefix, file, problems);
        let lowest = profile.beside(&TRANSPORT_SPEC, &written, shims);
        let mut layers = vec![profile.layer(&lowest, TRANSPORT_SPEC.name)];
        layers.extend(written.iter().copied());
        let transport = resolve(&TRANSPORT_SPEC, &layers, &file.at, ledger, problems);
        let transports = transport.as_ref().and_then(|common| {
            let inherited = (&profile, &written[..], shims);
            self.transports(name, &prefix, inherited, common, ledger, problems)
        });
        let (switch, decision, differing) = switch?;
        Some(SchemeValues {
            switch,
            decision,
            differing,
            transport: transport?,
            transports: transports?,
            host,
            profile: profile.setting,
        })
    }

    /// Collects layers: scenario, scheme file, the scenario's override, `--set` for all, `--set` for this one.
    fn scheme_layers<'a>(
        &'a self,
        section: &'a str,
        name: &str,
        prefix: &'a str,
        file: &'a SchemeFile,
        problems: &mut Problems,
    ) -> Vec<Layer<'a>> {
        let mut layers = Vec::new();
        let mut add = |root: &'a Table, path: &[&str], origin, prefix, shared| {
            if let Some((table, _)) = descend(root, path, problems) {
                layers.push(Layer {
                    table,
                    origin,
                    name: section,
                    prefix,
                    shared,
                });
            }
        };
        let own = ["scheme", name, section];
        for (root, origin) in self.written {
            add(root, &[section], origin, "", true);
        }
        add(&file.root, &[section], &file.origin, "", false);
        for (root, origin) in self.written {
            add(root, &own, origin, prefix, false);
        }
        // Keep the order given, whether a layer is for all or for one.
        for (root, origin) in &self.over {
            add(root, &[section], origin, "", true);
            add(root, &own, origin, "", false);
        }
        layers
    }

    /// Returns the scheme's `summary` or `paper`: the scenario's word wins over its file's.
    fn scheme_word(
        &self,
        key: &str,
        name: &str,
        file: &SchemeFile,
        problems: &mut Problems,
    ) -> String {
        let written = self.written.iter().rev().filter_map(|(root, _)| {
            let (table, _) = descend(root, &["scheme", name], problems)?;
            find(table, key)
        });
        let own: Option<&document::Entry> = { written }.next();
        let entry = own.or_else(|| find(&file.root, key));
        let text = entry.and_then(|entry| entry.node.text(key, "text", problems));
        text.unwrap_or_default().to_string()
    }

    /// Checks that each `[scheme.NAME]` is about a scheme of the scenario, and has keys of a scheme.
    fn check_overrides(&self, names: &[(String, At)], problems: &mut Problems) {
        for (index, (root, _)) in self.roots().enumerate() {
            let Some((table, _)) = descend(root, &["scheme"], problems) else {
                continue;
            };
            for entry in table {
                let listed = names.iter().any(|(name, _)| stem(name) == entry.key);
                // `--set schemes=dibs` leaves the file's other overrides unused.
                let left = index < self.written.len() && self.lists(&entry.key);
                if !listed && !left {
                    let hint = suggest(&entry.key, names.iter().map(|(name, _)| stem(name)));
                    let message = format!("scheme {:?} is not in schemes{hint}", entry.key);
                    problems.add(&entry.at, message);
                }
                let what = format!("scheme.{}", entry.key);
                if let Some(table) = entry.node.table(&what, problems) {
                    check_keys(table, &what, &[WORKLOADS], problems);
                    self.check_workloads_of(table, &what, problems);
                }
            }
        }
    }

    /// True if a file defines the scheme itself.
    pub(super) fn defines(&self, name: &str, problems: &mut Problems) -> bool {
        let mut roots = self.written.iter();
        roots.any(|(root, _)| descend(root, &["scheme", name], problems).is_some())
    }

    /// True if `schemes` in the files lists this one.
    pub(super) fn lists(&self, name: &str) -> bool {
        let mut quiet = Problems::default();
        let mut roots = self.written.iter().rev();
        let own = roots.find_map(|(root, _)| find(root, "schemes"));
        let words = own.map(|entry| words(&entry.node, "", "", &mut quiet));
        words.is_some_and(|words| words.iter().any(|(word, _)| stem(word) == name))
    }
}

/// Refuses shims that mark ranks if switches rank data themselves and read no marks.
fn marks_are_read(switch: &SwitchConfig, shims: &[shim::Chosen]) -> Result<(), Refusal> {
    let mut shims = shims.iter();
    match shims.find(|shim| switch.sent.is_some() && shim.nature().tags) {
        None => Ok(()),
        Some(shim) => {
            let name = shim.name();
            let expected = format!(
                "must be \"marked\", since host.shims has {name:?} and other ranks ignore its marks"
            );
            Err(Refusal::of("rank", expected).got("\"sent\""))
        }
    }
}
