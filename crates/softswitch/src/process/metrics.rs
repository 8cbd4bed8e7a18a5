//! Counters for Prometheus: `GET /metrics` on the loopback, in the OpenMetrics text format.

use super::orders::{Order, OrderSender};
use super::report::io_counters;
use super::snapshot::Snapshot;
use crate::machine::{PortCounters, ShimCounters};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use sidestep_switch::ports::Counts;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A client has so long for its whole question, and again for taking the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest question.
const QUESTION: usize = 8192;

/// Opens the endpoint, on an address of this machine's own alone.
pub fn listen(at: SocketAddr) -> Result<TcpListener, String> {
    if !at.ip().is_loopback() {
        return Err(format!(
            "process.metrics: expected a loopback address, got {at}"
        ));
    }
    TcpListener::bind(at).map_err(|e| format!("process.metrics {at}: {e}"))
}

/// Answers one client after the other, until the loop has ended.
pub fn serve(listener: &TcpListener, name: &str, sender: &OrderSender) {
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let _ = answer(stream, name, sender);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn answer(mut stream: TcpStream, name: &str, sender: &OrderSender) -> io::Result<()> {
    let (status, kind, body) = match question(&mut stream)? {
        Some((method, _)) if method != "GET" => {
            ("405 Method Not Allowed", "text/plain", "GET alone\n".into())
        }
        Some((_, path)) if path != "/metrics" => {
            ("404 Not Found", "text/plain", "expected /metrics\n".into())
        }
        Some(_) => match sender.ask(Order::Counters) {
            Some(snapshot) => (
                "200 OK",
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                exposition(name, snapshot),
            ),
            None => (
                "503 Service Unavailable",
                "text/plain",
                "the switch is ending\n".into(),
            ),
        },
        None => ("400 Bad Request", "text/plain", "expected HTTP\n".into()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let end = Instant::now() + PATIENCE;
    let answer = head + &body;
    let mut rest = answer.as_bytes();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(end)?))?;
        match stream.write(rest)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            taken => rest = &rest[taken..],
        }
    }
    Ok(())
}

/// How long it is until `end`; an error when it has passed.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

/// Method and path, or `None` when it is not HTTP.
fn question(stream: &mut TcpStream) -> io::Result<Option<(String, String)>> {
    let mut room = vec![0u8; QUESTION];
    let mut length = 0;
    let end = Instant::now() + PATIENCE;
    loop {
        stream.set_read_timeout(Some(left(end)?))?;
        let got = stream.read(&mut room[length..])?;
        length += got;
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&room[..length]) {
            Ok(httparse::Status::Complete(_)) => {
                return Ok(request
                    .method
                    .map(str::to_string)
                    .zip(request.path.map(str::to_string)));
            }
            Ok(httparse::Status::Partial) if got > 0 && length < QUESTION => {}
            _ => return Ok(None),
        }
    }
}

/// Bounds of the buckets of queue lengths, in packets.
const LENGTHS: [f64; 14] = [
    0.0,
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    50.0,
    100.0,
    200.0,
    500.0,
    1000.0,
    2000.0,
    5000.0,
    f64::INFINITY,
];

/// All counters as OpenMetrics text.
pub fn exposition(name: &str, snapshot: Snapshot) -> String {
    let mut registry = Registry::with_prefix_and_labels(
        "sidestep",
        [("switch".into(), name.to_string().into())].into_iter(),
    );
    registry.register_collector(Box::new(Scrape(snapshot)));
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = text::encode(&mut out, &registry);
    out
}

#[derive(Debug)]
struct Scrape(Snapshot);

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let snapshot = &self.0;
        let names = io_counters(&Default::default());
        for (at, (name, help, _)) in names.into_iter().enumerate() {
            let (name, unit) = match name.strip_suffix("_bytes") {
                Some(what) => (format!("port_{what}"), Unit::Bytes),
                None => (format!("port_{name}"), Unit::Other("frames".into())),
            };
            let mut family =
                encoder.encode_descriptor(&name, help, Some(&unit), MetricType::Counter)?;
            for port in &snapshot.ports {
                let labels = [("port", port.name.as_str())];
                let count = io_counters(&port.io)[at].2;
                ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        let mut family = encoder.encode_descriptor(
            "port_running",
            "1 when the interface is up and has a carrier",
            None,
            MetricType::Gauge,
        )?;
        for port in &snapshot.ports {
            let labels = [("port", port.name.as_str())];
            ConstGauge::new(i64::from(port.running)).encode(family.encode_family(&labels)?)?;
        }
        self.links(&mut encoder)?;
        self.frames(&mut encoder)?;
        self.shims(&mut encoder)?;
        self.reasons(&mut encoder)?;
        self.queues(&mut encoder)?;
        self.lateness(&mut encoder)
    }
}

