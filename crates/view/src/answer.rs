//! Head of an HTTP answer: its type, and what a browser may do with it.

/// Content security policy of answers other than the page: nothing is allowed.
const NOTHING: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Content of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Page,
    Json,
    Recording,
    Words,
}

/// Returns the head of an answer of `length` bytes. `policy` is the page's.
pub fn head(status: &str, kind: Kind, length: u64, policy: &str) -> String {
    let of = match kind {
        Kind::Page => "text/html; charset=utf-8",
        Kind::Json => "application/json",
        Kind::Recording => "application/octet-stream",
        Kind::Words => "text/plain; charset=utf-8",
    };
    // A policy in a page's <meta> cannot contain frame-ancestors.
    let policy = match kind {
        Kind::Page => format!("{policy}; frame-ancestors 'none'"),
        _ => NOTHING.to_string(),
    };
    let allow = match status.starts_with("405") {
        true => "Allow: GET, HEAD\r\n",
        false => "",
    };
    format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {of}\r\n\
         Content-Length: {length}\r\n\
         {allow}\
         Content-Security-Policy: {policy}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Embedder-Policy: require-corp\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Cache-Control: no-store\r\n\
         Connection: close\r\n\
         \r\n"
    )
}
