//! Test support: small recordings, a small page, and a client that sends exact bytes.
#![allow(dead_code, reason = "each test file uses its part")]

use sidestep_recording::{Event, EventKind, Head, Link, Network, Node, Tail, Writer};
use sidestep_view::{Choice, Limits, Page, PageContents, Server};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Page with a policy, as built by `make web`.
pub const PAGE: &str = "<!doctype html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                        script-src 'sha256-x='; connect-src 'none'\"></head><body>the page \"</body>\"</body></html>";

/// Returns a recording of one packet.
pub fn recording(scheme: &str, seed: u64) -> Vec<u8> {
    let node = |host| Node {
        name: "a".into(),
        host,
        ..Node::default()
    };
    let link = Link {
        from: 0,
        to: 1,
        rate_bps: 1_000_000_000,
        delay_ps: 1_000_000,
        ..Link::default()
    };
    let network = Network {
        nodes: vec![node(true), node(false)],
        links: vec![link],
        ..Network::default()
    };
    let head = Head {
        source: "simulator".into(),
        time_unit: "ps".into(),
        scenario: "an <incast>".into(),
        scheme: scheme.into(),
        seed: seed.to_string(),
        network,
        ..Head::default()
    };
    let mut writer = Writer::begin(&head, Default::default());
    let what = EventKind::Send {
        flow: 7,
        seq: 0,
        bytes: 1460,
        says: 0,
        host: 0,
        number: 0,
    };
    writer.push(Event { at: 5, what });
    writer.finish(Tail::default())
}

/// Directory that is removed when this is dropped.
pub struct Room(TempDir);

impl Room {
    pub fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and creates the folders above it.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Creates a result directory with a recording of each scheme and seed.
    pub fn result(&self, name: &str, schemes: &[&str], seeds: &[u64]) -> PathBuf {
        let listed: Vec<String> = schemes
            .iter()
            .map(|scheme| format!("\"{scheme}\":{{\"a\":\"</script><!--\"}}"))
            .collect();
        let summary = format!("{{\"schemes\":{{{}}}}}", listed.join(","));
        self.file(&format!("{name}/summary.json"), summary.as_bytes());
        self.file(&format!("{name}/manifest.json"), b"{}");
        for scheme in schemes {
            for seed in seeds {
                let file = format!("{name}/recordings/{scheme}-{seed}.srec");
                self.file(&file, &recording(scheme, *seed));
            }
        }
        self.path(name)
    }

    pub fn page(&self) -> Page {
        self.page_of(PAGE)
    }

    pub fn page_of(&self, text: &str) -> Page {
        Page::read(&self.file("page.html", text.as_bytes())).unwrap()
    }
}

/// Gathers the recordings of these places.
pub fn shown(places: &[&Path]) -> Result<PageContents, String> {
    let places: Vec<PathBuf> = places.iter().map(|place| place.to_path_buf()).collect();
    PageContents::gather(&places, &Choice::default()).map_err(|e| e.to_string())
}

/// Server that runs until the tests end.
pub struct Site {
    pub port: u16,
    pub token: String,
}

impl Site {
    pub fn of(room: &Room, dir: &Path, limits: Limits) -> Site {
        Site::with(room, PAGE, dir, limits)
    }

    pub fn with(room: &Room, page: &str, dir: &Path, limits: Limits) -> Site {
        let shown = shown(&[dir]).unwrap();
        let server = Server::bind(&room.page_of(page), shown, 0, limits).unwrap();
        let address = server.address();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        let site = Site {
            port: port.parse().unwrap(),
            token: token.strip_suffix('/').unwrap().to_string(),
        };
        std::thread::spawn(move || server.run());
        site
    }

    /// Connects, with a read timeout.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        let last = Some(Duration::from_secs(60));
        stream.set_read_timeout(last).unwrap();
        stream
    }

    /// Sends these bytes; returns the answer.
    pub fn say(&self, bytes: &[u8]) -> Response {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        Response::read(&mut stream)
    }

    /// Requests a path unchanged, with these header lines after `Host`.
    pub fn ask(&self, method: &str, path: &str, more: &str) -> Response {
        let host = format!("127.0.0.1:{}", self.port);
        self.say(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").as_bytes())
    }

    /// Returns true if there is a place for one more client.
    pub fn answers(&self) -> bool {
        let mut stream = self.connect();
        let (mut said, host) = (Vec::new(), format!("127.0.0.1:{}", self.port));
        // A refused client may not even be able to send.
        let _ = stream.write_all(
            format!("GET /{}/x HTTP/1.1\r\nHost: {host}\r\n\r\n", self.token).as_bytes(),
        );
        let _ = stream.read_to_end(&mut said);
        said.starts_with(b"HTTP/1.1 404")
    }

    /// Requests a path below the token.
    pub fn get(&self, rest: &str) -> Response {
        self.ask("GET", &format!("/{}/{rest}", self.token), "")
    }
}

/// Answer of the server.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    /// Reads until the server closes.
    pub fn read(stream: &mut TcpStream) -> Response {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(&all)));
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        Response {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: all[end + 4..].to_vec(),
            head,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|line| line.0 == name).map(|line| line.1)
    }
}
