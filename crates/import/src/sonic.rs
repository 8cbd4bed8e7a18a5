//! Buffers of a SONiC switch, from `config_db.json`, as far as `[switch]` can describe them.
//!
//! **Decision**     one egress profile stands for all queues: the requested one, or the one that most queues
//!                  have. `dynamic_th` n is the threshold alpha = 2^n of its pool; `static_th` is the limit of
//!                  a queue. The WRED profile of most queues sets the threshold of ECN marks.

use crate::{Imported, Options, OutputKind};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Reads buffers as a `[switch]`.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let root: Value = serde_json::from_slice(bytes).map_err(|why| {
        // The parser's own message may quote the file.
        let what = match why.classify() {
            serde_json::error::Category::Eof => "a file that ends within it",
            _ => "something else",
        };
        format!(
            "{name}:{}: expected JSON, as a config_db.json of SONiC is, got {what} at column {}",
            why.line(),
            why.column()
        )
    })?;
    let file = File { name, root: &root };
    let mut out = Imported::default();
    let (profile, fields) = file.profile(options, &mut out)?;
    let mut text = format!("# The profile {}.\n[switch]\n", quoted(profile));
    file.capacity(profile, fields, &mut text, &mut out)?;
    file.marking(&mut text, &mut out)?;
    for (table, why) in LEFT {
        if let Some(rows) = file.table(table) {
            out.drop(&format!("rows of {table}: {why}"), rows.len() as u64);
        }
    }
    for (field, why) in [
        (
            "xoff",
            "for pauses set pfc, pfc_xoff and pfc_headroom in [switch], for all ports",
        ),
        (
            "xon",
            "for pauses set pfc, pfc_xoff and pfc_headroom in [switch], for all ports",
        ),
    ] {
        if fields.contains_key(field) {
            out.drop(&format!("{field} of the profile: {why}"), 1);
        }
    }
    out.note(
        "All queues of a port are replaced by one with this profile: Sidestep has one queue per \
         port",
    );
    out.keep("profiles", 1);
    out.files.push((OutputKind::Switch, text));
    Ok(out)
}

/// Tables without a counterpart, with the reason.
const LEFT: [(&str, &str); 6] = [
    (
        "BUFFER_PG",
        "ingress buffers; Sidestep counts a packet only at its output port",
    ),
    (
        "BUFFER_PORT_INGRESS_PROFILE_LIST",
        "ingress buffers; Sidestep counts a packet only at its output port",
    ),
    (
        "SCHEDULER",
        "weights of queues; Sidestep has one queue per port",
    ),
    ("TC_TO_QUEUE_MAP", "Sidestep has one queue per port"),
    ("DSCP_TO_TC_MAP", "Sidestep has one queue per port"),
    (
        "PORT_QOS_MAP",
        "Sidestep has one queue per port; for pauses set pfc in [switch]",
    ),
];

struct File<'a> {
    name: &'a str,
    root: &'a Value,
}

type Fields = Map<String, Value>;

