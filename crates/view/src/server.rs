//! The page and its recordings on 127.0.0.1, for whoever knows the token.
//!
//! **Decision**     how long and how many: each client has a time for its question, another for the answer, and there are so many
//!                  at once. What is answered decides [`Door`].
//! **State**        the page and the bundle in memory, recordings open; a thread for each client.
//! **Units**        wall-clock time.
//! **Errors**       a port that is taken. A client that goes away is no error.

use crate::answer::{self, Kind};
use crate::page::Connect;
use crate::question::{Door, Question, Refusal, What};
use crate::{Error, Page, Recording, Shown, bundle};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What one client may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For its whole question.
    pub question: Duration,
    /// Between two parts of the answer that it takes.
    pub pause: Duration,
    /// For the whole answer.
    pub answer: Duration,
    /// How many are served at once.
    pub clients: usize,
    /// The longest question, in bytes.
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

/// A page that is served.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    served: Arc<Served>,
}

#[derive(Debug)]
struct Served {
    door: Door,
    limits: Limits,
    page: String,
    policy: String,
    bundle: String,
    recordings: Vec<Recording>,
    clients: AtomicUsize,
}

impl Server {
    /// Listens at this port of 127.0.0.1, or at any that is free when it is 0.
    pub fn bind(page: &Page, shown: Shown, port: u16, limits: Limits) -> Result<Server, Error> {
        let cannot = |why: io::Error| match why.kind() {
            ErrorKind::AddrInUse | ErrorKind::PermissionDenied => Error::Input(format!(
                "--port: expected a port that is free, got {port}: {why}"
            )),
            _ => Error::Work(format!("cannot listen at 127.0.0.1:{port}: {why}")),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(cannot)?;
        let port = listener.local_addr().map_err(cannot)?.port();
        let door = Door {
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

    /// Where the page is, with the token that opens it.
    pub fn address(&self) -> String {
        let door = &self.served.door;
        format!("http://127.0.0.1:{}/{}/", door.port, door.token)
    }

    /// Serves until the process ends.
    pub fn run(&self) -> ! {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream),
                // Too many open files, say: it passes.
                Err(_) => thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// Serves a client by a thread of its own, unless there are too many.
    fn take(&self, mut stream: TcpStream) {
        let served = Arc::clone(&self.served);
        let place = Place::of(&served);
        if served.clients.load(Ordering::SeqCst) > served.limits.clients {
            let refusal = Refusal::new("503 Service Unavailable", "too many at once");
            // In no time: what fits into the socket's own buffer is sent.
            let _ = stream.set_nonblocking(true);
            let _ = stream.write_all(served.refused(&refusal, false).as_bytes());
            return;
        }
        // Where no thread is to be had the client goes without an answer.
        let _ = thread::Builder::new().spawn(move || {
            let place = place;
            let _ = place.0.serve(&mut stream);
        });
    }
}

/// A client among those that are served, until it is dropped.
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
    /// Hears one question and answers it.
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
        // What a client still sends is taken for a while: closing before that could cost it the answer.
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        let mut room = [0; 4096];
        let end = Instant::now() + Duration::from_millis(500);
        while Instant::now() < end && stream.read(&mut room)? > 0 {}
        Ok(())
    }

    /// Reads a question and looks whether it is answered; with a refusal, whether its head alone was asked for.
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
                    format!("expected a question of at most {} bytes", room.len()),
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
            What::Page => (of(Kind::Page, self.page.len() as u64), self.page.as_bytes()),
            What::Bundle => (
                of(Kind::Json, self.bundle.len() as u64),
                self.bundle.as_bytes(),
            ),
            What::Recording(i) => (of(Kind::Recording, self.recordings[i].bytes), &[][..]),
        };
        out.write_all(head.as_bytes())?;
        match question {
            Question { head: true, .. } => Ok(()),
            Question {
                what: What::Recording(i),
                ..
            } => copy(&self.recordings[i], out),
            _ => out.write_all(body),
        }
    }

    /// A whole answer that refuses.
    fn refused(&self, refusal: &Refusal, head: bool) -> String {
        let words = format!("{}\n", refusal.words);
        let top = answer::head(refusal.status, Kind::Words, words.len() as u64, "");
        match head {
            true => top,
            false => top + &words,
        }
    }
}

/// Sends a recording. One that became shorter ends before its length, which a browser tells.
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

/// A client that may be slow, within limits.
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

/// How long it is until `end`; an error when it has passed.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

/// 128 random bits, in hexadecimal digits.
fn token() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|why| Error::Work(format!("the system gives no random numbers: {why}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
