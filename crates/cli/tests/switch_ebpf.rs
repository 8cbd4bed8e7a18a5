//! Tests of `sidestep switch --datapath ebpf`: real packets through the program in the kernel.

mod common;

use common::switching::{
    PATIENCE, Running, charged_to_sender, for_one, reach, transfer, until, wiring,
};
use common::{Room, skip};
use sidestep_softswitch::ebpf::need;
use sidestep_softswitch::trial::flood::{Source, udp_frame};
use sidestep_softswitch::trial::garbage::garbage;
use sidestep_softswitch::trial::soak::{SoakPlan, soak};
use sidestep_softswitch::trial::wiring::Wiring;
use std::path::Path;
use std::time::{Duration, Instant};

/// Creates hosts around a switch; skips with the reason if the program cannot be built.
fn ready(hosts: usize) -> Option<Wiring> {
    if let Err(why) = need() {
        skip(&format!("skipped: {why}"));
        return None;
    }
    wiring(hosts)
}

/// Removes IPv6 addresses from a config: the program answers ARP, and no neighbour solicitations.
fn without_v6(config: String) -> String {
    let lines = config
        .lines()
        .map(|line| match line.split_once(", \"fd09") {
            Some((v4, _)) => format!("{v4}]\n"),
            None => format!("{line}\n"),
        });
    lines.collect()
}

fn start(wiring: Wiring, rate: &str, switch: &str, process: &str) -> Running {
    Running::start_on("ebpf", wiring, rate, switch, process, without_v6)
}

/// Returns the qdisc at the root of the switch's first interface.
fn qdisc(wiring: &Wiring) -> String {
    wiring.switch.run("tc", "qdisc show dev p0 root").unwrap()
}

#[test]
fn hosts_reach_each_other_by_ipv4_and_ipv6() {
    let Some(wiring) = ready(3) else { return };
    let running = start(wiring, "100 Mbps", "", "");
    for (to, address) in [(1, "10.9.0.2"), (2, "10.9.0.3"), (1, "fd09::2")] {
        let reached = reach(&running.wiring, 0, to, address);
        assert!(reached, "{address}: {}", running.counters());
    }
    let counters = running.counters();
    let answered = counters["ports"]["h0"]["answered"].as_u64().unwrap();
    assert!(answered >= 2, "ARP is answered by the program: {counters}");
}

#[test]
fn a_tcp_transfer_arrives_whole_and_not_before_the_link_allows() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "100 Mbps", "capacity = \"100 pkt\"", "");
    let mbps = transfer(&running);
    // A bucket is one frame ahead.
    assert!(mbps < 100.1, "{mbps} Mbps on the wire");
    let last = running.end();
    assert!(
        last["ports"]["h1"]["tx_frames"].as_u64() > Some(2700),
        "{last}"
    );
}

#[test]
fn what_does_not_fit_is_dropped_and_every_frame_is_accounted_for() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "1 Mbps", "capacity = \"5 pkt\"", "");
    let hosts = &running.wiring.hosts;
    let frame = udp_frame(1000, 0, 1);
    hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(std::iter::repeat_n(&frame[..], 40));
    });
    until("all came in", || for_one(&running.counters(), "h0") >= 40);
    let there = running.counters();
    assert!(
        there["ports"]["h1"]["peak_packets"].as_u64() >= Some(5),
        "{there}"
    );
    until("all of it left", || running.counters()["held"] == 0);
    running.ask("reset").unwrap();
    let last = running.counters();
    assert_eq!(last["ports"]["h1"]["peak_packets"], 0, "{last}");
    let ports = last["ports"].as_object().unwrap();
    let sum = |of: &dyn Fn(&serde_json::Value) -> u64| ports.values().map(of).sum::<u64>();
    let count = |port: &serde_json::Value, key: &str| port[key].as_u64().unwrap();
    let all = |port: &serde_json::Value, key: &str| {
        let reasons = port[key].as_object().unwrap();
        reasons
            .values()
            .filter_map(serde_json::Value::as_u64)
            .sum::<u64>()
    };
    let came = sum(&|p| count(p, "rx_frames") + count(p, "copies"));
    let went =
        sum(&|p| count(p, "tx_frames") + count(p, "floods") + all(p, "drops") + all(p, "refused"));
    assert_eq!(came, went, "{last}");
    let full = last["ports"]["h1"]["drops"]["full"].as_u64().unwrap();
    // Fewer if the sender was not scheduled in between.
    assert!((1..=40).contains(&full), "{last}");
}

#[test]
fn it_leaves_nothing_at_its_interfaces_however_it_ends() {
    for signal in [libc::SIGTERM, libc::SIGKILL] {
        let Some(wiring) = ready(2) else { return };
        let mut running = start(wiring, "100 Mbps", "", "");
        assert!(
            qdisc(&running.wiring).contains("tbf"),
            "{}",
            qdisc(&running.wiring)
        );
        running.signal(signal);
        running.child.wait().unwrap();
        until("the bucket is gone", || {
            !qdisc(&running.wiring).contains("tbf")
        });
        // The program ends with its process: the switch's namespace forwards nothing by itself.
        assert!(!reach_now(&running.wiring), "somebody still forwards");
    }
}

/// Returns true if frames from host 0 reach host 1.
fn reach_now(wiring: &Wiring) -> bool {
    let before = wiring.received(1).unwrap();
    let frame = udp_frame(1000, 0, 1);
    wiring.hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(std::iter::repeat_n(&frame[..], 64));
    });
    until("they came in", || wiring.arrived(0).unwrap() >= 64);
    wiring.received(1).unwrap() >= before + 64
}

