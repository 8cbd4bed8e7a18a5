//! Counters for Prometheus: `GET /metrics` on the loopback.
//!
//! **Decision**     one thread serves all clients, and never waits for a single one. The number of clients is
//!                  limited; a new one replaces the one that has been sending its request for longest, so
//!                  silent clients keep nobody out. The loop is queried for its counters at most ten times a
//!                  second: sooner requests get the same text.
//! **State**        the clients, and the last counters.
//! **Units**        wall-clock time.
//! **Errors**       an address that is taken or belongs to another machine. A client that goes away is no
//!                  error.
//!
//! A thread for each client would cost its stack, which is locked in memory here, and a silent client would
//! keep it.

mod client;
mod exposition;
pub mod request;

use self::client::{Client, Step};
use super::orders::{Order, OrderSender};
use crate::io::sys;
use std::io::ErrorKind;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use exposition::exposition;

/// Limits of clients.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Time for the whole request.
    question: Duration,
    /// Time for the whole answer.
    answer: Duration,
    /// Time for reading after the answer.
    ending: Duration,
    /// Most clients served at once.
    clients: usize,
    /// Age after which counters are queried again.
    age: Duration,
}

const LIMITS: Limits = Limits {
    question: Duration::from_secs(5),
    answer: Duration::from_secs(10),
    ending: Duration::from_secs(1),
    clients: 64,
    age: Duration::from_millis(100),
};

/// Time between an error of accept, for example too many open files, and the next attempt.
const PAUSE: Duration = Duration::from_millis(100);

/// Opens the endpoint, on a loopback address only.
pub fn listen(at: SocketAddr) -> Result<TcpListener, String> {
    if !at.ip().is_loopback() {
        return Err(format!(
            "process.metrics: expected a loopback address, got {at}"
        ));
    }
    let say = |e| format!("process.metrics {at}: {e}");
    let listener = TcpListener::bind(at).map_err(say)?;
    listener.set_nonblocking(true).map_err(say)?;
    Ok(listener)
}

/// Answers clients until the process ends.
pub fn serve(listener: &TcpListener, name: &str, sender: &OrderSender) {
    let text = || {
        let snapshot = sender.ask(Order::Counters)?;
        Some(exposition(name, snapshot).into_bytes().into())
    };
    let mut server = Server::new(listener, LIMITS, text);
    loop {
        server.round();
    }
}

/// Endpoint and its clients. `F` returns the counters as text, or `None` if there will be none.
struct Server<'a, F> {
    listener: &'a TcpListener,
    limits: Limits,
    counters: Recent<F>,
    /// Clients in the order of their arrival.
    clients: Vec<Client<TcpStream>>,
    /// Time until which no client is accepted.
    pause: Option<Instant>,
    polled: Vec<libc::pollfd>,
}

impl<'a, F: FnMut() -> Option<Arc<[u8]>>> Server<'a, F> {
    fn new(listener: &'a TcpListener, limits: Limits, text: F) -> Server<'a, F> {
        Server {
            listener,
            limits,
            counters: Recent {
                text,
                age: limits.age,
                last: None,
            },
            clients: Vec::new(),
            pause: None,
            polled: Vec::new(),
        }
    }

    /// Waits until something can be done, and does it.
    fn round(&mut self) {
        self.wait();
        let now = Instant::now();
        let polled = std::mem::take(&mut self.polled);
        let mut ready = polled.iter().map(|p| p.revents != 0);
        let come = ready.next().unwrap_or(false);
        let (limits, counters) = (self.limits, &mut self.counters);
        // Complete requests are answered before a client is replaced.
        self.clients.retain_mut(|client| {
            let goes_on = !ready.next().unwrap_or(false) || go_on(client, now, &limits, counters);
            goes_on && client.until > now
        });
        self.polled = polled;
        if come {
            self.accept(now);
        }
    }

    /// Sleeps until a socket can be read or written, or a client's time is over.
    fn wait(&mut self) {
        let now = Instant::now();
        self.pause = self.pause.filter(|end| *end > now);
        self.polled.clear();
        let of = |fd: RawFd, events| libc::pollfd {
            fd,
            events,
            revents: 0,
        };
        let more = if self.pause.is_some() {
            0
        } else {
            libc::POLLIN
        };
        self.polled.push(of(self.listener.as_raw_fd(), more));
        for client in &self.clients {
            let events = match client.is_answered() {
                true => libc::POLLOUT,
                false => libc::POLLIN,
            };
            self.polled.push(of(client.stream.as_raw_fd(), events));
        }
        let ends = self.clients.iter().map(|client| client.until);
        let first = ends.chain(self.pause).min();
        let left = first.map(|end| end.saturating_duration_since(now));
        if sys::poll(&mut self.polled, left).is_err() {
            // Do not retry at once: there may be no memory.
            std::thread::sleep(PAUSE);
        }
    }

    /// Accepts all waiting clients, and reads what they have already sent.
    fn accept(&mut self, now: Instant) {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // The client closed before it was accepted.
                Err(e) if e.kind() == ErrorKind::ConnectionAborted => continue,
                Err(_) => {
                    self.pause = Some(now + PAUSE);
                    return;
                }
            };
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            let mut client = Client::new(stream, now, &self.limits);
            if !go_on(&mut client, now, &self.limits, &mut self.counters) {
                continue;
            }
            if self.clients.len() >= self.limits.clients {
                let asking = self.clients.iter().position(Client::asks);
                self.clients.remove(asking.unwrap_or(0));
            }
            self.clients.push(client);
        }
    }
}

/// Advances a client; returns false if it can be closed.
fn go_on<F: FnMut() -> Option<Arc<[u8]>>>(
    client: &mut Client<TcpStream>,
    now: Instant,
    limits: &Limits,
    counters: &mut Recent<F>,
) -> bool {
    match client.step(now, limits, &mut || counters.get(now)) {
        Step::Waits => true,
        Step::Sent => client.stream.shutdown(Shutdown::Write).is_ok(),
        Step::Over => false,
    }
}

/// Counters cached up to an age.
struct Recent<F> {
    text: F,
    age: Duration,
    last: Option<(Instant, Arc<[u8]>)>,
}

impl<F: FnMut() -> Option<Arc<[u8]>>> Recent<F> {
    fn get(&mut self, now: Instant) -> Option<Arc<[u8]>> {
        if let Some((at, text)) = &self.last
            && now.saturating_duration_since(*at) < self.age
        {
            return Some(Arc::clone(text));
        }
        let text = (self.text)()?;
        self.last = Some((now, Arc::clone(&text)));
        Some(text)
    }
}

#[cfg(test)]
mod tests;
