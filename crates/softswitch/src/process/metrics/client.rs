//! Client of the metrics endpoint, advanced whenever its socket is ready.
//!
//! **Decision**     a client sends a request, gets an answer, and is read for a moment more: closing while it
//!                  still sends could cost it the answer.
//! **State**        step of that exchange, and its deadline. The body is shared by all clients that asked
//!                  together.
//! **Units**        wall-clock time; bytes.
//! **Errors**       none: a client that goes away or is too slow is dropped.

use super::Limits;
use super::request::{self, LONGEST, Question, Refusal};
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::time::Instant;

/// State of a client.
enum State {
    /// Receiving: bytes of the request so far.
    Asking(Vec<u8>),
    /// Sending: head, body, and bytes sent of both together.
    Answered(Vec<u8>, Arc<[u8]>, usize),
    /// The answer is sent; further input is read and ignored.
    Ending,
}

/// Result of advancing a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No further byte can be read or written now.
    Waits,
    /// The whole answer is sent: nothing more is to be written.
    Sent,
    /// The client can be closed.
    Over,
}

/// Client of the endpoint; `S` does not block.
pub(super) struct Client<S> {
    pub stream: S,
    state: State,
    pub until: Instant,
}

impl<S: Read + Write> Client<S> {
    pub fn new(stream: S, now: Instant, limits: &Limits) -> Client<S> {
        Client {
            stream,
            state: State::Asking(Vec::new()),
            until: now + limits.question,
        }
    }

    /// Returns true while the request is incomplete.
    pub fn asks(&self) -> bool {
        matches!(self.state, State::Asking(_))
    }

    /// Returns true if the client waits for its socket to become writable, not readable.
    pub fn is_answered(&self) -> bool {
        matches!(self.state, State::Answered(..))
    }

    /// Reads and writes as much as possible without waiting. `counters` returns the body, or `None` if there
    /// will be none.
    pub fn step(
        &mut self,
        now: Instant,
        limits: &Limits,
        counters: &mut impl FnMut() -> Option<Arc<[u8]>>,
    ) -> Step {
        loop {
            let went = match &mut self.state {
                State::Asking(said) => match read_request(&mut self.stream, said) {
                    CallResult::On(Some(asked)) => {
                        let (head, body) = answer(asked, counters);
                        self.state = State::Answered(head, body, 0);
                        self.until = now + limits.answer;
                        continue;
                    }
                    other => other,
                },
                State::Answered(head, body, sent) => {
                    let rest = match head.get(*sent..) {
                        Some(rest) if !rest.is_empty() => rest,
                        _ => &body[*sent - head.len()..],
                    };
                    if rest.is_empty() {
                        self.state = State::Ending;
                        self.until = now + limits.ending;
                        return Step::Sent;
                    }
                    match self.stream.write(rest) {
                        Ok(0) => CallResult::Away,
                        Ok(more) => {
                            *sent += more;
                            CallResult::On(None)
                        }
                        Err(e) => CallResult::of(e.kind()),
                    }
                }
                // Once: a client that sends without end keeps nobody waiting.
                State::Ending => match self.stream.read(&mut [0; 4096]) {
                    Ok(0) => CallResult::Away,
                    Ok(_) => CallResult::Nowhere,
                    Err(e) => CallResult::of(e.kind()),
                },
            };
            match went {
                CallResult::On(_) => {}
                CallResult::Nowhere => return Step::Waits,
                CallResult::Away => return Step::Over,
            }
        }
    }
}

/// Result of one call.
enum CallResult {
    /// Data was moved; with a request once that is complete.
    On(Option<Result<Question, Refusal>>),
    /// The call would block.
    Nowhere,
    /// The client is gone.
    Away,
}

impl CallResult {
    fn of(kind: ErrorKind) -> CallResult {
        match kind {
            ErrorKind::WouldBlock => CallResult::Nowhere,
            ErrorKind::Interrupted => CallResult::On(None),
            _ => CallResult::Away,
        }
    }
}

fn read_request(stream: &mut impl Read, said: &mut Vec<u8>) -> CallResult {
    let mut room = [0; 1024];
    let most = room.len().min(LONGEST - said.len());
    match stream.read(&mut room[..most]) {
        Ok(0) => CallResult::Away,
        Ok(got) => {
            said.extend_from_slice(&room[..got]);
            CallResult::On(request::read(said))
        }
        Err(e) => CallResult::of(e.kind()),
    }
}

fn answer(
    asked: Result<Question, Refusal>,
    counters: &mut impl FnMut() -> Option<Arc<[u8]>>,
) -> (Vec<u8>, Arc<[u8]>) {
    let none: Arc<[u8]> = Arc::from([]);
    let refuse = |refusal: Refusal| request::refused(&refusal).into_bytes();
    match asked.map(|question| (question, counters())) {
        Err(refusal) => (refuse(refusal), none),
        Ok((_, None)) => (refuse(Refusal::ENDING), none),
        Ok((Question::Head, Some(body))) => (request::head(body.len()).into_bytes(), none),
        Ok((Question::Get, Some(body))) => (request::head(body.len()).into_bytes(), body),
    }
}
