//! Server of the page and its recordings on 127.0.0.1, for clients with the token.
//!
//! **Decision**     time limits and number of clients: each client has a limit for its request and another for
//!                  the answer. [`AccessValues`] decides which requests are answered.
//! **State**        the page and the bundle in memory, recordings open; a thread for each client.
//! **Units**        wall-clock time.
//! **Errors**       a port that is taken. A client that disconnects is no error.

use crate::answer::{self, Kind};
use crate::page::Connect;
use crate::question::{AccessValues, Question, Refusal, Resource};
use crate::{Error, Page, PageContents, Recording, bundle};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Limits of each client, and of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for the whole request.
    pub question: Duration,
    /// Longest wait for a client to accept the next part of the answer.
    pub pause: Duration,
    /// Time for the whole answer.
    pub answer: Duration,
    /// Largest number of concurrent clients.
    pub clients: usize,
    /// Longest request, in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            question: Duration::from_secs(5),
            pause: Duration::from_secs(10),
            answer: Duration::from_secs(300),
            clients: 32,
            bytes: 8192,
        }
    }
}

/// Server of a page.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    served: Arc<Served>,
}

#[derive(Debug)]
struct Served {
    door: AccessValues,
    limits: Limits,
    page: String,
    policy: String,
    bundle: String,
    recordings: Vec<Recording>,
    clients: AtomicUsize,
}

impl Server {
    /// Listens at this port of 127.0.0.1, or at any free one for port 0.
    pub fn bind(
        page: &Page,
        shown: PageContents,
        port: u16,
        limits: Limits,
    ) -> Result<Server, Error> {
        let cannot = |why: io::Error| match why.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => {
                Error::Input(format!("--port: expected a free port, got {port}: {why}"))
            }
            _ => Error::Work(format!("cannot listen at 127.0.0.1:{port}: {why}")),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(cannot)?;
        let port = listener.local_addr().map_err(cannot)?.port();
        let door = AccessValues {
            port,
            token: token()?,
            recordings: shown.recordings.len(),
        };
        let served = Served {
            door,
            limits,
            page: page.text(Connect::Origin),
            policy: page.policy(Connect::Origin),
            bundle: bundle::served(&shown),
            recordings: shown.recordings,
            clients: AtomicUsize::new(0),
        };
        Ok(Server {
            listener,
            served: Arc::new(served),
        })
    }

    /// Returns the address of the page, with the token.
    pub fn address(&self) -> String {
        let door = &self.served.door;
        format!("http://127.0.0.1:{}/{}/", door.port, door.token)
    }

    /// Serves until the process ends.
    pub fn run(&self) -> ! {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream),
                // A temporary error, such as too many open files.
                Err(_) => thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// Serves a client on a new thread, unless there are too many clients.
    fn take(&self, mut stream: TcpStream) {
        let served = Arc::clone(&self.served);
        let place = Place::of(&served);
        if served.clients.load(Ordering::SeqCst) > served.limits.clients {
            let refusal = Refusal::new("503 Service Unavailable", "too many connections at once");
            // Non-blocking: only what fits into the socket's buffer is sent.
            let _ = stream.set_nonblocking(true);
            let _ = stream.write_all(served.refused(&refusal, false).as_bytes());
            return;
        }
        // If no thread can be started, the client gets no answer.
        let _ = thread::Builder::new().spawn(move || {
            let place = place;
            let _ = place.0.serve(&mut stream);
        });
    }
}

/// Counts a client as served until this is dropped.
struct Place(Arc<Served>);