/// A count of the switch at a port: name, meaning, value.
type Count = (&'static str, &'static str, fn(&PortCounters) -> u64);

/// Those of frames that come, leave or are flooded. What is decided about them is
/// [`Counts::ALL`].
const FRAMES: [Count; 14] = [
    ("rx", "Frames that came in", |p| p.rx_frames),
    ("tx", "Frames whose last bit has left", |p| p.tx_frames),
    (
        "answered",
        "Requests for an address that were answered",
        |p| p.answered,
    ),
    ("floods", "Frames that came in and were flooded", |p| {
        p.floods
    }),
    ("copies", "Copies of flooded frames for this port", |p| {
        p.copies
    }),
    (
        "learn_limited",
        "Frames that came in and whose sender was not learned: the port has as many as it may",
        |p| p.learn_limited,
    ),
    (
        "moves",
        "Frames that came in and whose sender had stood at another port before",
        |p| p.moves,
    ),
    (
        "icmp_time_exceeded",
        "Messages made for who sent by this port: the TTL of a packet ended",
        |p| p.icmp_time_exceeded,
    ),
    (
        "icmp_unreachable",
        "Messages made for who sent by this port: a packet to the router leads nowhere",
        |p| p.icmp_unreachable,
    ),
    (
        "icmp_limited",
        "Messages not made: there have been as many as there may be",
        |p| p.icmp_limited,
    ),
    (
        "icmp_withheld",
        "Messages not made: of such packets nothing may be said, or there is nobody to say it",
        |p| p.icmp_withheld,
    ),
    ("probes_sent", "Probes made for this port", |p| {
        p.probes_sent
    }),
    ("probes_heard", "Own probes that came in: a loop", |p| {
        p.probes_heard
    }),
    (
        "loop_blocks",
        "How often the port was blocked as part of a loop",
        |p| p.loop_blocks,
    ),
];

impl Scrape {
    /// What was ordered of links: none of it is of the interface.
    fn links(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        type Value = fn(&PortCounters) -> i64;
        let families: [(&str, &str, Option<Unit>, Value); 5] = [
            (
                "switch_link_up",
                "0 when the link was ordered down",
                None,
                |p| i64::from(p.link_up),
            ),
            (
                "switch_rate",
                "What the port sends at",
                Some(Unit::Other("bits_per_second".into())),
                |p| i64::try_from(p.rate_bps).unwrap_or(i64::MAX),
            ),
            (
                "switch_looped",
                "1 when the port is part of a loop, as far as probes say",
                None,
                |p| i64::from(p.looped),
            ),
            (
                "switch_blocked",
                "1 when the port is blocked as part of a loop",
                None,
                |p| i64::from(p.blocked),
            ),
            (
                "switch_learned",
                "Addresses that were learned at the port, stale ones included",
                None,
                |p| p.learned as i64,
            ),
        ];
        for (name, help, unit, value) in families {
            let mut family =
                encoder.encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?;
            for port in &self.0.machine.ports {
                let labels = [("port", port.name.as_str())];
                ConstGauge::new(value(port)).encode(family.encode_family(&labels)?)?;
            }
        }
        let help = "Changes of rates, links and ways that were ordered";
        let metric =
            encoder.encode_descriptor("switch_changes", help, None, MetricType::Counter)?;
        ConstCounter::new(self.0.machine.changes).encode(metric)
    }

    fn frames(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for (name, help, value) in FRAMES {
            self.count(encoder, name, help, &value)?;
        }
        for count in Counts::ALL {
            let value = |port: &PortCounters| (count.of)(&port.decided);
            self.count(encoder, count.name, count.doc, &value)?;
        }
        Ok(())
    }

    /// Of the ports that have shims.
    fn shims(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let ports = || {
            let ports = self.0.machine.ports.iter();
            ports.filter_map(|port| Some((port.name.as_str(), port.shims.as_ref()?)))
        };
        if ports().next().is_none() {
            return Ok(());
        }
        for (at, (name, help, of)) in ShimCounters::ALL.iter().enumerate() {
            let now = at < ShimCounters::NOW;
            let kind = if now {
                MetricType::Gauge
            } else {
                MetricType::Counter
            };
            let name = format!("switch_shims_{name}");
            let mut family = encoder.encode_descriptor(&name, help, None, kind)?;
            for (port, counters) in ports() {
                let labels = [("port", port)];
                let count = of(counters);
                match now {
                    true => ConstGauge::new(count as i64).encode(family.encode_family(&labels)?)?,
                    false => ConstCounter::new(count).encode(family.encode_family(&labels)?)?,
                }
            }
        }
        Ok(())
    }

