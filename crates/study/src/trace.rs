//! Paths of single packets: filters, storage, and display.
//!
//! A packet's number is its source host and a count: `100:3` is the fourth packet of host 100.

use crate::format::{count, number};
use crate::rows::{Point, end_name};
use serde_json::{Value, json};
use sidestep_sim::network::{End, Network};
use sidestep_sim::{PacketTrace, TraceEvent, TraceFilter};
use sidestep_switch::{Changes, Event};
use sidestep_types::PortId;
use std::collections::BTreeMap;

/// Reads a filter: `detours>=8`, `dropped`, `flow=12,13` or `id=100:3,7:0`.
pub fn parse_filter(text: &str) -> Result<TraceFilter, String> {
    let refuse = || {
        format!(
            "cannot trace {text:?}: expected \"detours>=8\", \"dropped\", \"flow=12\" or \
             \"id=100:3,7:0\" (host:number)"
        )
    };
    let compact: String = text.split_whitespace().collect();
    if compact == "dropped" {
        return Ok(TraceFilter::Dropped);
    }
    if let Some(least) = compact.strip_prefix("detours>=") {
        return least
            .parse()
            .map(TraceFilter::Detoured)
            .map_err(|_| refuse());
    }
    if let Some(flows) = compact.strip_prefix("flow=") {
        let flows: Result<Vec<u32>, _> = flows.split(',').map(str::parse).collect();
        return flows.map(TraceFilter::Flows).map_err(|_| refuse());
    }
    if let Some(ids) = compact.strip_prefix("id=") {
        let ids: Option<Vec<u64>> = ids.split(',').map(parse_packet_id).collect();
        return ids.map(TraceFilter::Ids).ok_or_else(refuse);
    }
    Err(refuse())
}

/// Reads a packet's number: `100:3`, or the same as one number.
pub fn parse_packet_id(text: &str) -> Option<u64> {
    match text.split_once(':') {
        Some((host, n)) => {
            let (host, n): (u32, u32) = (host.parse().ok()?, n.parse().ok()?);
            Some(u64::from(host) << 32 | u64::from(n))
        }
        None => text.parse().ok(),
    }
}

/// Formats a packet's number: `100:3`.
pub fn packet_id(id: u64) -> String {
    format!("{}:{}", id >> 32, id & 0xffff_ffff)
}

/// Names of the node behind every port of every switch.
pub struct PortNames<'a> {
    network: &'a Network,
    ports: Vec<Vec<End>>,
}

