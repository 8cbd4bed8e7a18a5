//! HTTP requests and answers of the endpoint: bytes in, bytes out.
//!
//! **Decision**     `GET` and `HEAD` of `/metrics`, with any query behind a `?`, are answered; everything else
//!                  is refused with a status. An incomplete request is waited for, up to [`LONGEST`].
//! **State**        none.
//! **Errors**       a [`Refusal`].
//! **Source**       RFC 9112; `httparse` reads the bytes.

/// Bytes of the longest request; Prometheus sends some 300.
pub const LONGEST: usize = 8192;
/// Most headers of a request.
const HEADERS: usize = 64;

/// Request that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// All counters.
    Get,
    /// Head of that answer only.
    Head,
}

/// Refusal of a request: a status of HTTP, and an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Number and words of the status line.
    pub status: &'static str,
    /// Explanation: what was expected.
    pub words: &'static str,
    /// True if the request was a `HEAD`.
    head: bool,
}

impl Refusal {
    /// The switch is ending, and has no counters any more.
    pub const ENDING: Refusal = Refusal::new("503 Service Unavailable", "the switch is ending\n");

    const fn new(status: &'static str, words: &'static str) -> Refusal {
        Refusal {
            status,
            words,
            head: false,
        }
    }
}

/// Reads the bytes received so far; returns `None` if the request is incomplete.
///
/// ```
/// use sidestep_softswitch::process::metrics::request::{Question, read};
///
/// assert_eq!(read(b"GET /metrics HTTP/1.1\r\nHost: "), None);
/// assert_eq!(read(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), Some(Ok(Question::Get)));
/// ```
pub fn read(bytes: &[u8]) -> Option<Result<Question, Refusal>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let bad = match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => return Some(admit(&request)),
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST => return None,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => Refusal::new(
            "431 Request Header Fields Too Large",
            "expected a request of at most 8192 bytes and 64 headers\n",
        ),
        Err(_) => Refusal::new("400 Bad Request", "expected HTTP\n"),
    };
    Some(Err(bad))
}

fn admit(request: &httparse::Request<'_, '_>) -> Result<Question, Refusal> {
    let question = match request.method {
        Some("GET") => Question::Get,
        Some("HEAD") => Question::Head,
        _ => {
            return Err(Refusal::new(
                "405 Method Not Allowed",
                "expected GET or HEAD\n",
            ));
        }
    };
    match path(request.path.unwrap_or_default()) {
        "/metrics" => Ok(question),
        _ => Err(Refusal {
            head: question == Question::Head,
            ..Refusal::new("404 Not Found", "expected /metrics\n")
        }),
    }
}

/// Returns the path of a target, without the query behind it and, in a proxy's form, scheme and host before it.
fn path(target: &str) -> &str {
    let target = target.split('?').next().unwrap_or_default();
    match target.strip_prefix("http://") {
        Some(rest) => &rest[rest.find('/').unwrap_or(rest.len())..],
        None => target,
    }
}

/// Returns the head of the answer with `length` bytes of counters.
pub fn head(length: usize) -> String {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    top("200 OK", kind, length)
}

/// Returns a complete answer for a refusal.
pub fn refused(refusal: &Refusal) -> String {
    let top = top(refusal.status, "text/plain", refusal.words.len());
    if refusal.head {
        top
    } else {
        top + refusal.words
    }
}

fn top(status: &str, kind: &str, length: usize) -> String {
    let allow = match status.starts_with("405") {
        true => "Allow: GET, HEAD\r\n",
        false => "",
    };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Question, &'static str> {
        let question = format!("{line} HTTP/1.1\r\nHost: x\r\n\r\n");
        let read = read(question.as_bytes()).expect("it is whole");
        read.map_err(|refusal| refusal.status)
    }

    #[test]
    fn counters_are_got_by_their_path_whatever_the_query() {
        assert_eq!(of("GET /metrics"), Ok(Question::Get));
        assert_eq!(of("GET /metrics?x"), Ok(Question::Get));
        assert_eq!(of("GET /metrics?name[]=a/b?c"), Ok(Question::Get));
        assert_eq!(of("HEAD /metrics?"), Ok(Question::Head));
        assert_eq!(of("GET http://127.0.0.1:9470/metrics?x"), Ok(Question::Get));
    }

    #[test]
    fn everything_else_is_refused_with_a_status() {
        for target in [
            "/",
            "/metrics/",
            "/metricsx",
            "/?/metrics",
            "http://x",
            "http://x?/metrics",
        ] {
            assert_eq!(of(&format!("GET {target}")), Err("404 Not Found"));
        }
        assert_eq!(of("POST /metrics"), Err("405 Method Not Allowed"));
        assert_eq!(of("GETS /metrics"), Err("405 Method Not Allowed"));
        assert_eq!(read(b"\x01\x02"), Some(Err(BAD)));
        let endless = [
            b"GET /metrics HTTP/1.1\r\nHost: ".as_slice(),
            &[b'x'; LONGEST],
        ]
        .concat();
        assert_eq!(read(&endless[..LONGEST - 1]), None);
        let refusal = read(&endless[..LONGEST]).unwrap().unwrap_err();
        assert_eq!(refusal.status, "431 Request Header Fields Too Large");
        let many = format!("GET /metrics HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(65));
        let refusal = read(many.as_bytes()).unwrap().unwrap_err();
        assert_eq!(refusal.status, "431 Request Header Fields Too Large");
    }

    const BAD: Refusal = Refusal::new("400 Bad Request", "expected HTTP\n");

    #[test]
    fn an_answer_to_head_has_no_body() {
        let refusal = read(b"HEAD / HTTP/1.1\r\n\r\n").unwrap().unwrap_err();
        let said = refused(&refusal);
        assert!(said.contains("Content-Length: 18\r\n"), "{said}");
        assert!(said.ends_with("\r\n\r\n"), "{said}");
        let refusal = read(b"PUT / HTTP/1.1\r\n\r\n").unwrap().unwrap_err();
        let said = refused(&refusal);
        assert!(said.contains("Allow: GET, HEAD\r\n"), "{said}");
        assert!(said.ends_with("\r\n\r\nexpected GET or HEAD\n"), "{said}");
    }
}
