//! Search for the instant of the next or previous event.

use crate::chunks::Chunks;
use crate::refused::Refused;
use sidestep_recording::Event;

fn is_at(event: &Event, port: Option<u32>) -> bool {
    port.is_none() || event.port() == port
}

/// Returns the instant of the next event after `at`; only events at `port` count, if it is given.
pub(crate) fn next(
    chunks: &mut Chunks<'_>,
    at: u64,
    port: Option<u32>,
) -> Result<Option<u64>, Refused> {
    let Some(after) = at.checked_add(1) else {
        return Ok(None);
    };
    for i in chunks.from(after)..chunks.count() {
        if port.is_some_and(|port| !chunks.has_port(i, port)) {
            continue;
        }
        let decoded = chunks.get(i)?;
        let events = &decoded.chunk.events;
        let later = &events[events.partition_point(|event| event.at <= at)..];
        if let Some(event) = later.iter().find(|event| is_at(event, port)) {
            return Ok(Some(event.at));
        }
    }
    Ok(None)
}

/// Returns the instant of the last event before `at`; only events at `port` count, if it is given.
pub(crate) fn previous(
    chunks: &mut Chunks<'_>,
    at: u64,
    port: Option<u32>,
) -> Result<Option<u64>, Refused> {
    let Some(last) = chunks.at(at) else {
        return Ok(None);
    };
    for i in (0..=last).rev() {
        if port.is_some_and(|port| !chunks.has_port(i, port)) {
            continue;
        }
        let decoded = chunks.get(i)?;
        let events = &decoded.chunk.events;
        let earlier = &events[..events.partition_point(|event| event.at < at)];
        if let Some(event) = earlier.iter().rev().find(|event| is_at(event, port)) {
            return Ok(Some(event.at));
        }
    }
    Ok(None)
}
