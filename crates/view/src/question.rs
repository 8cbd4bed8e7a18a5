//! Requests of a browser, and their refusal.
//!
//! **Decision**     three kinds of content, each with its exact address below the token: the page,
//!                  `bundle.json`, and recordings by number. No file path is made from a request.
//! **Errors**       a [`Refusal`] for everything else: another host, origin, token, method, address, or a body.

use std::fmt;

/// Requested content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The page.
    Page,
    /// The bundle that the page is opened with.
    Bundle,
    /// A recording, by number.
    Recording(usize),
}

/// Accepted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Requested content.
    pub what: Resource,
    /// True for `HEAD`: the head of the answer only.
    pub head: bool,
}

/// Refusal of a request: an HTTP status, and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: &'static str,
    pub words: String,
}

impl Refusal {
    pub fn new(status: &'static str, words: impl Into<String>) -> Refusal {
        let words = words.into();
        Refusal { status, words }
    }
}

/// Values that a client must know.
#[derive(Clone)]
pub struct AccessValues {
    /// Port of the server.
    pub port: u16,
    /// First part of every address.
    pub token: String,
    /// Number of recordings.
    pub recordings: usize,
}

impl fmt::Debug for AccessValues {
    // Without the token, as the output may be stored.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccessValues({})", self.port)
    }
}

impl AccessValues {
    /// Checks a request: first its sender, then its content.
    pub fn admit(&self, request: &httparse::Request<'_, '_>) -> Result<Question, Refusal> {
        self.check_host(request)?;
        self.check_origin(request)?;
        let head = match request.method {
            Some("GET") => false,
            Some("HEAD") => true,
            _ => {
                return Err(Refusal::new(
                    "405 Method Not Allowed",
                    "expected GET or HEAD",
                ));
            }
        };
        let empty = |value: &[u8]| value == b"0";
        let body = all(request, "content-length").any(|value| !empty(value))
            || all(request, "transfer-encoding").next().is_some();
        if body {
            return Err(Refusal::new("413 Content Too Large", "expected no body"));
        }
        let what = self.find(request.path.unwrap_or_default())?;
        Ok(Question { what, head })
    }

    /// Checks the name that the browser requested. A page of another host whose name resolves to this machine
    /// (DNS rebinding) sends that host's name.
    fn check_host(&self, request: &httparse::Request<'_, '_>) -> Result<(), Refusal> {
        let mut hosts = all(request, "host");
        let host = hosts.next().filter(|_| hosts.next().is_none());
        match host {
            None => Err(Refusal::new("400 Bad Request", "expected one Host")),
            Some(host) if self.names().iter().any(|name| name.as_bytes() == host) => Ok(()),
            Some(_) => Err(Refusal::new(
                "421 Misdirected Request",
                format!("expected Host: 127.0.0.1:{}", self.port),
            )),
        }
    }

    /// Checks the origin: a script of another page sends that page's.
    fn check_origin(&self, request: &httparse::Request<'_, '_>) -> Result<(), Refusal> {
        let own = |origin: &[u8]| {
            let host = origin.strip_prefix(b"http://");
            host.is_some_and(|host| self.names().iter().any(|name| name.as_bytes() == host))
        };
        match all(request, "origin").all(own) {
            true => Ok(()),
            false => Err(Refusal::new("403 Forbidden", "expected no other Origin")),
        }
    }

    /// Returns the names of this server.
    fn names(&self) -> [String; 2] {
        ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port))
    }

    fn find(&self, path: &str) -> Result<Resource, Refusal> {
        let token = Refusal::new(
            "403 Forbidden",
            "expected the complete address that `sidestep view` printed",
        );
        let none = Refusal::new("404 Not Found", "there is nothing at this address");
        let Some(path) = path.strip_prefix('/') else {
            return Err(Refusal::new(
                "400 Bad Request",
                "expected an address that begins with /",
            ));
        };
        let (given, rest) = path.split_once('/').ok_or_else(|| token.clone())?;
        if !same(given.as_bytes(), self.token.as_bytes()) {
            return Err(token);
        }
        match rest {
            "" => Ok(Resource::Page),
            "bundle.json" => Ok(Resource::Bundle),
            _ => {
                let number = rest.strip_prefix("recordings/");
                let number = number.and_then(|rest| rest.strip_suffix(".srec"));
                let number = number.and_then(|text| {
                    let number: usize = text.parse().ok()?;
                    (number.to_string() == text && number < self.recordings).then_some(number)
                });
                number.map(Resource::Recording).ok_or(none)
            }
        }
    }
}

/// Returns the values of a header, which may occur several times.
fn all<'r>(request: &'r httparse::Request<'_, '_>, name: &str) -> impl Iterator<Item = &'r [u8]> {
    let headers = request.headers.iter();
    headers
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value)
}

/// Compares in constant time.
fn same(a: &[u8], b: &[u8]) -> bool {
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
    a.len() == b.len() && differ == 0
}
