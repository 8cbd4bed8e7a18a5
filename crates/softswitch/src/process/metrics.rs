//! Counters for Prometheus: `GET /metrics` on the loopback, in the OpenMetrics text format.

use super::engine::Snapshot;
use super::orders::{Desk, Order};
use super::report::io_counters;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// A client has so long for its question and for taking the answer.
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
pub fn serve(listener: &TcpListener, name: &str, desk: &Desk) {
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let _ = answer(stream, name, desk);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn answer(mut stream: TcpStream, name: &str, desk: &Desk) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (status, kind, body) = match question(&mut stream)? {
        Some((method, _)) if method != "GET" => {
            ("405 Method Not Allowed", "text/plain", "GET alone\n".into())
        }
        Some((_, path)) if path != "/metrics" => {
            ("404 Not Found", "text/plain", "expected /metrics\n".into())
        }
        Some(_) => match desk.ask(Order::Counters) {
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
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Method and path, or `None` when it is not HTTP.
fn question(stream: &mut TcpStream) -> io::Result<Option<(String, String)>> {
    let mut room = vec![0u8; QUESTION];
    let mut length = 0;
    loop {
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
        self.lateness(&mut encoder)
    }
}

impl Scrape {
    fn lateness(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let late = &self.0.lateness;
        let mut family = encoder.encode_descriptor(
            "lateness",
            "How late frames left, by quantile, since the start or the last reset",
            Some(&Unit::Seconds),
            MetricType::Gauge,
        )?;
        for (quantile, at) in [("0.5", 0.5), ("0.99", 0.99), ("0.999", 0.999), ("1", 1.0)] {
            let labels = [("quantile", quantile)];
            let seconds = late.quantile_ns(at) as f64 / 1e9;
            ConstGauge::new(seconds).encode(family.encode_family(&labels)?)?;
        }
        let counts = [
            (
                "departures",
                "Frames whose lateness was taken",
                late.count(),
            ),
            (
                "stalls",
                "Frames that left more than 1 ms late",
                late.stalls(),
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
