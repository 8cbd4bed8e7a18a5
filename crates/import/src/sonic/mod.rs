//! Buffers of a SONiC switch, from `config_db.json`, as far as `[switch]` can describe them.
//!
//! **Decision**     the section describes one real queue: its buffer profile, the pool of that profile, and its
//!                  WRED profile. Several kinds of queues are refused with a list, from which the user chooses.
//!                  `dynamic_th` n is the threshold alpha = 2^n of the pool. `static_th` limits a queue within
//!                  a pool that all ports share: the shared memory is the smaller of both.

mod file;
mod queues;

use crate::counts::counted;
use crate::{Imported, Options, OutputKind};
use file::{Fields, File, quoted, unquoted};
use queues::{Kind, Queues};
use serde_json::Value;

/// Reads buffers as a `[switch]`.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let root: Value = serde_json::from_slice(bytes).map_err(|why| {
        // The parser's own message may quote the file.
        let what = match why.classify() {
            serde_json::error::Category::Eof => "but the file ends within it",
            _ => "but it is broken",
        };
        format!(
            "{name}:{}: expected JSON, as a config_db.json of SONiC is, {what} at column {}",
            why.line(),
            why.column()
        )
    })?;
    let file = File::of(name, &root)?;
    let mut out = Imported::default();
    let queues = Queues::read(&file)?;
    let chosen = queues.choose(&file, options)?;
    let (profile, fields) = file.profile(chosen.as_ref(), options, &mut out)?;
    let mut text = format!("# The profile {}.\n[switch]\n", quoted(profile));
    file.capacity(profile, fields, &mut text, &mut out)?;
    let wred = chosen.as_ref().and_then(|kind| kind.wred);
    file.marking(wred, &mut text, &mut out)?;
    file.report(&queues, chosen.as_ref(), &mut out)?;
    for (table, why) in LEFT {
        if let Some(rows) = file.table(table) {
            out.drop(&format!("rows of {table}: {why}"), rows.len() as u64);
        }
    }
    for field in ["xoff", "xon"] {
        if fields.contains_key(field) {
            let why = "for pauses set pfc, pfc_xoff and pfc_headroom in [switch], for all ports";
            out.drop(&format!("{field} of the profile: {why}"), 1);
        }
    }
    out.keep("profiles", 1);
    out.files.push((OutputKind::Switch, text));
    Ok(out)
}

const INGRESS: &str = "ingress buffers; Sidestep counts a packet only at its output port";
const ONE_QUEUE: &str = "Sidestep has one queue per port";

/// Tables without a counterpart, with the reason.
const LEFT: [(&str, &str); 8] = [
    ("BUFFER_PG", INGRESS),
    ("BUFFER_PORT_INGRESS_PROFILE_LIST", INGRESS),
    (
        "BUFFER_PORT_EGRESS_PROFILE_LIST",
        "limits of whole ports; Sidestep has one limit per port, here that of the queue",
    ),
    (
        "SCHEDULER",
        "weights of queues; Sidestep has one queue per port",
    ),
    ("TC_TO_QUEUE_MAP", ONE_QUEUE),
    ("DSCP_TO_TC_MAP", ONE_QUEUE),
    ("MAP_PFC_PRIORITY_TO_QUEUE", ONE_QUEUE),
    (
        "PORT_QOS_MAP",
        "Sidestep has one queue per port; for pauses set pfc in [switch]",
    ),
];

/// Least alpha of a static threshold: one queue may fill 99 MB.
const NO_THRESHOLD: u64 = 1 << 16;

impl<'a> File<'a> {
    /// Returns the name and the fields of the profile of the chosen queues; without queues, of `--profile` or of
    /// the only one for egress.
    fn profile(
        &self,
        chosen: Option<&Kind<'a>>,
        options: &Options,
        out: &mut Imported,
    ) -> Result<(&'a str, &'a Fields), String> {
        let all = self.table("BUFFER_PROFILE").into_iter().flatten();
        let mut known: Vec<(&str, &Fields)> = Vec::new();
        let mut read = 0;
        for (name, fields) in all {
            read += 1;
            let fields = self.row("BUFFER_PROFILE", name, fields)?;
            if self.kind_of(name, fields)?.as_deref() != Some("ingress") {
                known.push((name, fields));
            }
        }
        out.read("profiles", read);
        out.drop("other profiles", read.saturating_sub(1));
        let few = || {
            let few = known.iter().take(8).map(|(name, _)| quoted(name));
            few.collect::<Vec<_>>().join(", ")
        };
        let find = |wanted: &str| known.iter().find(|(name, _)| *name == wanted).copied();
        let queue = chosen.and_then(|kind| kind.profile);
        match (queue, &options.profile, &known[..]) {
            (Some(name), ..) => find(name).ok_or_else(|| {
                let expected = format!("profiles of egress in BUFFER_PROFILE ({})", few());
                self.wrong("BUFFER_QUEUE", &expected, name)
            }),
            (None, Some(name), _) => find(name).ok_or_else(|| {
                let expected = format!("--profile with one of {}", few());
                self.wrong("BUFFER_PROFILE", &expected, name)
            }),
            (None, None, [only]) => Ok(*only),
            (None, None, []) => Err(self.wrong("BUFFER_PROFILE", "a profile of egress", "none")),
            _ => Err(format!(
                "{}: BUFFER_PROFILE: no row of BUFFER_QUEUE says which profile a queue has: \
                     choose one with --profile: {}",
                self.name,
                few()
            )),
        }
    }

