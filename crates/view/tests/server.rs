//! Tests of the server with real sockets: what is served, and to whom it is refused.

use crate::common::{Response, Room, Site, recording};
use serde_json::Value;
use sidestep_view::Limits;
use std::fs;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

fn site(room: &Room) -> Site {
    let dir = room.result("result", &["dctcp", "dibs"], &[1]);
    Site::of(room, &dir, Limits::default())
}

#[test]
fn the_page_its_bundle_and_each_recording_are_served_below_the_token() {
    let room = Room::new();
    let site = site(&room);
    assert_eq!(site.token.len(), 32);
    let page = site.get("");
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("connect-src 'self'\"></head>"),
        "{page:?}"
    );
    let bundle: Value = serde_json::from_slice(&site.get("bundle.json").body).unwrap();
    assert_eq!(bundle["version"], 1);
    assert_eq!(bundle["title"], "an <incast>");
    assert!(bundle["summary"]["schemes"]["dibs"].is_object(), "{bundle}");
    for (i, scheme) in ["dctcp", "dibs"].iter().enumerate() {
        let listed = &bundle["recordings"][i];
        assert_eq!(listed["scheme"], *scheme);
        let said = site.get(listed["url"].as_str().unwrap());
        assert_eq!(said.status, 200);
        assert!(said.body == recording(scheme, 1));
        assert_eq!(listed["bytes"], said.body.len());
    }
}

