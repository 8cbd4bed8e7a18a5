//! Exchange: a request, the answer that waits for it, and the connection of both.
//!
//! **Decision**     the answer starts when its request has arrived whole and the think time of the asked host
//!                  is over. The
//!                  think time is normal, and at least 0.
//! **State**        the request that opened the connection of each pair of hosts, while a plan is written.
//! **Units**        bytes of payload; picoseconds.
//! **Errors**       `think`, its deviation or a `connection` to share without `request`.
//! **Source**       Abdous, Sharafzadeh and Ghorbani, CoNEXT 2021 (Vertigo): their simulator's requests of 250
//!                  B and
//!                  think time of 20 us with a deviation of 3 us.

use super::{Draft, FlowSize, later};
use crate::plan::Start;
use sidestep_types::{FlowId, Refusal, Rng, Settings, Time, Words};
use std::collections::BTreeMap;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    pub size: u64,
    think: Time,
    pub deviation: Time,
    connection: Connection,
}

/// Connection of a request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub(super) enum Connection {
    /// Separate connections.
    Own,
    /// A connection for both.
    Shared,
    /// A connection for all exchanges of a host with another.
    Persistent,
}

/// Request that opened a connection, by asking host, asked host, and number of such pairs before at the same
/// instant.
pub(super) type Openers = BTreeMap<(u32, u32, usize), FlowId>;

/// Request to append.
pub(super) struct Ask {
    /// Query of the request, if it has one.
    pub query: Option<u32>,
    pub from: u32,
    pub to: u32,
    /// Number of earlier requests between these two hosts at the same instant.
    pub nth: usize,
    pub at: Time,
    /// Delay of the answer's start.
    pub delay: Time,
}

/// Start of an answer, and the request that opens its connection, if it shares one.
pub(super) type Answer = (Start, Option<FlowId>);

/// Settings of what an answer waits for.
#[derive(Clone, Copy, Settings)]
pub(super) struct Request {
    /// size of a request that each answer waits for; assumed off: DIBS is silent
    #[setting(default = "off", off = "off")]
    request: Option<FlowSize>,
    /// mean time between a request and its answer; assumed
    #[setting(default = "0 us")]
    think: Time,
    /// standard deviation of think, which is normal and at least 0; assumed none
    #[setting(default = "0 us")]
    think_deviation: Time,
}

/// Connection of request and response.
#[derive(Clone, Copy, Settings)]
pub(super) struct Over {
    /// own: a connection each for a request and its answer; shared: one for both; persistent: one for both that
    /// later requests use too; assumed
    #[setting(default = "own")]
    connection: Connection,
}

impl Exchange {
    /// Returns the exchange that the settings describe; `None` without requests.
    pub fn of(request: Request, Over { connection }: Over) -> Result<Option<Exchange>, Refusal> {
        let (think, deviation) = (request.think, request.think_deviation);
        if let Some(FlowSize(size)) = request.request {
            return Ok(Some(Exchange {
                size,
                think,
                deviation,
                connection,
            }));
        }
        let refused = |name: &'static str, expected: String| {
            Err(Refusal::about(&[name, "request"], expected).got("request = \"off\""))
        };
        if think > Time::ZERO {
            return refused("think", format!("think ({think}) needs a request"));
        }
        if deviation > Time::ZERO {
            let expected = format!("think_deviation ({deviation}) needs a request");
            return refused("think_deviation", expected);
        }
        if connection != Connection::Own {
            let expected = format!(
                "connection = {:?} needs a request, whose connection it shares",
                connection.word()
            );
            return refused("connection", expected);
        }
        Ok(None)
    }

    /// Appends a request; returns the start and the connection of its answer.
    pub fn ask(
        &self,
        into: &mut Draft<'_>,
        ask: &Ask,
        thoughts: &mut Rng,
        openers: &mut Openers,
    ) -> Result<Answer, Refusal> {
        let flow = into.request(ask, self.size)?;
        let opener = match self.connection {
            Connection::Own => None,
            Connection::Shared => Some(flow),
            Connection::Persistent => {
                let pair = (ask.from, ask.to, ask.nth);
                Some(*openers.entry(pair).or_insert(flow))
            }
        };
        opener.inspect(|opener| into.join(flow, *opener));
        let wait = later(self.thought(thoughts), ask.delay)?;
        Ok((Start::After { flow, wait }, opener))
    }

    /// Draws the think time of a host: normal, and 0 where that would be negative.
    fn thought(&self, rng: &mut Rng) -> Time {
        if self.deviation == Time::ZERO {
            return self.think;
        }
        let moved = rng.normal() * self.deviation.ps() as f64;
        // As integers: a float does not hold every picosecond of a long time.
        let by = Time::from_ps(moved.abs() as u64);
        match moved < 0.0 {
            true => self.think.saturating_sub(by),
            false => self.think.saturating_add(by),
        }
    }
}
