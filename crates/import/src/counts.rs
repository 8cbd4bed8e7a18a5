//! Counts in words: `1 flow`, `28 flows`.

/// Nouns that are counted, each with its singular.
const NOUNS: &[(&str, &str)] = &[
    ("cells", "cell"),
    ("fields", "field"),
    ("barriers", "barrier"),
    ("buffers", "buffer"),
    ("bytes", "byte"),
    ("cables", "cable"),
    ("classes", "class"),
    ("connections", "connection"),
    ("delays", "delay"),
    ("directions", "direction"),
    ("flows", "flow"),
    ("fragments", "fragment"),
    ("hosts", "host"),
    ("kinds", "kind"),
    ("lines", "line"),
    ("links", "link"),
    ("messages", "message"),
    ("nodes", "node"),
    ("packets", "packet"),
    ("points", "point"),
    ("ports", "port"),
    ("priorities", "priority"),
    ("profiles", "profile"),
    ("queues", "queue"),
    ("rates", "rate"),
    ("records", "record"),
    ("rows", "row"),
    ("shares", "share"),
    ("starts", "start"),
    ("switches", "switch"),
    ("thresholds", "threshold"),
    ("triggers", "trigger"),
];

/// Verbs of the nouns, each with the form for one.
const VERBS: &[(&str, &str)] = &[
    (" are ", " is "),
    (" give ", " gives "),
    (" have ", " has "),
    (" make ", " makes "),
    (" name ", " names "),
    (" repeat ", " repeats "),
    (" start ", " starts "),
    (" they fire", " it fires"),
    (" they name ", " it names "),
    (" they wait", " it waits"),
    (" wait ", " waits "),
    (" were ", " was "),
    (" includes them", " includes it"),
];

/// Returns `what`, a plural like `flows that were cut`, for so many of them: `flow that was cut` for one.
pub fn counting(many: u64, what: &str) -> String {
    if many != 1 {
        return what.to_string();
    }
    let words = |c: char| !c.is_ascii_alphanumeric();
    let mut at = 0;
    let found = what.split_inclusive(words).find_map(|word| {
        let from = at;
        at += word.len();
        let word = word.trim_end_matches(words);
        let known = NOUNS.iter().find(|(plural, _)| *plural == word)?;
        Some((from, *known))
    });
    let Some((at, (plural, one))) = found else {
        return what.to_string();
    };
    let rest = &what[at + plural.len()..];
    // The part after a colon has a subject of its own, unless that is "they".
    let end = rest
        .find(": ")
        .filter(|end| !rest[*end..].starts_with(": they "));
    let (rest, after) = rest.split_at(end.unwrap_or(rest.len()));
    let mut rest = rest.to_string();
    for (plural, one) in VERBS {
        rest = rest.replacen(plural, one, 1);
    }
    format!("{}{one}{rest}{after}", &what[..at])
}

/// Counts things: `1 flow`, `28 flows`; `what` is their plural.
pub fn counted(many: u64, what: &str) -> String {
    format!("{many} {}", counting(many, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_has_a_noun_and_a_verb_of_its_own() {
        for (what, one) in [
            ("flows", "1 flow"),
            ("flows without payload", "1 flow without payload"),
            (
                "flows that start before --from-time",
                "1 flow that starts before --from-time",
            ),
            (
                "packets that are neither TCP nor UDP",
                "1 packet that is neither TCP nor UDP",
            ),
            (
                "UDP packets (--udp includes them)",
                "1 UDP packet (--udp includes it)",
            ),
            (
                "payload bytes that were sent",
                "1 payload byte that was sent",
            ),
            (
                "rows of SCHEDULER: weights of queues",
                "1 row of SCHEDULER: weights of queues",
            ),
            (
                "priorities: queues do not have them",
                "1 priority: queues do not have them",
            ),
            (
                "barriers make no group: they wait for more",
                "1 barrier makes no group: it waits for more",
            ),
            (
                "xoff of the profile: set pfc",
                "1 xoff of the profile: set pfc",
            ),
        ] {
            assert_eq!(counted(1, what), one);
            assert_eq!(counted(2, what), format!("2 {what}"));
            assert_eq!(counted(0, what), format!("0 {what}"));
        }
    }
}
