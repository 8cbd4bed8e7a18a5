//! Decision part of `[switch]`: its three policies and its buffer capacity.

use crate::section::Resolved;
use crate::spec::Choice;
use crate::value::{self, quoted};
use sidestep_switch::{Capacity, Nature, buffer, route, sched};
use sidestep_types::{
    Bytes, Fraction, Framing, Longest, ParamUnit, Refusal, Setting, Settings, Size, Time, Value,
};
use std::fmt::Write;

/// The word for a memory that all ports of a switch share, as a capacity.
const SHARED: &str = "shared";

/// Buffer capacity of a switch, a part of its section.
#[derive(Clone, Copy, Debug, Settings)]
pub struct Memory {
    /// capacity of each port, including the packet on the wire (DIBS Table 1), or "shared": one memory for all
    /// ports
    #[setting(default = "100 pkt", off = "unlimited", word = "shared")]
    capacity: Held,
    /// the shared memory of a switch (DIBS section 5.5.2); used when capacity is "shared"
    #[setting(default = "1.7 MB", beside(capacity = "shared"))]
    memory: Bytes,
    /// dynamic threshold: a queue may hold this times the free shared memory (Choudhury and Hahne, 1998);
    /// assumed
    #[setting(default = "1", beside(capacity = "shared"))]
    alpha: Fraction,
}

/// Capacity of each port.
#[derive(Clone, Copy, Debug)]
enum Held {
    Unlimited,
    PerPort(Size),
    Shared,
}

impl Setting for Held {
    const UNIT: ParamUnit = Size::UNIT;

    fn read(name: &'static str, value: &Value) -> Result<Held, Refusal> {
        match value {
            Value::Off => Ok(Held::Unlimited),
            Value::Word(_) => Ok(Held::Shared),
            value => Size::read(name, value).map(Held::PerPort),
        }
    }
}

impl Memory {
    fn capacity(self) -> Result<Capacity, Refusal> {
        match (self.capacity, self.alpha) {
            (Held::Unlimited, _) => Ok(Capacity::Unlimited),
            (Held::PerPort(size), _) => Ok(Capacity::PerPort(size)),
            (Held::Shared, Fraction(0, _)) => Err(Refusal::of("alpha", "must be above 0")),
            (Held::Shared, Fraction(above, below)) => Ok(Capacity::Shared {
                memory: self.memory,
                alpha: (above, below),
            }),
        }
    }
}

/// Silence that ends a message, for a switch that ranks data by the bytes it has seen of a flow.
#[derive(Clone, Copy, Debug, Settings)]
pub struct RankGap {
    /// with rank "sent": a flow that has sent nothing for longer starts anew; assumed: longer than a timeout, whose
    /// repeats are of the same message
    #[setting(default = "100 ms", above = 0)]
    pub rank_gap: Time,
}

/// Policies of `[switch]`.
pub const POLICIES: &[Choice] = &[
    Choice {
        what: "route",
        entries: route::ENTRIES,
        default: Some("ecmp"),
    },
    BUFFER,
    SCHED,
];

/// Buffer policy of a switch, or of a NIC.
pub const BUFFER: Choice = Choice {
    what: "buffer",
    entries: buffer::ENTRIES,
    default: Some("droptail"),
};

/// Scheduler of a port.
pub const SCHED: Choice = Choice {
    what: "sched",
    entries: sched::ENTRIES,
    default: Some("fifo"),
};

/// Policies of a switch, and its buffer capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Route: picks the next hop of a packet.
    pub route: route::Chosen,
    /// Buffer policy: decides about a packet that arrives.
    pub buffer: buffer::Chosen,
    /// Scheduler: picks the packet that leaves next.
    pub sched: sched::Chosen,
    /// Buffer capacity of the switch.
    pub capacity: Capacity,
}

/// Reads the decision from a section with [`POLICIES`] and the settings of [`Memory`].
///
/// Errors have the part of the section that is refused: a policy, `buffer`, or nothing.
pub fn decision(resolved: &Resolved) -> Result<Decision, (&'static str, Refusal)> {
    let [route, buffer, sched] = &resolved.policies[..] else {
        panic!("a resolved switch has a route, a buffer and a sched");
    };
    let decision = Decision {
        route: route::choose(route.0, &route.1).map_err(|e| ("route", e))?,
        buffer: buffer::choose(buffer.0, &buffer.1).map_err(|e| ("buffer", e))?,
        sched: sched::choose(sched.0, &sched.1).map_err(|e| ("sched", e))?,
        capacity: (Memory::read(&resolved.values).and_then(Memory::capacity))
            .map_err(|e| ("", e))?,
    };
    // Checks with an arbitrary number of ports: no value is wrong for one number and right for another.
    decision.fits(ANY_PORTS)?;
    decision.goes_together()?;
    Ok(decision)
}

/// Buffer taken by a full packet on Ethernet.
const FULL: Bytes = Bytes(1_518);

/// Number of ports of a switch that is built only to check the values of its policies.
const ANY_PORTS: u16 = 4;

impl Decision {
    /// Checks that a switch with `ports` ports can have these policies. Errors name the policy that it cannot
    /// have.
    pub fn fits(&self, ports: u16) -> Result<(), (&'static str, Refusal)> {
        // No error depends on the salt.
        let salt = 0;
        self.route.build(ports, salt).map_err(|e| ("route", e))?;
        self.buffer.build(ports, salt).map_err(|e| ("buffer", e))?;
        self.sched.build(ports, salt).map_err(|e| ("sched", e))?;
        Ok(())
    }