impl<'a> File<'a> {
    fn table(&self, name: &str) -> Option<&'a Fields> {
        self.root.get(name)?.as_object()
    }

    fn wrong(&self, place: &str, expected: &str, got: &str) -> String {
        let short: String = got.chars().take(60).collect();
        let place: String = place.chars().filter(|c| !c.is_control()).take(80).collect();
        format!("{}: {place}: expected {expected}, got {short:?}", self.name)
    }

    fn text(&self, fields: &'a Fields, place: &str, key: &str) -> Result<Option<&'a str>, String> {
        match fields.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim())),
            Some(other) => {
                Err(self.wrong(&format!("{place}.{key}"), "a string", &other.to_string()))
            }
        }
    }

    fn number(&self, fields: &'a Fields, place: &str, key: &str) -> Result<Option<i64>, String> {
        let Some(text) = self.text(fields, place, key)? else {
            return Ok(None);
        };
        let read = text.parse().ok();
        let wrong = || self.wrong(&format!("{place}.{key}"), "a whole number", text);
        read.map(Some).ok_or_else(wrong)
    }

    /// Reads a number of bytes, at least 1.
    fn bytes(&self, fields: &'a Fields, place: &str, key: &str) -> Result<Option<i64>, String> {
        let number = self.number(fields, place, key)?;
        match number {
            Some(bytes) if !(1..1 << 44).contains(&bytes) => {
                let expected = "at least 1 byte";
                Err(self.wrong(&format!("{place}.{key}"), expected, &bytes.to_string()))
            }
            other => Ok(other),
        }
    }

    /// Returns the name and the fields of the profile for the queues.
    fn profile(
        &self,
        options: &Options,
        out: &mut Imported,
    ) -> Result<(&'a str, &'a Fields), String> {
        let Some(all) = self.table("BUFFER_PROFILE") else {
            return Err(format!(
                "{}: expected a table BUFFER_PROFILE, got none",
                self.name
            ));
        };
        out.read("profiles", all.len() as u64);
        let mut known: Vec<&str> = Vec::new();
        for (name, fields) in all {
            let Some(fields) = fields.as_object() else {
                return Err(self.wrong(
                    &format!("BUFFER_PROFILE.{name}"),
                    "a table",
                    &fields.to_string(),
                ));
            };
            let pool = self.text(fields, name, "pool")?.unwrap_or_default();
            if self.kind_of(pool)? != Some("ingress") {
                known.push(name);
            }
        }
        let listed = || {
            let few: Vec<String> = known.iter().take(12).map(|name| quoted(name)).collect();
            format!("--profile with one of {}", few.join(", "))
        };
        let chosen = match &options.profile {
            Some(name) => {
                let found = all.keys().find(|known| *known == name);
                found.ok_or_else(|| self.wrong("BUFFER_PROFILE", &listed(), name))?
            }
            None => match (self.most("BUFFER_QUEUE", "profile"), &known[..]) {
                (Some((name, many)), _) if all.contains_key(name) => {
                    out.note(format!(
                        "{many} rows of BUFFER_QUEUE have the profile {}",
                        quoted(name)
                    ));
                    name
                }
                (_, [only]) => only,
                _ => {
                    let got = "no --profile and no BUFFER_QUEUE with a profile";
                    return Err(self.wrong("BUFFER_PROFILE", &listed(), got));
                }
            },
        };
        let fields = all[chosen]
            .as_object()
            .expect("each was seen to be a table");
        out.drop("other profiles", all.len() as u64 - 1);
        Ok((chosen, fields))
    }

    /// Returns the type of a pool: `ingress`, `egress` or `both`.
    fn kind_of(&self, pool: &str) -> Result<Option<&'a str>, String> {
        let found = self
            .table("BUFFER_POOL")
            .and_then(|pools| pools.get(bare(pool)));
        match found.and_then(Value::as_object) {
            Some(fields) => self.text(fields, pool, "type"),
            None => Ok(None),
        }
    }

    /// Returns the value of `key` in most rows of a table, and the number of these rows.
    fn most(&self, table: &str, key: &str) -> Option<(&'a str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in self.table(table)?.values() {
            let word = row.get(key).and_then(Value::as_str);
            *counts.entry(bare(word?)).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, many)| *many)
    }

    fn capacity(
        &self,
        name: &str,
        fields: &'a Fields,
        text: &mut String,
        out: &mut Imported,
    ) -> Result<(), String> {
        let place = format!("BUFFER_PROFILE.{name}");
        if let Some(bytes) = self.bytes(fields, &place, "static_th")? {
            text.push_str(&format!("capacity = \"{bytes} B\" # static_th\n"));
            return Ok(());
        }
        let Some(power) = self.number(fields, &place, "dynamic_th")? else {
            return Err(self.wrong(&place, "dynamic_th or static_th", "neither"));
        };
        let alpha = match power {
            0..=16 => format!("{}", 1u64 << power),
            -16..0 => format!("1/{}", 1u64 << -power),
            _ => {
                let expected = "from -16 to 16";
                return Err(self.wrong(
                    &format!("{place}.dynamic_th"),
                    expected,
                    &power.to_string(),
                ));
            }
        };
        let pool = bare(self.text(fields, &place, "pool")?.unwrap_or_default());
        let found = self.table("BUFFER_POOL").and_then(|pools| pools.get(pool));
        let Some(found) = found.and_then(Value::as_object) else {
            return Err(self.wrong(&place, "a pool of BUFFER_POOL", pool));
        };
        let at = format!("BUFFER_POOL.{pool}");
        let Some(memory) = self.bytes(found, &at, "size")? else {
            let expected = "a size (for a dynamic pool, ask the switch: `show buffer information`)";
            return Err(self.wrong(&at, expected, "none"));
        };
        if let Some(kept) = self
            .number(fields, &place, "size")?
            .filter(|kept| *kept > 0)
        {
            out.drop(
                &format!(
                    "reserved buffers of a queue ({kept} B): in Sidestep all memory is shared"
                ),
                1,
            );
        }
        text.push_str(&format!(
            "capacity = \"shared\"\nmemory = \"{memory} B\" # {pool}\nalpha = \"{alpha}\" # 2^{power}, dynamic_th\n",
            pool = pool.replace(|c: char| c.is_control(), " "),
        ));
        Ok(())
    }

    /// Writes the threshold of ECN marks.
    fn marking(&self, text: &mut String, out: &mut Imported) -> Result<(), String> {
        let Some(all) = self.table("WRED_PROFILE") else {
            return Ok(());
        };
        out.read("WRED profiles", all.len() as u64);
        let usual = self.most("QUEUE", "wred_profile");
        let chosen = match usual {
            Some((name, _)) => all.get_key_value(name),
            None if all.len() == 1 => all.iter().next(),
            None => None,
        };
        let Some((name, Value::Object(fields))) = chosen else {
            out.drop("WRED profiles that no row of QUEUE names", all.len() as u64);
            return Ok(());
        };
        out.drop("other WRED profiles", all.len() as u64 - 1);
        let place = format!("WRED_PROFILE.{name}");
        let ecn = self.text(fields, &place, "ecn")?.unwrap_or("ecn_none");
        if !["ecn_green", "ecn_all", "ecn_green_yellow", "ecn_green_red"].contains(&ecn) {
            out.drop(
                "WRED profiles without ECN: for early drops use buffer = { kind = \"red\" }",
                1,
            );
            return Ok(());
        }
        let Some(least) = self.bytes(fields, &place, "green_min_threshold")? else {
            return Err(self.wrong(&place, "green_min_threshold", "none"));
        };
        let most = self
            .bytes(fields, &place, "green_max_threshold")?
            .unwrap_or(least);
        if most < least {
            let expected = format!("green_max_threshold of {least} or more");
            return Err(self.wrong(&place, &expected, &most.to_string()));
        }
        let share = self
            .number(fields, &place, "green_drop_probability")?
            .unwrap_or(100);
        if !(0..=100).contains(&share) {
            let expected = "green_drop_probability from 0 to 100";
            return Err(self.wrong(&place, expected, &share.to_string()));
        }
        out.drop(
            "thresholds of yellow and red packets",
            ["yellow", "red"]
                .iter()
                .filter(|colour| fields.contains_key(&format!("{colour}_min_threshold")))
                .count() as u64,
        );
        out.keep("WRED profiles", 1);
        text.push_str(&format!(
            "buffer = {{ kind = \"ecn\", mark_at = \"{least} B\" }}\n"
        ));
        if most > least {
            out.note(format!(
                "WRED marks {share} % of packets at {most} B and fewer below; here all packets are \
                 marked from {least} B on, as DCTCP wants it; for the ramp use buffer = {{ kind = \
                 \"red\", min = \"{least} B\", max = \"{most} B\", max_p = \"{share}/100\", weight \
                 = \"1\" }}"
            ));
        }
        Ok(())
    }
}

/// Returns `name` from the older form `[BUFFER_PROFILE|name]`.
fn bare(word: &str) -> &str {
    let inner = word.trim().trim_start_matches('[').trim_end_matches(']');
    inner.rsplit('|').next().unwrap_or(inner)
}

/// Quotes a name of the file, cut if it is long.
fn quoted(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    format!("{short:?}")
}