#[test]
fn head_has_the_length_and_no_body() {
    let room = Room::new();
    let site = site(&room);
    let said = site.ask("HEAD", &format!("/{}/recordings/0.srec", site.token), "");
    let length = recording("dctcp", 1).len().to_string();
    assert_eq!((said.status, said.body.len()), (200, 0));
    assert_eq!(said.header("Content-Length"), Some(length.as_str()));
    let none = site.ask("HEAD", "/", "");
    assert_eq!((none.status, none.body.len()), (403, 0));
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let room = Room::new();
    let site = site(&room);
    let asked = ["", "bundle.json", "recordings/0.srec", "nothing"].map(|rest| site.get(rest));
    for said in asked.iter().chain([&site.ask("GET", "/", "")]) {
        for (name, value) in [
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Embedder-Policy", "require-corp"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ] {
            assert_eq!(said.header(name), Some(value), "{said:?}");
        }
        let policy = said.header("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(said.header("Access-Control-Allow-Origin"), None);
    }
    let policy = asked[0].header("Content-Security-Policy").unwrap();
    let parts = "script-src 'sha256-x='; connect-src 'self'; ";
    assert!(policy.contains(parts), "{policy}");
    let kinds = asked.each_ref().map(|said| said.header("Content-Type"));
    let words = [
        "text/html; charset=utf-8",
        "application/json",
        "application/octet-stream",
        "text/plain; charset=utf-8",
    ];
    assert_eq!(kinds, words.map(Some));
}

#[test]
fn who_does_not_know_the_token_gets_nothing() {
    let room = Room::new();
    let site = site(&room);
    let other = "0".repeat(32);
    let (short, long) = (&site.token[..31], format!("{}0", site.token));
    let wrong = [
        "/".to_string(),
        "/bundle.json".into(),
        "//bundle.json".into(),
        format!("/{other}/bundle.json"),
        format!("/{short}/bundle.json"),
        format!("/{long}/bundle.json"),
        format!("/{}", site.token),
        format!("/?{}/", site.token),
        format!(
            "/{}/",
            site.token.to_uppercase().replace(char::is_numeric, "G")
        ),
    ];
    for path in wrong {
        let said = site.ask("GET", &path, "");
        assert_eq!(said.status, 403, "{path}");
        assert_eq!(
            said.text(),
            "expected the complete address that `sidestep view` printed\n"
        );
        assert!(!said.head.contains(&site.token) && !said.text().contains(&site.token));
    }
}

#[test]
fn two_servers_have_two_tokens() {
    let room = Room::new();
    let dir = room.result("result", &["dibs"], &[1]);
    let [one, two] = [(); 2].map(|()| Site::of(&room, &dir, Limits::default()));
    assert!(one.token != two.token && one.port != two.port);
    assert_eq!(one.ask("GET", &format!("/{}/", two.token), "").status, 403);
}

#[test]
fn a_host_that_was_made_to_lead_here_is_refused() {
    let room = Room::new();
    let site = site(&room);
    let (port, path) = (site.port, format!("/{}/bundle.json", site.token));
    let with = |lines: &str| {
        let said = site.say(format!("GET {path} HTTP/1.1\r\n{lines}\r\n").as_bytes());
        said.status
    };
    assert_eq!(with(&format!("Host: 127.0.0.1:{port}\r\n")), 200);
    assert_eq!(with(&format!("host: localhost:{port}\r\n")), 200);
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        "127.0.0.1".into(),
        "127.0.0.1:1".into(),
        format!("127.0.0.1:{port}.evil.example"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        String::new(),
    ] {
        assert_eq!(with(&format!("Host: {host}\r\n")), 421, "{host}");
    }
    assert_eq!(with(""), 400);
    let twice = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n");
    assert_eq!(with(&twice), 400);
    // An absolute address with another host is refused as well.
    let absolute = format!("http://evil.example{path}");
    assert_eq!(site.ask("GET", &absolute, "").status, 400);
}

#[test]
fn a_script_of_another_page_is_refused() {
    let room = Room::new();
    let site = site(&room);
    let with = |origin: &str| {
        let path = format!("/{}/bundle.json", site.token);
        site.ask("GET", &path, &format!("Origin: {origin}\r\n"))
            .status
    };
    assert_eq!(with(&format!("http://127.0.0.1:{}", site.port)), 200);
    for origin in [
        "null".to_string(),
        "http://evil.example".into(),
        format!("https://127.0.0.1:{}", site.port),
        "http://127.0.0.1".into(),
        format!("http://127.0.0.1:{}.evil.example", site.port),
        format!(
            "http://127.0.0.1:{0}\r\nOrigin: http://evil.example",
            site.port
        ),
    ] {
        assert_eq!(with(&origin), 403, "{origin}");
    }
}

#[test]
fn no_address_leads_to_another_file() {
    let room = Room::new();
    let site = site(&room);
    room.file("secret", b"secret");
    let absolute = room.path("secret").display().to_string();
    for rest in [
        "../secret",
        "recordings/../../secret",
        "%2e%2e/secret",
        "%2e%2e%2fsecret",
        "..%2fsecret",
        "..%5csecret",
        "..\\secret",
        "recordings/..\\..\\secret",
        "....//secret",
        "..;/secret",
        "recordings/%252e%252e/secret",
        absolute.as_str(),
        "manifest.json",
        "summary.json",
        "recordings/",
        "recordings/dibs-1.srec",
        "recordings/2.srec",
        "recordings/-1.srec",
        "recordings/+1.srec",
        "recordings/01.srec",
        "recordings/0.srec/",
        "recordings/0.srec?x",
        "recordings/0.srec%00",
        "recordings//0.srec",
        "recordings/18446744073709551616.srec",
        "bundle.json/",
        "bundle.json?",
        "Bundle.json",
        "./",
        "page.html",
        "index.html",
    ] {
        let said = site.get(rest);
        assert!([400, 404].contains(&said.status), "{rest}: {said:?}");
        assert!(!said.text().contains("secret"), "{rest}");
    }
    let control = site.say(format!("GET /{}/\0 HTTP/1.1\r\n\r\n", site.token).as_bytes());
    assert_eq!(control.status, 400);
}

#[test]
fn a_link_put_in_the_place_of_a_recording_shows_nothing_else() {
    let room = Room::new();
    let site = site(&room);
    let secret = room.file("secret", b"secret");
    let file = room.path("result/recordings/dctcp-1.srec");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(secret, &file).unwrap();
    assert!(site.get("recordings/0.srec").body == recording("dctcp", 1));
}

#[test]
fn other_methods_and_bodies_are_refused() {
    let room = Room::new();
    let site = site(&room);
    let path = format!("/{}/bundle.json", site.token);
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "X",
    ] {
        let said = site.ask(method, &path, "");
        assert_eq!(said.status, 405, "{method}");
        assert_eq!(said.header("Allow"), Some("GET, HEAD"));
    }
    for lines in [
        "Content-Length: 5\r\n",
        "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "transfer-encoding: identity\r\n",
    ] {
        assert_eq!(site.ask("GET", &path, lines).status, 413, "{lines}");
    }
    assert_eq!(site.ask("GET", &path, "Content-Length: 0\r\n").status, 200);
    for noise in [
        "\x16\x03\x01 TLS\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
    ] {
        assert_eq!(site.say(noise.as_bytes()).status, 400, "{noise}");
    }
    let long = format!("X: {}\r\n", "x".repeat(9000));
    let said = site.say(format!("GET {path} HTTP/1.1\r\n{long}").as_bytes());
    assert_eq!(said.status, 431);
}