#[test]
fn what_it_cannot_do_it_says() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "100 Mbps", "", "");
    for (question, said) in [
        ("reload", "another config needs a restart"),
        (
            r#"{"do": "capture", "file": "/tmp/x"}"#,
            "capture: not available with the datapath in the kernel, which answers counters",
        ),
        (
            r#"{"do": "change", "port": "h0", "rate": "1 Mbps"}"#,
            "change: not available with the datapath",
        ),
        (r#"{"do": "note"}"#, "note: not available with the datapath"),
    ] {
        let error = running.ask(question).unwrap_err();
        assert!(error.contains(said), "{question}: {error}");
    }
    let last = running.end();
    assert_eq!(last["switch"], "t");
}

#[test]
fn a_config_that_asks_for_more_is_refused_line_by_line() {
    let room = Room::new();
    let text = "[switch]\nsched = \"priority\"\nroute = \"flowlet\"\nforwarding = \"learning\"\n\
                [[port]]\ninterface = \"p0\"\nrate = \"1 Gbps\"\n";
    room.file("s.toml", text);
    let refused = room.run(&["switch", "--datapath", "ebpf", "--check", "s.toml"]);
    let refused = refused.with_status(2).err;
    for said in [
        "use --datapath packet",
        "s.toml: switch.route: expected single, ecmp, spray-random, spray-rr, spray-counter, got \"flowlet\"",
        "s.toml: switch.sched: expected \"fifo\"",
        "s.toml: switch.forwarding: expected \"static\"",
    ] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
    room.run(&["switch", "--check", "s.toml"]).with_status(0);
}

#[test]
fn random_frames_are_all_counted() {
    let Some(_) = ready(2) else { return };
    let command = Path::new(env!("CARGO_BIN_EXE_sidestep"));
    let result = garbage(command, "ebpf", 100_000, 7).unwrap();
    assert_eq!(result.wrong, Vec::<String>::new());
    assert_eq!(result.sent, 100_000);
}

#[test]
fn below_the_paced_rate_no_frame_is_lost() {
    if ready(0).is_none() {
        return;
    }
    let plan = SoakPlan {
        rounds: 1,
        time: Duration::from_millis(600),
        rate_bps: 100_000_000,
        load: 0.05,
    };
    let command = Path::new(env!("CARGO_BIN_EXE_sidestep"));
    let result = soak(command, "ebpf", plan, &mut |_| ()).unwrap();
    assert!(
        result.wrong.is_empty(),
        "{:?}: {}",
        result.wrong,
        result.counters
    );
    assert!(
        result.rounds[0].sent.iter().all(|sent| *sent > 0),
        "{:?}",
        result.rounds
    );
}

#[test]
fn a_port_sends_as_fast_as_its_rate_though_timers_are_late() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "100 Mbps", "capacity = \"2000 pkt\"", "");
    let wiring = &running.wiring;
    let frame = udp_frame(1514, 0, 1);
    const FRAMES: u64 = 1500;
    let ideal = FRAMES as f64 * 1538.0 * 8.0 / 100e6;
    let mut source = wiring.hosts[0].within(|| Source::open("eth0").unwrap());
    let began = Instant::now();
    // Repeated if this test was not scheduled in time: with buckets that cannot make up for a late timer, each
    // round would take a quarter longer.
    loop {
        let (before, sent) = (wiring.received(1).unwrap(), Instant::now());
        source.send(std::iter::repeat_n(&frame[..], FRAMES as usize));
        until("all of them are there", || {
            wiring.received(1).unwrap() >= before + FRAMES
        });
        let took = sent.elapsed().as_secs_f64();
        assert!(took > 0.98 * ideal, "{took} s, where the rate is {ideal}");
        if took < 1.06 * ideal {
            break;
        }
        let late = format!(
            "{took} s, where the rate is {ideal}: {}",
            running.counters()
        );
        assert!(began.elapsed() < PATIENCE, "{late}");
    }
}

#[test]
fn what_a_bucket_drops_is_counted_as_not_sent() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "100 Mbps", "capacity = \"100 pkt\"", "");
    let wiring = &running.wiring;
    // Like a bucket without processor time for long: it is full, whatever the program's clock says.
    let small = "qdisc change dev p1 root tbf rate 10kbit burst 1600 limit 4000 overhead 24 mpu 84";
    wiring.switch.run("tc", small).unwrap();
    let frame = udp_frame(1000, 0, 1);
    wiring.hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(std::iter::repeat_n(&frame[..], 50));
    });
    let count = |path: &str| {
        let counters = running.counters();
        let found = counters["ports"]["h1"]
            .pointer(path)
            .and_then(|n| n.as_u64());
        found.unwrap_or_else(|| panic!("{path}: {counters}"))
    };
    until("all have left by the program's clock", || {
        count("/tx_frames") >= 50
    });
    let counters = running.counters();
    let (left, refused) = (count("/tx_frames"), count("/io/tx_refused"));
    assert!(refused >= 40, "{counters}");
    assert_eq!(count("/io/sent") + refused, left, "{counters}");
}

#[test]
fn waiting_frames_are_not_charged_to_their_sender() {
    let Some(wiring) = ready(2) else { return };
    let running = start(wiring, "100 kbps", "capacity = \"100 pkt\"", "");
    assert_eq!(charged_to_sender(&running), 0, "bytes");
}