    fn count(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        value: &dyn Fn(&PortCounters) -> u64,
    ) -> Result<(), fmt::Error> {
        let (name, unit) = (format!("switch_{name}"), Unit::Other("frames".into()));
        let mut family =
            encoder.encode_descriptor(&name, help, Some(&unit), MetricType::Counter)?;
        for port in &self.0.machine.ports {
            let labels = [("port", port.name.as_str())];
            ConstCounter::new(value(port)).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }

    /// Reasons that did not occur are left out.
    fn reasons(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        type Reasons = fn(&PortCounters) -> &BTreeMap<&'static str, u64>;
        let families: [(&str, &str, Reasons); 2] = [
            (
                "switch_drops",
                "Frames that wanted this port and were dropped",
                |p| &p.drops,
            ),
            (
                "switch_refused",
                "Frames that came in here and were refused",
                |p| &p.refused,
            ),
        ];
        let unit = Unit::Other("frames".into());
        for (name, help, reasons) in families {
            let mut family =
                encoder.encode_descriptor(name, help, Some(&unit), MetricType::Counter)?;
            for port in &self.0.machine.ports {
                for (reason, count) in reasons(port).iter().filter(|(_, count)| **count > 0) {
                    let labels = [("port", port.name.as_str()), ("reason", *reason)];
                    ConstCounter::new(*count).encode(family.encode_family(&labels)?)?;
                }
            }
        }
        Ok(())
    }

    fn queues(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let unit = Unit::Other("packets".into());
        let mut family = encoder.encode_descriptor(
            "queue_length",
            "Packets that each arrival found before it",
            Some(&unit),
            MetricType::Histogram,
        )?;
        for port in &self.0.machine.ports {
            let labels = [("port", port.name.as_str())];
            // What lies in a bucket counts as its upper end: under 1 % too much.
            let sum: u64 = port
                .depths
                .buckets
                .iter()
                .map(|(length, n)| length * n)
                .sum();
            let buckets: Vec<(f64, u64)> = LENGTHS
                .iter()
                .enumerate()
                .map(|(at, most)| {
                    let above = at.checked_sub(1).map(|below| LENGTHS[below]);
                    let inside = |length: f64| length <= *most && above.is_none_or(|a| length > a);
                    let all = port.depths.buckets.iter();
                    (
                        *most,
                        all.filter(|(length, _)| inside(*length as f64))
                            .map(|b| b.1)
                            .sum(),
                    )
                })
                .collect();
            let mut metric = family.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(sum as f64, port.depths.n, &buckets, None)?;
        }
        Ok(())
    }

    fn lateness(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (late, read) = (&self.0.lateness, &self.0.read_lateness);
        for (name, help, late) in [
            (
                "lateness",
                "How late frames left, by quantile, since the start or the last reset",
                late,
            ),
            (
                "read_lateness",
                "How late frames were read, by quantile, since the start or the last reset",
                read,
            ),
        ] {
            let unit = Some(&Unit::Seconds);
            let mut family = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
            for (quantile, at) in [("0.5", 0.5), ("0.99", 0.99), ("0.999", 0.999), ("1", 1.0)] {
                let labels = [("quantile", quantile)];
                let seconds = late.quantile_ns(at) as f64 / 1e9;
                ConstGauge::new(seconds).encode(family.encode_family(&labels)?)?;
            }
        }
        let counts = [
            (
                "departures",
                "Frames whose lateness was taken",
                late.count(),
            ),
            (
                "stalls",
                "Frames that left or were read more than 1 ms late",
                self.0.stalls(),
            ),
            (
                "readings",
                "Frames whose lateness at the reading was taken",
                read.count(),
            ),
            (
                "read_stalls",
                "Frames that were read more than 1 ms late",
                read.stalls(),
            ),
            (
                "capture_lost",
                "Capture records that the disk was too slow for",
                self.0.captured.lost,
            ),
        ];
        for (name, help, count) in counts {
            let unit = Unit::Other("frames".into());
            let metric = encoder.encode_descriptor(name, help, Some(&unit), MetricType::Counter)?;
            ConstCounter::new(count).encode(metric)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_asks_byte_by_byte_does_not_hold_the_endpoint() {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let asking = std::thread::spawn(move || {
            // Each byte well within the patience, and no end: it goes on until it is hung up on.
            let endless = b"GET /metrics HTTP/1.1\r\nHost: "
                .iter()
                .chain(std::iter::repeat(&b'x'));
            for byte in endless {
                if client.write_all(&[*byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(250));
            }
        });
        let why = question(&mut stream).unwrap_err();
        assert!(!asking.is_finished(), "{why}");
        drop(stream);
        asking.join().unwrap();
    }
}
