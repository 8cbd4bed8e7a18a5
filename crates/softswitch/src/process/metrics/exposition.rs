//! Counters as text in the OpenMetrics format.

use crate::machine::{FrameCounts, PortCounters, ShimCounters};
use crate::process::report::io_counters;
use crate::process::snapshot::Snapshot;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use sidestep_switch::ports::Counts;
use std::collections::BTreeMap;
use std::fmt;

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

/// Returns all counters as OpenMetrics text.
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

impl Scrape {
    /// Encodes state and changes of links and ports that the switch has, not the interface.
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
                "Rate of the port",
                Some(Unit::Other("bits_per_second".into())),
                |p| i64::try_from(p.rate_bps).unwrap_or(i64::MAX),
            ),
            (
                "switch_looped",
                "1 when probes have shown that the port is part of a loop",
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
        let help = "Changes of rates, links and next hops ordered";
        let metric =
            encoder.encode_descriptor("switch_changes", help, None, MetricType::Counter)?;
        ConstCounter::new(self.0.machine.changes).encode(metric)
    }

    fn frames(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for (name, help, of) in FrameCounts::ALL {
            // Bytes are counted at the interface.
            if name.ends_with("_bytes") {
                continue;
            }
            let name = name.trim_end_matches("_frames");
            self.count(encoder, name, help, &|port| of(&port.frames))?;
        }
        for count in Counts::ALL {
            let value = |port: &PortCounters| (count.of)(&port.decided);
            self.count(encoder, count.name, count.doc, &value)?;
        }
        Ok(())
    }

    /// Encodes the counters of shims, for ports that have any.
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

    /// Encodes drops and refusals by reason, without the reasons that did not occur.
    fn reasons(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        type Reasons = fn(&PortCounters) -> &BTreeMap<&'static str, u64>;
        let families: [(&str, &str, Reasons); 2] = [
            (
                "switch_drops",
                "Frames routed to this port and dropped",
                |p| &p.drops,
            ),
            (
                "switch_refused",
                "Frames received by this port and refused",
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
            "Queue length met by each arriving packet",
            Some(&unit),
            MetricType::Histogram,
        )?;
        for port in &self.0.machine.ports {
            let labels = [("port", port.name.as_str())];
            // A value counts as the upper end of its bucket: under 1 % too much.
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
                "Lateness of departures by quantile, since the start or the last reset",
                late,
            ),
            (
                "read_lateness",
                "Lateness of reading received frames by quantile, since the start or the last \
                 reset",
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
            ("departures", "Frames counted in lateness", late.count()),
            (
                "late_departures",
                "Frames that left more than 1 ms late",
                late.stalls().frames(),
            ),
            ("readings", "Frames counted in read_lateness", read.count()),
            (
                "late_readings",
                "Frames that were read more than 1 ms late",
                read.stalls().frames(),
            ),
            (
                "overtaken",
                "Frames decided on more than 1 ms after their arrival",
                self.0.overtaken.frames(),
            ),
            (
                "capture_lost",
                "Capture records lost because the disk was too slow",
                self.0.captured.lost,
            ),
        ];
        for (name, help, count) in counts {
            let unit = Unit::Other("frames".into());
            let metric = encoder.encode_descriptor(name, help, Some(&unit), MetricType::Counter)?;
            ConstCounter::new(count).encode(metric)?;
        }
        let stalls = late.stalls();
        let help = "Stalls: spans in which a departure was more than 1 ms late";
        let metric = encoder.encode_descriptor("stalls", help, None, MetricType::Counter)?;
        ConstCounter::new(stalls.spans()).encode(metric)?;
        let help = "Total time of those stalls";
        let unit = Some(&Unit::Seconds);
        let metric = encoder.encode_descriptor("stalled", help, unit, MetricType::Counter)?;
        ConstCounter::new(stalls.time().as_s_f64()).encode(metric)
    }
}
