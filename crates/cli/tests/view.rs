//! Tests of `sidestep view`: the page served until Ctrl-C, or written as one file, and messages for refusals.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Minimal page: a policy, and a body.
const PAGE: &str = "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"></head><body></body>";

/// Creates a room with a page and a recorded result.
fn recorded() -> Room {
    let room = Room::new();
    room.file("page.html", PAGE);
    let args = [
        "run",
        "quickstart",
        "--set",
        "schemes=dctcp,dibs",
        "--seed",
        "1",
        "--record",
        "--out",
        "r",
    ];
    room.run(&args).with_status(0);
    room
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_result_is_served_until_ctrl_c() {
    let room = recorded();
    let mut command = room.command(&["view", "r", "--page", "page.html"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut lines = [String::new(), String::new()];
    lines.iter_mut().for_each(|line| {
        out.read_line(line).unwrap();
    });
    let address = lines[0].trim_end().strip_prefix("http://").unwrap();
    assert!(
        lines[1].starts_with("serving 2 recordings, ")
            && lines[1].contains(": dctcp-1, dibs-1 on this machine only"),
        "{lines:?}"
    );
    let (host, path) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /{path}bundle.json HTTP/1.1\r\nHost: {host}\r\n\r\n"
    )
    .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let bundle = json(said.split_once("\r\n\r\n").unwrap().1);
    assert_eq!(bundle["recordings"][1]["scheme"], "dibs");
    assert!(
        bundle["summary"]["schemes"]["dctcp"]["qct_ms"].is_object(),
        "{bundle}"
    );
    // A port that is taken.
    let port = host.split_once(':').unwrap().1;
    let said = room
        .run(&["view", "r", "--page", "page.html", "--port", port])
        .with_status(2);
    assert!(
        said.err.starts_with(&format!(
            "sidestep: --port: expected a free port, got {port}: "
        )),
        "{said:?}"
    );

    let ended = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(ended.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn one_file_is_written_whole_and_nothing_is_overwritten() {
    let room = recorded();
    let write = |more: &[&str]| {
        let args = [
            &["view", "r", "--page", "page.html", "--html", "o.html"][..],
            more,
        ];
        room.run(&args.concat())
    };
    let told = json(&write(&["--json"]).with_status(0).out);
    assert_eq!(told["html"], "o.html");
    let text = fs::read_to_string(room.path().join("o.html")).unwrap();
    assert_eq!(told["bytes"], text.len());
    let bundle = text.split_once("id=\"bundle\">").unwrap().1;
    let bundle = json(bundle.split_once("</script>").unwrap().0);
    for (i, scheme) in ["dctcp", "dibs"].iter().enumerate() {
        assert_eq!(bundle["recordings"][i]["scheme"], *scheme);
        let file = room.path().join(format!("r/recordings/{scheme}-1.srec"));
        assert_eq!(
            told["recordings"][i]["bytes"],
            fs::metadata(file).unwrap().len()
        );
    }
    let said = write(&[]).with_status(2).err;
    assert_eq!(
        said,
        "sidestep: --html: o.html already exists: choose another file, or replace it with --force\n"
    );
    let said = write(&["--force", "--scheme", "dibs"]).with_status(0).out;
    assert!(
        said.starts_with("o.html: ") && said.ends_with(": dibs-1\n"),
        "{said}"
    );
    assert_eq!(room.names(), ["o.html", "page.html", "r", "results"]);
}

#[test]
fn what_cannot_be_shown_is_refused_in_words() {
    let room = Room::new();
    room.file("page.html", PAGE);
    room.file("notes.txt", "notes");
    fs::create_dir(room.path().join("empty")).unwrap();
    fs::create_dir(room.path().join("plain")).unwrap();
    room.file("plain/manifest.json", "{}");
    let refused = |args: &[&str]| room.run(&[&["view"], args].concat()).with_status(2).err;
    for (place, says) in [
        ("none", "got a path that does not exist"),
        (
            "empty",
            "got a directory without manifest.json and recordings",
        ),
        ("plain", "record with `sidestep run SCENARIO --record`"),
        ("notes.txt", "expected "),
    ] {
        let said = refused(&[place, "--page", "page.html"]);
        assert!(
            said.starts_with(&format!("sidestep: cannot view {place}: ")) && said.contains(says),
            "{said}"
        );
    }
    for args in [
        &[][..],
        &["r", "--force"],
        &["r", "--html", "o", "--port", "1"],
        &["r", "--port", "70000"],
    ] {
        refused(args);
    }
}

#[test]
fn a_command_without_the_page_says_what_to_do() {
    let room = recorded();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/page/index.html");
    let Done { status, err, .. } = room.run(&["view", "r", "--html", "o.html"]);
    match page.exists() {
        true => assert_eq!(status, 0, "{err}"),
        false => {
            assert_eq!(status, 1);
            assert!(
                err.contains("run `make web`") && err.lines().count() == 1,
                "{err}"
            );
        }
    }
    let said = room
        .run(&["view", "r", "--page", "r/summary.json"])
        .with_status(2)
        .err;
    assert!(
        said.starts_with(
            "sidestep: --page: expected a page built by `make web`, got r/summary.json"
        ),
        "{said}"
    );
}
