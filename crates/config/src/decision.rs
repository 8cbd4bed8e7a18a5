//! Decision part of `[switch]`: its three policies and its buffer capacity.

use crate::section::Resolved;
use crate::spec::Choice;
use crate::value::{self, quoted};
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Capacity, Nature, buffer, route, sched};
use sidestep_types::{
    Bytes, Framing, Longest, Param, ParamUnit, Refusal, Size, Time, Value, Values,
};
use std::fmt::Write;

/// Value of [`CAPACITY`] for a memory shared by all ports of a switch.
pub const SHARED: &str = "shared";

/// Capacity of each port.
pub const CAPACITY: Param = Param::with_default(
    "capacity",
    ParamUnit::Size,
    "100 pkt",
    "capacity of each port, the packet on the wire included (DIBS Table 1), or \"shared\": one \
     memory for all ports",
)
.or_off("unlimited")
.or_word(SHARED);

/// Size of the shared memory.
pub const MEMORY: Param = Param::with_default(
    "memory",
    ParamUnit::Bytes,
    "1.7 MB",
    "shared memory of a switch (DIBS section 5.5.2); used when capacity is \"shared\"",
);

/// Factor of the dynamic threshold in shared memory.
pub const ALPHA: Param = Param::with_default(
    "alpha",
    ParamUnit::Fraction,
    "1",
    "dynamic threshold: a queue may hold this times the free shared memory (Choudhury and Hahne, \
     1998); assumed",
);

/// Silence that ends a message, for a switch that ranks data by the bytes it has seen of a flow.
pub const RANK_GAP: Param = Param::with_default(
    "rank_gap",
    ParamUnit::Time,
    "100 ms",
    "with rank \"sent\": silence after which a flow counts as new; assumed: longer than a timeout, \
     since retransmissions belong to the same message",
);

/// Reads [`RANK_GAP`].
pub fn rank_gap(values: &Values) -> Result<Time, Refusal> {
    match values.time(RANK_GAP.name) {
        Time::ZERO => Err(Refusal::of(RANK_GAP.name, "must be above 0").got(Time::ZERO)),
        gap => Ok(gap),
    }
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

/// Name and values of a policy.
pub type Named = (String, Values);

/// Policies of a switch, and its buffer capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Route: picks the next hop of a packet.
    pub route: Named,
    /// Buffer policy: decides about a packet that arrives.
    pub buffer: Named,
    /// Scheduler: picks the packet that leaves next.
    pub sched: Named,
    /// Buffer capacity of the switch.
    pub capacity: Capacity,
}

/// Reads the decision from a section with [`POLICIES`], [`CAPACITY`], [`MEMORY`] and [`ALPHA`].
///
/// Errors name the part of the section that is refused: a policy such as `buffer`, or the empty string for the
/// section itself.
pub fn decision(resolved: &Resolved) -> Result<Decision, (&'static str, Refusal)> {
    let [route, buffer, sched] = &resolved.policies[..] else {
        panic!("a resolved switch has a route, a buffer and a sched");
    };
    let named = |(name, values): &(&str, Values)| (name.to_string(), values.clone());
    let decision = Decision {
        route: named(route),
        buffer: named(buffer),
        sched: named(sched),
        capacity: capacity(&resolved.values).map_err(|e| ("", e))?,
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
        let (route, buffer, sched) = (&self.route, &self.buffer, &self.sched);
        AnyRoute::build(&route.0, &route.1, ports, salt).map_err(|e| ("route", e))?;
        AnyBuffer::build(&buffer.0, &buffer.1, ports, salt).map_err(|e| ("buffer", e))?;
        AnySched::build(&sched.0, &sched.1, ports, salt).map_err(|e| ("sched", e))?;
        Ok(())
    }

    /// Checks that the buffer policy works beside the scheduler and within the capacity.
    pub fn goes_together(&self) -> Result<(), (&'static str, Refusal)> {
        let (buffer, sched) = (self.buffer.0.as_str(), self.sched.0.as_str());
        let nature = buffer::nature(buffer);
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
        let ((buffer, values), (sched, counts)) = (&self.buffer, &self.sched);
        let asks = nature
            .flows
            .filter(|(name, word)| values.word(name) == *word);
        match asks {
            Some((name, word)) if counts.word_or_off("count").is_none() => {
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
        let needs = self.buffer.1.bytes(name);
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
        let wrong = format!("{name} ({needs}) must not exceed the capacity of a port, {how}");
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
    fn chosen(&self) -> impl Iterator<Item = (&'static str, &str, Vec<(&'static str, String)>)> {
        let named = [&self.route, &self.buffer, &self.sched];
        POLICIES.iter().zip(named).map(|(choice, (name, values))| {
            let entry = choice.entries.iter().find(|entry| entry.name == name);
            let params = entry.map_or(&[][..], |entry| entry.params).iter();
            let shown = params.map(|p| (p.name, value::show(values.get(p.name), p)));
            (choice.what, name.as_str(), shown.collect())
        })
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

fn capacity(values: &Values) -> Result<Capacity, Refusal> {
    match values.get("capacity") {
        Value::Word(word) if word == SHARED => {
            let (memory, alpha) = (values.bytes("memory"), values.fraction("alpha"));
            if alpha.0 == 0 {
                return Err(Refusal::of("alpha", "must be above 0"));
            }
            Ok(Capacity::Shared { memory, alpha })
        }
        _ => Ok(match values.size_or_off("capacity") {
            None => Capacity::Unlimited,
            Some(size) => Capacity::PerPort(size),
        }),
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
