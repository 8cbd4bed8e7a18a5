//! Tests of the process of `sidestep switch`: its start, answers, changes and end.

mod common;

use common::switching::{Running, for_one, reach, state_of, until, wiring};
use common::{Room, run_as_nobody};
use serde_json::Value;
use std::ffi::CString;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};

#[test]
fn a_config_that_does_not_end_is_refused() {
    let room = Room::new();
    let fifo = CString::new(room.path().join("fifo").into_os_string().into_vec()).unwrap();
    // SAFETY: the path ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    for (path, got) in [
        ("/dev/zero", "got a device"),
        ("fifo", "got a pipe"),
        (".", "got a folder"),
    ] {
        let done = room.run(&["switch", path, "--check"]).with_status(2);
        let expected =
            format!("cannot read {path}: expected a file of at most 16777216 bytes, {got}");
        assert!(done.err.contains(&expected), "{done:?}");
    }
}

#[test]
fn a_question_that_is_too_long_is_told_its_limit() {
    let Some(wiring) = wiring(1) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let long = format!(r#"{{"do": "capture", "file": "{}"}}"#, "x".repeat(1 << 16));
    let error = running.ask(&long).unwrap_err();
    assert!(
        error.contains("expected a request of at most 65536 bytes, got more"),
        "{error}"
    );
    assert!(running.ask("counters").is_ok());
}

#[test]
fn wrong_questions_are_answered_with_an_error_each() {
    let Some(wiring) = wiring(1) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let error = running.ask("dance").unwrap_err();
    assert!(
        error.contains("counters, reset, reload") && error.contains("dance"),
        "{error}"
    );
    let error = running.ask("{\"do\": ").unwrap_err();
    assert!(error.contains("EOF"), "{error}");
    let question = "{\"do\": \"capture\", \"file\": \"/proc/nowhere\"}";
    let error = running.ask(question).unwrap_err();
    assert!(error.contains("/proc/nowhere"), "{error}");
    assert!(running.ask("counters").is_ok());
}

#[test]
fn rates_and_links_change_by_order() {
    let Some(wiring) = wiring(2) else { return };
    let metrics = "metrics = \"127.0.0.1:9470\"";
    let running = Running::start(wiring, "100 Mbps", "", metrics);
    assert!(reach(&running.wiring, 0, 1, "10.9.0.2"), "at first");
    for (question, said) in [
        (
            r#"{"do": "change", "port": "h7", "link": "down"}"#,
            "port \"h7\" is unknown",
        ),
        (
            r#"{"do": "change", "port": "h1", "rate": "0 bps"}"#,
            "more than 0",
        ),
        (
            r#"{"do": "change", "ways": {"02:00:00:00:00:77": "h1"}}"#,
            "no station has",
        ),
    ] {
        let error = running.ask(question).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    let slower = r#"{"do": "change", "port": ["h0", "h1"], "rate": "10 Mbps"}"#;
    assert_eq!(running.ask(slower).unwrap()["dropped"], 0);
    running.says("change: h0, h1 at 10 Mbps");
    let down = r#"{"do": "change", "port": "h1", "link": "down"}"#;
    running.ask(down).unwrap();
    running.says("change: h1 down");
    let from = running.wiring.hosts[0].within(|| UdpSocket::bind("10.9.0.1:0").unwrap());
    from.send_to(b"lost", "10.9.0.2:9").unwrap();
    let h1 = || running.counters()["ports"]["h1"].clone();
    until("a frame is lost", || {
        h1()["drops"]["link_down"].as_u64().unwrap() > 0
    });
    assert_eq!(
        (&h1()["link_up"], &h1()["rate_bps"]),
        (&false.into(), &10_000_000.into())
    );
    let page = get(&running, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    for line in [
        "sidestep_switch_link_up{switch=\"t\",port=\"h1\"} 0",
        "sidestep_switch_rate_bits_per_second{switch=\"t\",port=\"h0\"} 10000000",
        "sidestep_switch_changes_total{switch=\"t\"} 2",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
    let up = r#"{"do": "change", "port": "h1", "link": "up"}"#;
    running.ask(up).unwrap();
    running.says("change: h1 up");
    assert!(
        reach(&running.wiring, 0, 1, "10.9.0.2"),
        "once it is up again"
    );
}

/// Returns the answer of the metrics' endpoint. The endpoint closes slow connections; then the request is
/// repeated.
fn get(running: &Running, question: &str) -> String {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect("127.0.0.1:9470")?;
        stream.write_all(question.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let mut answer = String::new();
    until("the metrics' endpoint answers", || {
        answer = running.wiring.switch.within(ask).unwrap_or_default();
        !answer.is_empty()
    });
    answer
}

#[test]
fn a_config_that_cannot_be_read_again_leaves_it_as_it_was() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let path = running.path("t.toml");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, good.replace("rate =", "rat =")).unwrap();
    let error = running.ask("reload").unwrap_err();
    assert!(
        error.contains("rat") && error.contains("t.toml:"),
        "{error}"
    );
    running.signal(libc::SIGHUP);
    running.says("keeps its config");
    fs::write(&path, good.replace("\"p1\"", "\"p9\"")).unwrap();
    let error = running.ask("reload").unwrap_err();
    assert!(error.contains("p9") && error.contains("restart"), "{error}");
    fs::write(&path, good).unwrap();
    running.signal(libc::SIGHUP);
    running.says("read its config again");
}

#[test]
fn a_vanished_interface_is_used_again_when_it_is_back() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "user = \"keep\"");
    let h1 = || running.counters()["ports"]["h1"]["io"]["running"] == true;
    until("h1 is up at first", h1);
    assert!(reach(&running.wiring, 0, 1, "10.9.0.2"), "at first");
    running.wiring.switch.ip("link del p1").unwrap();
    running.says("interface p1 is gone");
    assert!(!h1());
    running.wiring.plug(1).unwrap();
    running.says("interface p1 was recreated and is in use again");
    until("h1 is up again", h1);
    let before = running.counters()["ports"]["h1"]["io"]["received"]
        .as_u64()
        .unwrap();
    assert!(
        reach(&running.wiring, 0, 1, "10.9.0.2"),
        "by the new interface"
    );
    until("frames of the new interface are received", || {
        running.counters()["ports"]["h1"]["io"]["received"]
            .as_u64()
            .unwrap()
            > before
    });
    running.wiring.hosts[1].ip("link set eth0 down").unwrap();
    running.says("interface p1 is down");
    running.wiring.hosts[1].ip("link set eth0 up").unwrap();
    running.says("interface p1 is up");
}

#[test]
fn prometheus_reads_its_counters_on_the_loopback() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "metrics = \"127.0.0.1:9470\"");
    let get = |question: &str| get(&running, question);
    let page = get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    for line in [
        "# TYPE sidestep_port_received_frames counter",
        "# HELP sidestep_port_received_frames ",
        "sidestep_port_running{switch=\"t\",port=\"h1\"} 1",
        "# TYPE sidestep_switch_detours_in_frames counter",
        "sidestep_lateness_seconds{switch=\"t\",quantile=\"0.99\"}",
        "sidestep_read_lateness_seconds{switch=\"t\",quantile=\"0.99\"}",
        "# EOF",
    ] {
        assert!(page.contains(line), "{line} is not in\n{page}");
    }
    // Hosts send by themselves (IPv6 reports its groups), so the exact count is unknown.
    let bucket = |le: &str| {
        let name = "sidestep_queue_length_packets_bucket";
        let start = format!("{name}{{switch=\"t\",le=\"{le}\",port=\"h0\"}} ");
        let value = page.lines().find_map(|line| line.strip_prefix(&start));
        value.unwrap_or_else(|| panic!("{start} is not in\n{page}"))
    };
    let within: u64 = bucket("10.0").parse().unwrap();
    let all: u64 = bucket("+Inf").parse().unwrap();
    assert!(within <= all, "{within} of {all}");
    let asked = get("GET /metrics?name[]=x HTTP/1.1\r\n\r\n");
    assert!(
        asked.starts_with("HTTP/1.1 200") && asked.ends_with("# EOF\n"),
        "{asked}"
    );
    let head = get("HEAD /metrics HTTP/1.1\r\n\r\n");
    assert!(
        head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    assert!(get("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(get("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    assert!(get("\u{1}\u{2}\r\n\r\n").starts_with("HTTP/1.1 400"));
}

#[test]
fn a_stall_while_nothing_is_due_is_seen_by_when_frames_were_read() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let hosts = &running.wiring.hosts;
    let from = hosts[0].within(|| UdpSocket::bind("10.9.0.1:0").unwrap());
    let send = || from.send_to(b"slow", "10.9.0.2:9").unwrap();
    let received = || for_one(&running.counters(), "h0");
    let quiet = received();
    send();
    until("what came before is read", || received() > quiet);
    running.ask("reset").unwrap();
    let before = received();
    let stopped = Instant::now();
    running.signal(libc::SIGSTOP);
    // The process finishes its current step first; only after that it certainly reads nothing.
    until("the switch is stopped", || {
        state_of(running.child.id()) == 'T'
    });
    for _ in 0..3 {
        send();
    }
    let sent = Instant::now();
    std::thread::sleep(Duration::from_millis(100));
    let least_us = sent.elapsed().as_micros() as f64;
    running.signal(libc::SIGCONT);
    until("what came meanwhile is read", || received() >= before + 3);
    let most_us = stopped.elapsed().as_micros() as f64;
    let counters = running.counters();
    let read = &counters["read_lateness"];
    assert!(read["late"].as_u64() >= Some(3), "{counters}");
    assert!(read["stalls"].as_u64() >= Some(1), "{counters}");
    let max_us = read["max_us"].as_f64().unwrap();
    // The histogram has three digits.
    assert!(
        (0.999 * least_us..1.001 * most_us).contains(&max_us),
        "{least_us} to {most_us}: {counters}"
    );
    // They were due on arrival, nothing waited before them, and they left equally late: a stall that marks a
    // run.
    let left = &counters["lateness"];
    assert!(left["late"].as_u64() >= Some(3), "{counters}");
    let stalled_ms = left["stalled_ms"].as_f64().unwrap();
    assert!(stalled_ms * 1e3 >= 0.99 * least_us, "{counters}");
    // Hosts continue to answer that port 9 is not open, so some frames may have been read since.
    let all = |counters: &Value| -> u64 {
        let ports = counters["ports"].as_object().unwrap().values();
        ports
            .map(|port| port["io"]["received"].as_u64().unwrap())
            .sum()
    };
    running.ask("reset").unwrap();
    let after = running.counters();
    let since = all(&after) - all(&counters);
    let said = after["read_lateness"]["frames"].as_u64().unwrap();
    assert!(said <= since, "{said} frames, {since} came: {after}");
}

#[test]
fn a_second_switch_does_not_take_the_socket_of_the_first() {
    let Some(wiring) = wiring(1) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let second = (running
        .wiring
        .switch
        .command(env!("CARGO_BIN_EXE_sidestep")))
    .arg("switch")
    .arg(running.path("t.toml"))
    .output()
    .unwrap();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1));
    assert!(said.contains("another switch answers there"), "{said}");
    assert!(running.ask("counters").is_ok());
}

#[test]
fn an_ordinary_user_is_told_what_the_switch_needs() {
    let config = "[[port]]\ninterface = \"lo\"\nrate = \"1 Mbps\"\nleads_to = \"host\"\n";
    let path = std::env::temp_dir().join(format!("sidestep-user{}.toml", std::process::id()));
    std::fs::write(&path, config).unwrap();
    let done = run_as_nobody(&["switch", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let Some(done) = done else { return };
    let done = done.with_status(2);
    assert!(done.err.contains("CAP_NET_ADMIN"), "{done:?}");
}
