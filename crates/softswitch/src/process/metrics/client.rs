//! A client of the endpoint, moved on whenever its socket lets it.
//!
//! **Decision**     it asks, is answered, and is heard for a moment more: closing while it still sends could cost it the answer.
//! **State**        where it is in that, and until when it may be there. The body is shared by all that asked together.
//! **Units**        wall-clock time; bytes.
//! **Errors**       none: a client that goes away or is too slow is over.

use super::Limits;
use super::request::{self, LONGEST, Question, Refusal};
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::time::Instant;

/// What a client is at.
enum State {
    /// What it has asked so far.
    Asking(Vec<u8>),
    /// Head, body, and how many bytes of both together are sent.
    Answered(Vec<u8>, Arc<[u8]>, usize),
    /// The answer is sent; what it still says is not read for what it says.
    Ending,
}

/// What comes of moving a client on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing more can be read or written now.
    Waits,
    /// Its whole answer is sent: no more is to be written.
    Sent,
    /// It can be closed.
    Over,
}

/// A client; `S` does not block.
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

    /// Has it not asked all of its question?
    pub fn asks(&self) -> bool {
        matches!(self.state, State::Asking(_))
    }

    /// Is it to be moved on when it takes more, rather than when it has said more?
    pub fn is_answered(&self) -> bool {
        matches!(self.state, State::Answered(..))
    }

    /// Reads and writes what can be without waiting. `counters` gives the body, or `None` when there will be none.
    pub fn step(
        &mut self,
        now: Instant,
        limits: &Limits,
        counters: &mut impl FnMut() -> Option<Arc<[u8]>>,
    ) -> Step {
        loop {
            let went = match &mut self.state {
                State::Asking(said) => match hear(&mut self.stream, said) {
                    Went::On(Some(asked)) => {
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
                        Ok(0) => Went::Away,
                        Ok(more) => {
                            *sent += more;
                            Went::On(None)
                        }
                        Err(e) => Went::of(e.kind()),
                    }
                }
                // Once: a client that says more than is read keeps nobody waiting.
                State::Ending => match self.stream.read(&mut [0; 4096]) {
                    Ok(0) => Went::Away,
                    Ok(_) => Went::Nowhere,
                    Err(e) => Went::of(e.kind()),
                },
            };
            match went {
                Went::On(_) => {}
                Went::Nowhere => return Step::Waits,
                Went::Away => return Step::Over,
            }
        }
    }
}

/// What came of one call.
enum Went {
    /// Something was moved; with a question, that is whole now.
    On(Option<Result<Question, Refusal>>),
    /// It would have to be waited for.
    Nowhere,
    /// The client is gone.
    Away,
}

impl Went {
    fn of(kind: ErrorKind) -> Went {
        match kind {
            ErrorKind::WouldBlock => Went::Nowhere,
            ErrorKind::Interrupted => Went::On(None),
            _ => Went::Away,
        }
    }
}

fn hear(stream: &mut impl Read, said: &mut Vec<u8>) -> Went {
    let mut room = [0; 1024];
    let most = room.len().min(LONGEST - said.len());
    match stream.read(&mut room[..most]) {
        Ok(0) => Went::Away,
        Ok(got) => {
            said.extend_from_slice(&room[..got]);
            Went::On(request::read(said))
        }
        Err(e) => Went::of(e.kind()),
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
