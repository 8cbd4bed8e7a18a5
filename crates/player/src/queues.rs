//! Queues of one node over time.
//!
//! **Units**        packets, bytes of buffer; the time is divided into equal parts.

use crate::chunks::Chunks;
use crate::cursor::{Cursor, walk};
use crate::refused::Refused;
use sidestep_recording::EventKind;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Largest number of parts of a series.
const MOST_BUCKETS: usize = 100_000;

/// Queues of a node: `QueueSeries` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSeries {
    /// Node.
    pub node: u32,
    /// First instant, ps.
    pub from: u64,
    /// Last instant, ps.
    pub to: u64,
    /// Number of parts of the time.
    pub buckets: usize,
    /// Ports of the node.
    pub ports: Vec<PortSeries>,
}

/// Queue of a port, by parts of the time.
#[derive(Clone, Debug, PartialEq)]
pub struct PortSeries {
    /// Port.
    pub port: u32,
    /// Node to which the port sends.
    pub to: u32,
    /// Largest number of packets waiting.
    pub packets: Vec<f64>,
    /// Largest number of bytes of buffer waiting.
    pub bytes: Vec<f64>,
    /// Detours and deflections into the port.
    pub detours: Vec<f64>,
    /// Drops at the port.
    pub drops: Vec<f64>,
}

pub(crate) fn of(
    chunks: &mut Chunks<'_>,
    node: u32,
    (from, to): (u64, u64),
    buckets: usize,
) -> Result<QueueSeries, Refused> {
    let nodes = chunks.head().network.nodes.len();
    if node as usize >= nodes {
        return Err(Refused::new(format!(
            "there is no node {node}: the recording has {nodes} nodes, numbered from 0"
        )));
    }
    if buckets == 0 || buckets > MOST_BUCKETS || to <= from {
        return Err(Refused::new(format!(
            "queues: expected 1 to {MOST_BUCKETS} parts of a time that ends after its start, got \
             {buckets} parts from {from} to {to} ps"
        )));
    }
    let links = (0..).zip(&chunks.head().network.links);
    let of_node = links.filter(|(_, link)| link.from == node);
    let mut ports: Vec<PortSeries> = of_node
        .map(|(port, link)| PortSeries {
            port,
            to: link.to,
            packets: vec![0.0; buckets],
            bytes: vec![0.0; buckets],
            detours: vec![0.0; buckets],
            drops: vec![0.0; buckets],
        })
        .collect();
    let places: BTreeMap<u32, usize> = ports.iter().map(|p| p.port).zip(0..).collect();

    // Lengths just before `from`.
    let begins = match from.checked_sub(1) {
        Some(before) => {
            let mut begins = Cursor::default();
            begins.seek(chunks, before)?;
            begins
        }
        None if chunks.count() > 0 => Cursor::begin(chunks, 0)?,
        None => Cursor::default(),
    };
    let mut now: Vec<(u32, u64)> = ports.iter().map(|p| begins.depth(p.port)).collect();
    let mut here = 0;
    enter(&mut ports, &now, here);
    let bucket = |at: u64| {
        let part = u128::from(at.saturating_sub(from)) * buckets as u128 / u128::from(to - from);
        (part as usize).min(buckets - 1)
    };
    let has = |chunks: &Chunks<'_>, i: usize| places.keys().any(|port| chunks.has_port(i, *port));
    walk(chunks, (from, to), has, |step| {
        let Some((port, place)) = step
            .event
            .port()
            .and_then(|port| Some((port, *places.get(&port)?)))
        else {
            return ControlFlow::Continue(());
        };
        let at = bucket(step.event.at);
        while here < at {
            here += 1;
            enter(&mut ports, &now, here);
        }
        now[place] = after(step.before.depth(port), step.event.what, &step);
        let series = &mut ports[place];
        match step.event.what {
            EventKind::Enqueue { port, wanted, .. } if port != wanted => series.detours[at] += 1.0,
            EventKind::Drop { .. } => series.drops[at] += 1.0,
            _ => {}
        }
        grow(series, now[place], at);
        ControlFlow::Continue(())
    })?;
    while here + 1 < buckets {
        here += 1;
        enter(&mut ports, &now, here);
    }
    Ok(QueueSeries {
        node,
        from,
        to,
        buckets,
        ports,
    })
}

/// Returns the depth of a queue after an event at it.
fn after(
    (packets, bytes): (u32, u64),
    what: EventKind,
    step: &crate::cursor::Step<'_>,
) -> (u32, u64) {
    let buffer = |id: u32| {
        let packet = step.before.state.packet(id);
        packet.map_or(0, |packet| u64::from(packet.buffer))
    };
    match what {
        EventKind::Depth { packets, bytes, .. } => (packets, bytes),
        // The depth of a measured queue changes only with a measurement.
        _ if step
            .event
            .port()
            .is_some_and(|p| step.before.depths.contains_key(&p)) =>
        {
            (packets, bytes)
        }
        EventKind::Enqueue { bytes: more, .. } => {
            (packets.saturating_add(1), bytes.saturating_add(more.into()))
        }
        EventKind::Dequeue { packet, .. }
        | EventKind::Evict { packet, .. }
        | EventKind::Drop {
            packet, waited: 1, ..
        } => (
            packets.saturating_sub(1),
            bytes.saturating_sub(buffer(packet)),
        ),
        _ => (packets, bytes),
    }
}

/// Begins a part of the time with the current depths.
fn enter(ports: &mut [PortSeries], now: &[(u32, u64)], bucket: usize) {
    for (series, now) in ports.iter_mut().zip(now) {
        grow(series, *now, bucket);
    }
}

fn grow(series: &mut PortSeries, (packets, bytes): (u32, u64), bucket: usize) {
    let (longest, most) = (&mut series.packets[bucket], &mut series.bytes[bucket]);
    *longest = longest.max(packets.into());
    *most = most.max(bytes as f64);
}