impl<'a> PortNames<'a> {
    /// Collects the ports of `network`.
    pub fn new(network: &'a Network) -> PortNames<'a> {
        let mut ports = vec![Vec::new(); network.switches.len()];
        for cable in &network.cables {
            for (here, there) in [(cable.a, cable.b), (cable.b, cable.a)] {
                if let End::Switch(s) = here {
                    ports[s.0 as usize].push(there);
                }
            }
        }
        PortNames { network, ports }
    }

    fn leads_to(&self, switch: usize, port: PortId) -> String {
        let end = self.ports.get(switch).and_then(|p| p.get(port.index()));
        end.map_or_else(|| "nowhere".into(), |&e| end_name(self.network, e))
    }

    fn json(&self, step: &TraceEvent) -> Value {
        let (here, event) = match *step {
            TraceEvent::Sent => return json!({"event": "sent"}),
            TraceEvent::Delivered => return json!({"event": "delivered"}),
            TraceEvent::At(here, event) => (here, event),
        };
        let at = match here {
            End::Host(_) => "its host".to_string(),
            End::Switch(s) => self.network.switches[s.0 as usize].to_string(),
        };
        let to = |port: PortId| match here {
            End::Host(_) => "its switch".to_string(),
            End::Switch(s) => self.leads_to(s.0 as usize, port),
        };
        let joined = match event {
            Event::Enqueue(joined) | Event::Move(joined) => joined,
            Event::Drop { port, reason } | Event::Evict { port, reason } => {
                return json!({
                    "event": "dropped",
                    "at": at,
                    "wanted_port": port.0,
                    "wanted_to": to(port),
                    "reason": reason.name(),
                });
            }
        };
        let mut step = json!({
            "event": if joined.detoured() { "detoured" } else { "queued" },
            "at": at,
            "port": joined.port.0,
            "to": to(joined.port),
            "ahead": joined.ahead.packets,
            "wanted_port": joined.wanted.0,
            "wanted_to": to(joined.wanted),
            "wanted_queue": match here {
                End::Host(_) => joined.ahead.packets,
                End::Switch(_) => joined.wanted_queue,
            },
        });
        for (change, word) in Changes::ALL {
            step[*word] = json!(joined.changes.has(*change));
        }
        step
    }

    /// Converts one traced packet of `point` to its entry in `traces.json`.
    pub fn packet(&self, point: Point<'_>, trace: &PacketTrace) -> Value {
        let flow = &point.plan.flows[trace.flow.0 as usize];
        let steps: Vec<Value> = trace
            .steps
            .iter()
            .map(|step| {
                let mut value = self.json(&step.what);
                value["t_ps"] = json!(step.at.ps());
                value
            })
            .collect();
        let detours = steps.iter().filter(|s| s["event"] == "detoured").count();
        let (src, dst) = if trace.ack {
            (flow.dst, flow.src)
        } else {
            (flow.src, flow.dst)
        };
        json!({
            "scheme": point.scheme,
            "seed": point.seed,
            "id": packet_id(trace.id),
            "flow": trace.flow.0,
            "kind": if trace.ack { "ack" } else { "data" },
            "seq": trace.seq,
            "src": src.0,
            "dst": dst.0,
            "detours": detours,
            "steps": steps,
        })
    }
}

/// Formats a packet of `traces.json` as text, hop by hop.
pub fn describe(packet: &Value) -> String {
    let steps = packet["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let t0 = steps.first().map_or(0, time_ps);
    let mut out = headline(packet, steps);
    let mut detoured_at: BTreeMap<&str, u64> = BTreeMap::new();
    out.push_str("\n   time, us  at            leaves by                 ahead of it\n");
    for (i, step) in steps.iter().enumerate() {
        // Two steps at one switch: the packet was queued there, and evicted.
        let stays = |other: Option<&Value>| {
            other.is_some_and(|other| step["at"].is_string() && other["at"] == step["at"])
        };
        let (waited, next) = (i > 0 && stays(steps.get(i - 1)), steps.get(i + 1));
        let us = (time_ps(step) - t0) as f64 / 1e6;
        let at = step["at"].as_str().unwrap_or("");
        let rest = match step["event"].as_str().unwrap_or("") {
            "sent" => format!("{:<12}  its NIC", format!("host {}", packet["src"])),
            "delivered" => format!("host {:<7}  delivered", packet["dst"].to_string()),
            "dropped" if waited => format!(
                "{at:<12}  waited at {}, dropped: {}",
                wanted(step),
                word(&step["reason"])
            ),
            "dropped" => format!(
                "{at:<12}  DROPPED ({}), wanted {}",
                word(&step["reason"]),
                wanted(step)
            ),
            event => {
                let to = format!("port {} to {}", step["port"], word(&step["to"]));
                let to = match stays(next) {
                    true => format!("waits at {to}"),
                    false => to,
                };
                let mut rest = format!("{at:<12}  {to:<30} {:>6}", step["ahead"].to_string());
                if event == "detoured" {
                    *detoured_at.entry(at).or_default() += 1;
                    rest.push_str(&format!(
                        "  DETOUR, {} is full ({})",
                        wanted(step),
                        step["wanted_queue"]
                    ));
                }
                for (_, word) in Changes::ALL.iter().filter(|(_, word)| step[*word] == true) {
                    rest.push_str("  ");
                    rest.push_str(word);
                }
                if stays(next) && next.is_some_and(|next| next["event"] != "dropped") {
                    rest.push_str("  sent on");
                }
                rest
            }
        };
        out.push_str(&format!("{us:>11.3}  {}\n", rest.trim_end()));
    }
    if !detoured_at.is_empty() {
        let places: Vec<String> = detoured_at
            .iter()
            .map(|(at, n)| format!("{n} at {at}"))
            .collect();
        out.push_str(&format!(
            "\n{} detours: {}\n",
            packet["detours"],
            places.join(", ")
        ));
    }
    out
}

fn headline(packet: &Value, steps: &[Value]) -> String {
    let carries = match packet["kind"].as_str() {
        Some("ack") => "acknowledges byte",
        _ => "data from byte",
    };
    let span = match (steps.first(), steps.last()) {
        (Some(a), Some(b)) => (time_ps(b) - time_ps(a)) as f64 / 1e6,
        _ => 0.0,
    };
    let fate = match steps.last().and_then(|s| s["event"].as_str()) {
        Some("delivered") => format!("delivered after {} us", number(span)),
        Some("dropped") => format!("dropped after {} us", number(span)),
        _ => "still on its way when the run ended".into(),
    };
    format!(
        "packet {} of flow {}: host {} to host {}, {carries} {}\n{}, seed {}: {} detours, {fate}\n",
        word(&packet["id"]),
        packet["flow"],
        packet["src"],
        packet["dst"],
        count(packet["seq"].as_u64().unwrap_or(0)),
        word(&packet["scheme"]),
        packet["seed"],
        packet["detours"],
    )
}

fn wanted(step: &Value) -> String {
    format!(
        "port {} to {}",
        step["wanted_port"],
        word(&step["wanted_to"])
    )
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

fn time_ps(step: &Value) -> u64 {
    step["t_ps"].as_u64().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_switch::{Depth, DropReason, Joined};
    use sidestep_types::HostId;

    #[test]
    fn filters_read_as_the_help_shows_them() {
        assert_eq!(parse_filter("detours >= 8"), Ok(TraceFilter::Detoured(8)));
        assert_eq!(
            parse_filter("flow=12,13"),
            Ok(TraceFilter::Flows(vec![12, 13]))
        );
        assert_eq!(
            parse_filter("id=1:3,7"),
            Ok(TraceFilter::Ids(vec![(1 << 32) + 3, 7]))
        );
        for wrong in [
            "",
            "detours>8",
            "flow=",
            "flow=a",
            "id=1:",
            "hops=3",
            "detours>=300",
        ] {
            assert!(parse_filter(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_reads_hop_by_hop() {
        let step = |event: &str, at: &str, t: u64| {
            json!({
                "event": event, "at": at, "port": 2, "to": "agg 0.1", "ahead": 7,
                "wanted_port": 0, "wanted_to": "host 9", "wanted_queue": 100, "marked": true, "t_ps": t,
            })
        };
        let packet = json!({
            "scheme": "dibs", "seed": 1, "id": "5:0", "flow": 12, "kind": "data", "seq": 2920,
            "src": 5, "dst": 9, "detours": 1,
            "steps": [{"event": "sent", "t_ps": 1_000_000}, step("detoured", "edge 0.1", 14_000_000),
                      step("queued", "edge 0.0", 30_000_000),
                      {"event": "delivered", "t_ps": 51_500_000}],
        });
        let text = describe(&packet);
        let expected = "\
packet 5:0 of flow 12: host 5 to host 9, data from byte 2,920
dibs, seed 1: 1 detours, delivered after 50.5 us

   time, us  at            leaves by                 ahead of it
      0.000  host 5        its NIC
     13.000  edge 0.1      port 2 to agg 0.1                   7  DETOUR, port 0 to host 9 is full (100)  marked
     29.000  edge 0.0      port 2 to agg 0.1                   7  marked
     50.500  host 9        delivered

1 detours: 1 at edge 0.1
";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_its_nic_did_with_a_packet_is_told_as_of_a_switch() {
        let network = Network {
            hosts: 0,
            switches: Vec::new(),
            cables: Vec::new(),
        };
        let joined = Joined {
            wanted: PortId(0),
            wanted_queue: 9,
            port: PortId(0),
            ahead: Depth {
                packets: 7,
                bytes: 9_000,
            },
            changes: Changes::MARKED,
        };
        let (port, reason) = (PortId(0), DropReason::Evicted);
        let at_host = |event| TraceEvent::At(End::Host(HostId(5)), event);
        let events = [
            TraceEvent::Sent,
            at_host(Event::Enqueue(joined)),
            at_host(Event::Evict { port, reason }),
        ];
        let step = |(i, event): (u64, &TraceEvent)| {
            let mut step = PortNames::new(&network).json(event);
            step["t_ps"] = json!(i * 1_000_000);
            step
        };
        let steps: Vec<Value> = (0..).zip(&events).map(step).collect();
        let packet = json!({
            "scheme": "mine", "seed": 1, "id": "5:0", "flow": 12, "kind": "data", "seq": 0,
            "src": 5, "dst": 9, "detours": 0, "steps": steps,
        });
        let text = describe(&packet);
        let (_, path) = text.split_once("\n\n").expect("a path");
        let expected = "   time, us  at            leaves by                 ahead of it
      0.000  host 5        its NIC
      1.000  its host      waits at port 0 to its switch       7  marked
      2.000  its host      waited at port 0 to its switch, dropped: evicted
";
        assert_eq!(path, expected);
    }

    #[test]
    fn a_victim_reads_as_waiting_where_it_was_and_then_sent_on_or_dropped() {
        let step = |event: &str, port: u32, wanted: u32, t: u64| {
            json!({
                "event": event, "at": "leaf 0", "port": port, "to": format!("spine {port}"),
                "ahead": 7, "wanted_port": wanted, "wanted_to": format!("spine {wanted}"),
                "wanted_queue": 9, "marked": event == "detoured", "reason": "evicted", "t_ps": t,
            })
        };
        let packet = json!({
            "scheme": "vertigo", "seed": 1, "id": "5:0", "flow": 12, "kind": "data", "seq": 0,
            "src": 5, "dst": 9, "detours": 1,
            "steps": [{"event": "sent", "t_ps": 0}, step("queued", 2, 2, 1_000_000),
                      step("detoured", 5, 2, 2_000_000), step("dropped", 0, 5, 3_000_000)],
        });
        let text = describe(&packet);
        let (_, path) = text.split_once("\n\n").expect("a path");
        let expected = "   time, us  at            leaves by                 ahead of it
      0.000  host 5        its NIC
      1.000  leaf 0        waits at port 2 to spine 2          7  sent on
      2.000  leaf 0        waits at port 5 to spine 5          7  DETOUR, port 2 to spine 2 is full (9)  marked
      3.000  leaf 0        waited at port 5 to spine 5, dropped: evicted

1 detours: 1 at leaf 0
";
        assert_eq!(path, expected);
    }
}