impl Place {
    fn of(served: &Arc<Served>) -> Place {
        served.clients.fetch_add(1, Ordering::SeqCst);
        Place(Arc::clone(served))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Served {
    /// Reads one request and answers it.
    fn serve(&self, stream: &mut TcpStream) -> io::Result<()> {
        let asked = self.hear(stream);
        let mut out = Slow {
            end: Instant::now() + self.limits.answer,
            pause: self.limits.pause,
            stream,
        };
        match asked? {
            Ok(question) => self.answer(question, &mut out)?,
            Err((refusal, head)) => out.write_all(self.refused(&refusal, head).as_bytes())?,
        }
        // Reads for a while what the client still sends: closing earlier could cost it the answer.
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        let mut room = [0; 4096];
        let end = Instant::now() + Duration::from_millis(500);
        while Instant::now() < end && stream.read(&mut room)? > 0 {}
        Ok(())
    }

    /// Reads a request and checks it; a refusal comes with true if only the head was requested.
    #[allow(
        clippy::type_complexity,
        reason = "one caller, who takes it apart at once"
    )]
    fn hear(&self, stream: &mut TcpStream) -> io::Result<Result<Question, (Refusal, bool)>> {
        let end = Instant::now() + self.limits.question;
        let mut room = vec![0; self.limits.bytes];
        let mut length = 0;
        loop {
            stream.set_read_timeout(Some(left(end)?))?;
            let got = stream.read(&mut room[length..])?;
            length += got;
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut request = httparse::Request::new(&mut headers);
            let bad = match request.parse(&room[..length]) {
                Ok(httparse::Status::Complete(_)) => {
                    let head = request.method == Some("HEAD");
                    return Ok(self.door.admit(&request).map_err(|refusal| (refusal, head)));
                }
                Ok(httparse::Status::Partial) if length == room.len() => Refusal::new(
                    "431 Request Header Fields Too Large",
                    format!("expected a request of at most {} bytes", room.len()),
                ),
                Ok(httparse::Status::Partial) if got > 0 => continue,
                Ok(httparse::Status::Partial) => return Err(ErrorKind::UnexpectedEof.into()),
                Err(_) => Refusal::new("400 Bad Request", "expected HTTP"),
            };
            return Ok(Err((bad, false)));
        }
    }

    fn answer(&self, question: Question, out: &mut Slow<'_>) -> io::Result<()> {
        let of = |kind, length| answer::head("200 OK", kind, length, &self.policy);
        let (head, body) = match question.what {
            Resource::Page => (of(Kind::Page, self.page.len() as u64), self.page.as_bytes()),
            Resource::Bundle => (
                of(Kind::Json, self.bundle.len() as u64),
                self.bundle.as_bytes(),
            ),
            Resource::Recording(i) => (of(Kind::Recording, self.recordings[i].bytes), &[][..]),
        };
        out.write_all(head.as_bytes())?;
        match question {
            Question { head: true, .. } => Ok(()),
            Question {
                what: Resource::Recording(i),
                ..
            } => copy(&self.recordings[i], out),
            _ => out.write_all(body),
        }
    }

    /// Returns a complete answer that refuses.
    fn refused(&self, refusal: &Refusal, head: bool) -> String {
        let words = format!("{}\n", refusal.words);
        let top = answer::head(refusal.status, Kind::Words, words.len() as u64, "");
        match head {
            true => top,
            false => top + &words,
        }
    }
}

/// Sends a recording. If its file became shorter, the answer ends before its length, which a browser detects.
fn copy(recording: &Recording, out: &mut Slow<'_>) -> io::Result<()> {
    let mut room = vec![0; 1 << 16];
    let mut at = 0;
    while at < recording.bytes {
        let most = room.len().min((recording.bytes - at) as usize);
        let got = recording.read_at(at, &mut room[..most])?;
        if got == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        out.write_all(&room[..got])?;
        at += got as u64;
    }
    Ok(())
}

/// Writer to a client that may be slow, within limits.
struct Slow<'a> {
    stream: &'a mut TcpStream,
    pause: Duration,
    end: Instant,
}

impl Write for Slow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = self.pause.min(left(self.end)?);
        self.stream.set_write_timeout(Some(most))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Returns the time until `end`; an error if it has passed.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

/// Returns 128 random bits, in hexadecimal digits.
fn token() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|why| Error::Work(format!("the system gives no random numbers: {why}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