    /// Checks that the buffer policy works beside the scheduler and within the capacity.
    pub fn goes_together(&self) -> Result<(), (&'static str, Refusal)> {
        let (buffer, sched) = (self.buffer.name(), self.sched.name());
        let nature = self.buffer.nature();
        if !nature.works_beside(sched) {
            let expected = format!("{buffer:?} needs sched {}", one_of(nature.sched));
            let got = format!("{sched:?}");
            return Err(("buffer", Refusal::of_none(expected).got(got)));
        }
        self.counts_flows(nature).map_err(|why| ("sched", why))?;
        self.holds_enough(nature).map_err(|why| ("buffer", why))
    }

    /// Checks that the scheduler counts flows if the buffer policy needs their number.
    fn counts_flows(&self, nature: Nature) -> Result<(), Refusal> {
        let (values, counts) = (self.buffer.values(), self.sched.values());
        let asks = nature
            .flows
            .filter(|(name, word)| values.word(name) == *word);
        match asks {
            Some((name, word)) if counts.word_or_off("count").is_none() => {
                let (buffer, sched) = (self.buffer.name(), self.sched.name());
                let expected = format!(
                    "buffer {buffer:?} with {name} = {word:?} needs a sched that counts flows"
                );
                let got = format!("sched {sched:?} with count = \"off\"");
                Err(Refusal::about(&["count"], expected).got(got))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a port can hold the bytes for which the buffer policy must have room.
    fn holds_enough(&self, nature: Nature) -> Result<(), Refusal> {
        let Some(name) = nature.holds else {
            return Ok(());
        };
        let needs = self.buffer.values().bytes(name);
        let (most, how) = match self.capacity {
            Capacity::Unlimited => return Ok(()),
            Capacity::PerPort(Size::Bytes(most)) => (most.0, format!("capacity = {most}")),
            Capacity::PerPort(Size::Packets(n)) => {
                let most = n.saturating_mul(FULL.0);
                (most, format!("capacity = {n} pkt of {FULL}"))
            }
            Capacity::Shared { memory, .. } => (memory.0, format!("memory = {memory}")),
        };
        if needs.0 <= most {
            return Ok(());
        }
        let wrong = format!("{name} ({needs}) must not exceed the capacity of a port ({how})");
        Err(Refusal::about(&[name], wrong))
    }

    /// Writes this decision as lines of `[switch]`, with every value.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for (key, value) in self.held() {
            let _ = writeln!(out, "{key} = {}", quoted(&value));
        }
        for (what, name, params) in self.chosen() {
            let mut words = vec![format!("kind = {}", quoted(name))];
            let params = params.iter();
            words.extend(params.map(|(param, value)| format!("{param} = {}", quoted(value))));
            let _ = writeln!(out, "{what} = {{ {} }}", words.join(", "));
        }
        out
    }

    /// Returns each key with different values in both, and the two values. For different policies, returns only
    /// their names.
    pub(crate) fn differences(&self, other: &Decision) -> Vec<(String, String, String)> {
        let mut all = Vec::new();
        for ((what, name, params), (_, theirs, others)) in self.chosen().zip(other.chosen()) {
            if name != theirs {
                all.push((what.to_string(), name.to_string(), theirs.to_string()));
                continue;
            }
            let pairs = params.into_iter().zip(others);
            all.extend(pairs.map(|((key, one), (_, two))| (format!("{what}.{key}"), one, two)));
        }
        let pairs = self.held().into_iter().zip(other.held());
        all.extend(pairs.map(|((key, one), (_, two))| (key.to_string(), one, two)));
        all.retain(|(_, one, two)| one != two);
        all
    }

    /// Returns the keys and values of the capacity, as written in `[switch]`.
    fn held(&self) -> Vec<(&'static str, String)> {
        match self.capacity {
            Capacity::Unlimited => vec![("capacity", "unlimited".into())],
            Capacity::PerPort(size) => vec![("capacity", size.to_string())],
            Capacity::Shared { memory, alpha } => vec![
                ("capacity", SHARED.into()),
                ("memory", memory.to_string()),
                ("alpha", format!("{}/{}", alpha.0, alpha.1)),
            ],
        }
    }

    /// Returns the key, the name and the parameters of each policy.
    fn chosen(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str, Vec<(&'static str, String)>)> {
        let (route, buffer, sched) = (&self.route, &self.buffer, &self.sched);
        let all = [
            ("route", route.name(), value::shown(route)),
            ("buffer", buffer.name(), value::shown(buffer)),
            ("sched", sched.name(), value::shown(sched)),
        ];
        all.into_iter()
    }
}

/// Joins words, quoted, with commas and `or`.
fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    match &quoted[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => quoted.concat(),
    }
}

/// Refuses a capacity that cannot hold a full packet with Ethernet's header and FCS: nothing would ever be
/// delivered.
pub fn holds_a_packet(capacity: &Capacity, longest: impl Into<Longest>) -> Result<(), Refusal> {
    let (framing, longest) = (Framing::Ethernet, longest.into());
    let full = u64::from(framing.wire(longest.ip()) - framing.unbuffered());
    let (name, got) = match capacity {
        Capacity::Unlimited => return Ok(()),
        Capacity::PerPort(Size::Packets(0)) => {
            return Err(Refusal::of("capacity", "must be at least 1 pkt").got("0 pkt"));
        }
        Capacity::PerPort(Size::Packets(_)) => return Ok(()),
        Capacity::PerPort(Size::Bytes(bytes)) => ("capacity", bytes),
        Capacity::Shared { memory, .. } => ("memory", memory),
    };
    if got.0 < full {
        let expected = format!("must hold a full packet, {full} B with {longest}");
        return Err(Refusal::of(name, expected).got(got));
    }
    Ok(())
}
