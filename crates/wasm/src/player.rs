//! Questions about recordings: `player.open` and the others of `Player` in `web/src/engine/api.ts`.
//!
//! **State**        open recordings, by number; the place of the last frame.
//! **Units**        times are JavaScript numbers; a time between two picoseconds is rounded down.

use crate::calls::{Answer, Family, Outcome, Refusal, arguments, unknown};
use crate::columns::Columns;
use crate::opened::Opened;
use serde::Deserialize;
use serde_json::{Value, json};
use sidestep_player::{EventFilter, FlowSeries, Frame, Player, QueueSeries};
use std::cell::RefCell;

/// Family of the player's questions.
pub const FAMILY: Family = Family {
    name: "player",
    answer,
};

/// Addresses of a frame's arrays, for the page: pointer-sized numbers.
#[repr(C)]
#[derive(Default)]
pub struct View {
    ports: usize,
    moving: usize,
    packets: usize,
    bytes: usize,
    used: usize,
    detours: usize,
    drops: usize,
    packet: usize,
    port: usize,
    progress: usize,
    flags: usize,
    flow: usize,
}

thread_local! {
    static OPEN: RefCell<Vec<Option<Opened>>> = const { RefCell::new(Vec::new()) };
    static VIEW: RefCell<Box<View>> = RefCell::default();
}

/// Arguments of all questions; each question reads those it needs.
#[derive(Deserialize)]
struct QuestionArgs {
    player: usize,
    #[serde(default)]
    at: f64,
    #[serde(default)]
    from: f64,
    #[serde(default)]
    to: f64,
    port: Option<u32>,
    #[serde(default)]
    most: f64,
    #[serde(default)]
    only: EventFilter,
    #[serde(default)]
    id: u32,
    #[serde(default)]
    buckets: f64,
}

fn answer(question: &str, json: &str, bytes: Vec<u8>) -> Outcome {
    if question == "open" {
        return open(bytes);
    }
    let asked: QuestionArgs = arguments(json)?;
    if question == "close" {
        OPEN.with_borrow_mut(|open| open.get_mut(asked.player).map(Option::take));
        return Answer::of(&Value::Null);
    }
    let span = (whole(asked.from), whole(asked.to));
    with(asked.player, |player| match question {
        "memory" => Answer::of(&player.memory()),
        "next" => Answer::of(
            &player
                .next(whole(asked.at), asked.port)
                .map_err(Refusal::new)?,
        ),
        "previous" => Answer::of(
            &player
                .previous(whole(asked.at), asked.port)
                .map_err(Refusal::new)?,
        ),
        "waiting" => {
            let port = asked.port.unwrap_or(u32::MAX);
            Answer::of(
                &player
                    .waiting(whole(asked.at), port)
                    .map_err(Refusal::new)?,
            )
        }
        "happenings" => {
            let found = player.happenings(span, asked.most as usize, &asked.only);
            Answer::of(&found.map_err(Refusal::new)?)
        }
        "journey" => Answer::of(&player.journey(asked.id).map_err(Refusal::new)?),
        "queues" => {
            let series = player.queues(asked.id, span, asked.buckets as usize);
            Ok(queues(&series.map_err(Refusal::new)?))
        }
        "flow" => flow(&player.flow(asked.id).map_err(Refusal::new)?),
        "query" => Answer::of(&player.query(asked.id).map_err(Refusal::new)?),
        "completions" => Answer::of(&player.completions()),
        _ => unknown(question),
    })
}

/// Moves to an instant, and returns the addresses of its frame.
pub fn frame(player: u32, at: f64, span: f64) -> Result<*const View, Refusal> {
    with(player as usize, |player| {
        let frame = player.frame(whole(at), whole(span)).map_err(Refusal::new)?;
        Ok(VIEW.with_borrow_mut(|view| {
            **view = View::of(frame);
            &raw const **view
        }))
    })
}

fn with<T>(
    number: usize,
    ask: impl FnOnce(&mut Player<'static>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    OPEN.with_borrow_mut(|open| match open.get_mut(number) {
        Some(Some(open)) => ask(open.player()),
        _ => Err(Refusal::new("the recording was closed")),
    })
}

fn open(file: Vec<u8>) -> Outcome {
    let mut opened = Opened::open(file).map_err(Refusal::new)?;
    let player = opened.player();
    let mut tail = serde_json::to_value(player.tail()).map_err(Refusal::new)?;
    if let Some(tail) = tail.as_object_mut() {
        // The page does not use the places of chunks.
        tail.remove("chunks");
    }
    let (head, bytes) = (json!(player.head()), player.bytes());
    let number = OPEN.with_borrow_mut(|open| {
        let free = open.iter().position(Option::is_none);
        let number = free.unwrap_or_else(|| {
            open.push(None);
            open.len() - 1
        });
        open[number] = Some(opened);
        number
    });
    Answer::of(&json!({ "player": number, "head": head, "tail": tail, "bytes": bytes }))
}

/// Converts a JavaScript number to an integer: negative numbers and NaN become 0.
fn whole(number: f64) -> u64 {
    number as u64
}

impl View {
    fn of(frame: &Frame) -> View {
        View {
            ports: frame.packets.len(),
            moving: frame.packet.len(),
            packets: frame.packets.as_ptr() as usize,
            bytes: frame.bytes.as_ptr() as usize,
            used: frame.used.as_ptr() as usize,
            detours: frame.detours.as_ptr() as usize,
            drops: frame.drops.as_ptr() as usize,
            packet: frame.packet.as_ptr() as usize,
            port: frame.port.as_ptr() as usize,
            progress: frame.progress.as_ptr() as usize,
            flags: frame.flags.as_ptr() as usize,
            flow: frame.flow.as_ptr() as usize,
        }
    }
}

fn queues(series: &QueueSeries) -> Answer {
    let mut columns = Columns::default();
    let ports: Vec<Value> = series
        .ports
        .iter()
        .map(|port| {
            json!({
                "port": port.port,
                "to": port.to,
                "packets": columns.f64(&port.packets),
                "bytes": columns.f64(&port.bytes),
                "detours": columns.f64(&port.detours),
                "drops": columns.f64(&port.drops),
            })
        })
        .collect();
    Answer {
        json: json!({
            "node": series.node, "from": series.from, "to": series.to, "buckets": series.buckets, "ports": ports,
        }),
        bytes: columns.bytes,
    }
}

fn flow(series: &FlowSeries) -> Outcome {
    let mut columns = Columns::default();
    let FlowSeries {
        flow,
        sent,
        acked,
        marks,
        drops,
        windows,
    } = series;
    let json = json!({
        "flow": flow,
        "sent": {
            "at": columns.f64(&sent.at), "seq": columns.f64(&sent.seq), "bytes": columns.f64(&sent.bytes),
            "again": columns.u8(&sent.again), "packet": columns.u32(&sent.packet),
        },
        "acked": {
            "at": columns.f64(&acked.at), "seq": columns.f64(&acked.seq), "marked": columns.u8(&acked.marked),
        },
        "marks": { "at": columns.f64(&marks.at), "packet": columns.u32(&marks.packet) },
        "drops": { "at": columns.f64(&drops.at), "packet": columns.u32(&drops.packet) },
        "windows": {
            "at": columns.f64(&windows.at), "cwnd": columns.f64(&windows.cwnd), "ssthresh": columns.f64(&windows.ssthresh),
            "acked": columns.f64(&windows.acked), "timeouts": columns.f64(&windows.timeouts),
        },
    });
    Ok(Answer {
        json,
        bytes: columns.bytes,
    })
}