    /// Returns the type of a profile's pool: `ingress`, `egress` or `both`.
    fn kind_of(
        &self,
        name: &str,
        fields: &'a Fields,
    ) -> Result<Option<std::borrow::Cow<'a, str>>, String> {
        let place = format!("BUFFER_PROFILE.{name}");
        let Some(pool) = self.reference(fields, &place, "pool")? else {
            return Ok(None);
        };
        let found = self.table("BUFFER_POOL").and_then(|pools| pools.get(pool));
        match found {
            Some(row) => {
                let fields = self.row("BUFFER_POOL", pool, row)?;
                self.text(fields, &format!("BUFFER_POOL.{pool}"), "type")
            }
            None => Ok(None),
        }
    }

    /// Returns the name of a profile's pool, and its size if it has one.
    fn pool(&self, place: &str, fields: &'a Fields) -> Result<(&'a str, Option<i64>), String> {
        let name = self.reference(fields, place, "pool")?.unwrap_or("none");
        let found = self.table("BUFFER_POOL").and_then(|pools| pools.get(name));
        let Some(row) = found else {
            return Err(self.wrong(place, "a pool of BUFFER_POOL", name));
        };
        let fields = self.row("BUFFER_POOL", name, row)?;
        let size = self.bytes(fields, &format!("BUFFER_POOL.{name}"), "size")?;
        Ok((name, size))
    }

    /// Writes the memory that the queue shares with the other ports, and its threshold.
    fn capacity(
        &self,
        name: &str,
        fields: &'a Fields,
        text: &mut String,
        out: &mut Imported,
    ) -> Result<(), String> {
        let place = format!("BUFFER_PROFILE.{name}");
        let limit = self.bytes(fields, &place, "static_th")?;
        let power = self.number(fields, &place, "dynamic_th")?;
        let reserved = self.number(fields, &place, "size")?;
        if let Some(kept) = reserved.filter(|kept| *kept > 0) {
            out.drop(
                &format!(
                    "reserved buffers of a queue ({kept} B): in Sidestep all memory is shared"
                ),
                1,
            );
        }
        let (memory, alpha) = match (limit, power) {
            (Some(_), Some(_)) => {
                return Err(self.wrong(&place, "dynamic_th or static_th", "both"));
            }
            (None, None) => return Err(self.wrong(&place, "dynamic_th or static_th", "neither")),
            (Some(limit), None) => self.fixed(&place, fields, limit, out)?,
            (None, Some(power)) => self.dynamic(&place, fields, power)?,
        };
        text.push_str(&format!(
            "capacity = \"shared\"\nmemory = {memory}\nalpha = {alpha}\n"
        ));
        Ok(())
    }

    /// Returns memory and alpha for a fixed limit of a queue.
    fn fixed(
        &self,
        place: &str,
        fields: &'a Fields,
        limit: i64,
        out: &mut Imported,
    ) -> Result<(String, String), String> {
        let (pool, size) = self.pool(place, fields)?;
        let what = match size {
            Some(size) if limit < size => {
                out.note(format!(
                    "static_th limits each queue to {limit} B of the pool {}, which has {size} B: \
                     here all ports together hold at most {limit} B. For that limit at each port, \
                     without the pool, set capacity = \"{limit} B\"",
                    quoted(pool)
                ));
                format!("static_th; the pool {} has {size} B", unquoted(pool))
            }
            Some(size) => {
                out.note(format!(
                    "static_th ({limit} B) lets one queue fill the pool {} ({size} B), which all \
                     ports share",
                    quoted(pool)
                ));
                format!("the pool {}; static_th is {limit} B", unquoted(pool))
            }
            None => {
                out.note(format!(
                    "The pool {} has no size: all ports together hold at most static_th, {limit} B",
                    quoted(pool)
                ));
                format!("static_th; the pool {} has no size", unquoted(pool))
            }
        };
        let memory = size.map_or(limit, |size| size.min(limit));
        // With this alpha, one queue may fill the memory as long as a full packet of 1518 B fits.
        let alpha = (memory.unsigned_abs() / 1518).next_power_of_two();
        Ok((
            format!("\"{memory} B\" # {what}"),
            format!(
                "\"{}\" # one queue may fill the memory",
                alpha.max(NO_THRESHOLD)
            ),
        ))
    }

    /// Returns memory and alpha for a limit of a queue that depends on the free memory.
    fn dynamic(
        &self,
        place: &str,
        fields: &'a Fields,
        power: i64,
    ) -> Result<(String, String), String> {
        let alpha = match power {
            0..=16 => format!("{}", 1u64 << power),
            -16..0 => format!("1/{}", 1u64 << -power),
            _ => {
                let place = format!("{place}.dynamic_th");
                return Err(self.wrong(&place, "from -16 to 16", &power.to_string()));
            }
        };
        let (pool, size) = self.pool(place, fields)?;
        let Some(memory) = size else {
            let expected = "a size (for a dynamic pool, ask the switch: `show buffer information`)";
            return Err(self.wrong(&format!("BUFFER_POOL.{pool}"), expected, "none"));
        };
        Ok((
            format!("\"{memory} B\" # {}", unquoted(pool)),
            format!("\"{alpha}\" # 2^{power}, dynamic_th"),
        ))
    }

    /// Writes the threshold of ECN marks of the queue, which has the WRED profile `wred`.
    fn marking(
        &self,
        wred: Option<&str>,
        text: &mut String,
        out: &mut Imported,
    ) -> Result<(), String> {
        let all = self.table("WRED_PROFILE");
        let many = all.map_or(0, |all| all.len() as u64);
        out.read("WRED profiles", many);
        let Some(name) = wred else {
            out.drop("WRED profiles that the queue does not have", many);
            return Ok(());
        };
        let Some(row) = all.and_then(|all| all.get(name)) else {
            return Err(self.wrong("QUEUE", "a profile of WRED_PROFILE", name));
        };
        out.drop("other WRED profiles", many - 1);
        let fields = self.row("WRED_PROFILE", name, row)?;
        let place = format!("WRED_PROFILE.{name}");
        let ecn = self.text(fields, &place, "ecn")?;
        match ecn.as_deref().unwrap_or("ecn_none") {
            "ecn_green" | "ecn_all" | "ecn_green_yellow" | "ecn_green_red" => {}
            "ecn_none" => {
                let why = "WRED profiles without ECN: for early drops use buffer = { kind = \
                           \"red\" }";
                out.drop(why, 1);
                return Ok(());
            }
            "ecn_yellow" | "ecn_red" | "ecn_yellow_red" => {
                out.drop("WRED profiles that mark no green packets", 1);
                return Ok(());
            }
            other => {
                let expected = "ecn_none, ecn_all or ecn_green (also _yellow, _red)";
                return Err(self.wrong(&format!("{place}.ecn"), expected, other));
            }
        }
        let [least, most, share] = self.ramp(fields, &place)?;
        out.drop(
            "thresholds of yellow and red packets",
            ["yellow", "red"]
                .iter()
                .filter(|colour| fields.contains_key(&format!("{colour}_min_threshold")))
                .count() as u64,
        );
        out.keep("WRED profiles", 1);
        text.push_str(&format!(
            "buffer = {{ kind = \"ecn\", mark_at = \"{least} B\" }} # {}\n",
            unquoted(name)
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

    /// Returns the thresholds of green packets, and the probability of a mark at the upper one, in percent.
    fn ramp(&self, fields: &'a Fields, place: &str) -> Result<[i64; 3], String> {
        let Some(least) = self.bytes(fields, place, "green_min_threshold")? else {
            return Err(self.wrong(place, "green_min_threshold", "none"));
        };
        let most = self.bytes(fields, place, "green_max_threshold")?;
        let most = most.unwrap_or(least);
        if most < least {
            let expected = format!("green_max_threshold of {least} or more");
            return Err(self.wrong(place, &expected, &most.to_string()));
        }
        let share = self.number(fields, place, "green_drop_probability")?;
        let share = share.unwrap_or(100);
        if !(0..=100).contains(&share) {
            let expected = "green_drop_probability from 0 to 100";
            return Err(self.wrong(place, expected, &share.to_string()));
        }
        Ok([least, most, share])
    }

    /// Reports the queue that is written, and those that are not.
    fn report(
        &self,
        queues: &Queues<'a>,
        chosen: Option<&Kind<'a>>,
        out: &mut Imported,
    ) -> Result<(), String> {
        let all: usize = queues.kinds.iter().map(Kind::many).sum();
        out.read("queues", all as u64);
        let Some(kind) = chosen else {
            out.drop(
                "queues, none of which is known to have the profile",
                all as u64,
            );
            out.note(
                "No row of BUFFER_QUEUE has the profile, so no WRED profile is known to be its own",
            );
            return Ok(());
        };
        let same = |other: &&Kind<'a>| (other.profile, other.wred) == (kind.profile, kind.wred);
        let alike = queues.kinds.iter().find(same).unwrap_or(kind);
        out.keep("queues of one kind", alike.many() as u64);
        out.drop(
            "queues of other kinds: Sidestep has one queue per port",
            all.saturating_sub(alike.many()) as u64,
        );
        out.note(format!(
            "[switch] describes {}: {}",
            alike.words(),
            alike.profiles()
        ));
        if let Some((which, ports)) = queues.lossless(self, kind)? {
            out.note(format!(
                "PFC (pfc_enable) is on for {which} of {}: the switch pauses senders before it \
                 drops their packets. Here it does not, unless you set pfc in [switch]",
                counted(ports as u64, "ports")
            ));
        }
        Ok(())
    }
}