/// Checks that the connection ends within `most`.
fn ends_within(most: Duration, stream: &mut impl Read) {
    let begun = Instant::now();
    let mut room = [0; 64];
    // An end, or a reset.
    while stream.read(&mut room).is_ok_and(|got| got > 0) {}
    assert!(begun.elapsed() < most, "{:?}", begun.elapsed());
}

#[test]
fn a_client_that_asks_slowly_is_let_go_and_others_are_served_meanwhile() {
    let room = Room::new();
    let dir = room.result("result", &["dibs"], &[1]);
    let limits = Limits {
        question: Duration::from_secs(3),
        ..Limits::default()
    };
    let site = Site::of(&room, &dir, limits);
    let (mut silent, mut slow) = (site.connect(), site.connect());
    slow.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    assert_eq!(site.get("").status, 200);
    // Single bytes do not extend its time.
    let begun = Instant::now();
    while slow.write_all(b"x").is_ok() {
        std::thread::sleep(Duration::from_millis(50));
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "it is listened to still"
        );
    }
    ends_within(Duration::from_secs(30), &mut silent);
}

#[test]
fn there_are_so_many_clients_at_once_and_no_more() {
    let room = Room::new();
    let dir = room.result("result", &["dibs"], &[1]);
    let limits = Limits {
        clients: 2,
        question: Duration::from_secs(60),
        ..Limits::default()
    };
    let site = Site::of(&room, &dir, limits);
    let held = [site.connect(), site.connect()];
    let mut third = site.connect();
    assert_eq!(Response::read(&mut third).status, 503);
    drop(held);
    // Their threads end when they notice.
    let begun = Instant::now();
    while !site.answers() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "they hold their places"
        );
    }
}

#[test]
fn a_client_that_takes_nothing_is_let_go() {
    let room = Room::new();
    let dir = room.result("result", &["dibs"], &[1]);
    // More than the sockets' buffers hold.
    let large = crate::common::PAGE.replace("the page", &"x".repeat(32_000_000));
    let limits = Limits {
        pause: Duration::from_millis(300),
        clients: 1,
        ..Limits::default()
    };
    let site = Site::with(&room, &large, &dir, limits);
    let mut idle = site.connect();
    let asked = format!(
        "GET /{}/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
        site.token, site.port
    );
    idle.write_all(asked.as_bytes()).unwrap();
    // The only place is taken until the idle client is disconnected.
    let begun = Instant::now();
    while !site.answers() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it holds its place"
        );
    }
    let mut rest = Vec::new();
    let _ = idle.read_to_end(&mut rest);
    assert!(rest.len() < 32_000_000, "it was sent all the same");
}
