//! Tests with frames of the kernel's own network stack through `sidestep switch`.

mod common;

use common::switching::{
    PATIENCE, Running, charged_to_sender, for_one, reach, transfer, until, wiring,
};
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::block_common::Block;
use sidestep_softswitch::trial::flood::{Source, pin, udp_frame};
use sidestep_softswitch::trial::garbage::garbage;
use sidestep_softswitch::trial::soak::{SoakPlan, soak};
use sidestep_softswitch::trial::wiring::mac;
use std::fs::{self, File};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn hosts_reach_each_other_by_ipv4_and_ipv6() {
    let Some(wiring) = wiring(3) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    for (to, address) in [
        (1, "10.9.0.2"),
        (2, "10.9.0.3"),
        (1, "fd09::2"),
        (2, "fd09::3"),
    ] {
        assert!(
            reach(&running.wiring, 0, to, address),
            "{address}: {}",
            running.counters()
        );
    }
    let counters = running.counters();
    let answered = counters["ports"]["h0"]["answered"].as_u64().unwrap();
    assert!(
        answered >= 4,
        "ARP and neighbours are answered by the switch: {counters}"
    );
}

#[test]
fn a_tcp_transfer_arrives_whole_and_not_before_the_link_allows() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "capacity = \"100 pkt\"", "");
    let mbps = transfer(&running);
    // The lower bound depends on the machine's load; the upper bound does not.
    assert!(mbps < 100.1, "{mbps} Mbps on the wire");
    let last = running.end();
    assert!(
        last["lateness"]["departures"].as_u64() > Some(2700),
        "{last}"
    );
}

/// Gives a socket a buffer of 16 MB, beyond the limit of ordinary users.
fn roomy(socket: &UdpSocket) {
    let bytes: libc::c_int = 16 << 20;
    // SAFETY: the pointer and length are of `bytes`.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVBUFFORCE,
            (&raw const bytes).cast(),
            size_of_val(&bytes) as libc::socklen_t,
        )
    };
    assert_eq!(done, 0, "SO_RCVBUFFORCE");
}

/// Bytes of host 1's link that the switch had sent, with the times before and after the reading.
struct Look {
    before: Instant,
    sent: u64,
    after: Instant,
}

/// FCS, preamble and gap.
const AROUND: u64 = 24;

#[test]
fn a_link_is_paced_to_its_rate_as_exactly_as_the_switch_says() {
    let Some(wiring) = wiring(2) else { return };
    // 1514 bytes are 1538 on the wire: 650 a second. The queue lasts for nearly two seconds.
    const CAPACITY: u64 = 1200;
    let rate = 8e6 / 8.0;
    let running = Running::start(wiring, "8 Mbps", "capacity = \"1200 pkt\"", "");
    let wiring = &running.wiring;
    let frame = udp_frame(1514, 0, 1);
    let mut source = wiring.hosts[0].within(|| Source::open("eth0").unwrap());
    let (began, there_before) = (Instant::now(), wiring.received(1).unwrap());
    let count = |counters: &serde_json::Value, path: &str| {
        let found = counters["ports"]["h1"]
            .pointer(path)
            .and_then(|n| n.as_u64());
        found.unwrap_or_else(|| panic!("{path}: {counters}"))
    };
    let full = || count(&running.counters(), "/drops/full");
    // If the test is not scheduled for two seconds, the queue is empty again, and the test repeats.
    let looks = loop {
        assert!(began.elapsed() < PATIENCE, "never two looks at a queue");
        // Until a frame finds no room: then the queue is full, and nothing more is sent.
        let before = full();
        until("the queue is full", || {
            source.send(std::iter::repeat_n(&frame[..], CAPACITY as usize + 64));
            full() > before
        });
        let mut looks = Vec::new();
        loop {
            let there = wiring.received(1).unwrap() - there_before;
            let elapsed = began.elapsed().as_secs_f64();
            let before = Instant::now();
            let counters = running.counters();
            let after = Instant::now();
            // No frame arrives early, however late the kernel hands it over. Group frames that the other host
            // sends are shorter, and counted apart.
            let there = there.saturating_sub(count(&counters, "/copies"));
            let most = rate / 1538.0 * elapsed + 1.0;
            assert!(there as f64 <= most, "{there} frames where {most} had left");
            if counters["held"] == 0 {
                break;
            }
            let sent = count(&counters, "/io/sent_bytes") + AROUND * count(&counters, "/io/sent");
            looks.push(Look {
                before,
                sent,
                after,
            });
            std::thread::sleep(Duration::from_millis(20));
        }
        if looks.len() >= 2 {
            break looks;
        }
    };
    let late_s = running.counters()["lateness"]["max_us"].as_f64().unwrap() / 1e6;
    assert!(looks[looks.len() - 1].sent > looks[0].sent);
    for (i, first) in looks.iter().enumerate() {
        for last in &looks[i + 1..] {
            let bytes = (last.sent - first.sent) as f64;
            let longest = (last.after - first.before).as_secs_f64();
            let shortest = (last.before - first.after).as_secs_f64();
            // A frame is never early, and late frames catch up.
            let most = rate * (longest + late_s) + 1538.0;
            let least = rate * (shortest - late_s) - 1538.0;
            assert!(
                (least..=most).contains(&bytes),
                "{bytes} bytes in {shortest} to {longest} s, at most {late_s} s late"
            );
        }
    }
    let counters = running.counters();
    assert_eq!(count(&counters, "/peak_packets"), CAPACITY, "{counters}");
}

#[test]
fn a_reload_loses_no_frame() {
    let Some(wiring) = wiring(2) else { return };
    // The kernels on either side may reorder too: if a frame waits for an address while the next one finds it
    // known, and if frames of one sender are sent by two cores. This test excludes both.
    let known = format!(
        "neigh add 10.9.0.2 lladdr {} dev eth0 nud permanent",
        mac(1)
    );
    wiring.hosts[0].ip(&known).unwrap();
    // SAFETY: only reads a number. Processes and threads started from here on stay on this core.
    pin(unsafe { libc::sched_getcpu() } as usize);
    // Room for all frames, if the switch is not scheduled to send them on.
    let running = Running::start(wiring, "1 Gbps", "capacity = \"6000 pkt\"", "");
    let hosts = &running.wiring.hosts;
    let socket = |host: usize, port: u16| {
        let address = format!("10.9.0.{}:{port}", host + 1);
        hosts[host].within(move || UdpSocket::bind(address).unwrap())
    };
    let (from, to) = (socket(0, 7000), socket(1, 7001));
    to.set_read_timeout(Some(PATIENCE)).unwrap();
    // A receiver that is not scheduled must not lose frames that the switch has delivered.
    roomy(&to);
    const COUNT: u32 = 5000;
    /// Sent after all others; repeated if lost.
    const END: u32 = u32::MAX;
    let config = fs::read_to_string(running.path("t.toml")).unwrap();
    let got = std::thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let mut got = Vec::new();
            let mut room = [0; 4];
            while got.last() != Some(&END) {
                assert_eq!(to.recv(&mut room).unwrap(), 4);
                got.push(u32::from_le_bytes(room));
            }
            got.pop();
            got
        });
        let running = &running;
        scope.spawn(move || {
            for round in 0..8 {
                let capacity = format!("{} pkt", 6000 + round);
                fs::write(
                    running.path("t.toml"),
                    config.replace("6000 pkt", &capacity),
                )
                .unwrap();
                running.ask("reload").unwrap();
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        for number in 0..COUNT {
            from.send_to(&number.to_le_bytes(), "10.9.0.2:7001")
                .unwrap();
            std::thread::sleep(Duration::from_micros(50));
        }
        while !receiver.is_finished() {
            from.send_to(&END.to_le_bytes(), "10.9.0.2:7001").unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        receiver.join().unwrap()
    });
    let wrong = got.windows(2).find(|pair| pair[0] >= pair[1]);
    assert_eq!(wrong, None, "in order, each once");
    // If the switch was not scheduled, the kernel drops frames that find its ring full: before the switch, and
    // counted.
    let counters = running.counters();
    let beside = |port: &str, key: &str| counters["ports"][port]["io"][key].as_u64().unwrap();
    let lost = beside("h0", "kernel_drops") + beside("h1", "tx_refused");
    let (got, sent) = (got.len() as u64, u64::from(COUNT));
    assert!(
        got <= sent && got + lost >= sent,
        "{got} of {sent}: {counters}"
    );
    for port in ["h0", "h1"] {
        let drops = counters["ports"][port]["drops"].as_object().unwrap();
        assert!(drops.values().all(|n| *n == 0), "{counters}");
    }
}

#[test]
fn a_frame_longer_than_the_mtu_was_at_the_start_is_forwarded_whole_or_not_at_all() {
    let Some(wiring) = wiring(2) else { return };
    wiring.switch.ip("link set p0 mtu 500").unwrap();
    let running = Running::start(wiring, "1 Gbps", "", "");
    let wiring = &running.wiring;
    wiring.switch.ip("link set p0 mtu 9000").unwrap();
    wiring.hosts[0].ip("link set eth0 mtu 9000").unwrap();
    // Not IP, whose header would show that something is missing.
    let long = |bytes: usize| {
        let mut frame = udp_frame(1514, 0, 1);
        frame.resize(bytes, 0);
        frame[12..14].copy_from_slice(&[0x88, 0xb5]);
        frame
    };
    let frames = [long(1514), long(3000), long(1515), long(9000)];
    wiring.hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(frames.iter().map(|f| &f[..]));
    });
    // Group frames that the host sends may arrive too, and are flooded.
    let seen = |counters: &serde_json::Value| {
        let ports = &counters["ports"];
        let count = |key: &str| ports["h1"][key].as_u64().unwrap();
        let oversized = ports["h0"]["refused"]["oversized"].as_u64().unwrap();
        (oversized, count("tx_frames") - count("copies"))
    };
    let start = Instant::now();
    let mut counters = running.counters();
    while seen(&counters) != (3, 1) && start.elapsed() < PATIENCE {
        counters = running.counters();
    }
    assert_eq!(seen(&counters), (3, 1), "{counters}");
    until("all of it left", || {
        running.counters()["ports"]["h1"]["io"]["sent_bytes"].as_u64() >= Some(1514)
    });
}

#[test]
fn a_capture_says_what_became_of_each_frame() {
    let Some(wiring) = wiring(2) else { return };
    let process = "capture = \"ROOM/c.pcapng\"\ncapture_only = \"all\"";
    let running = Running::start(wiring, "1 Mbps", "capacity = \"5 pkt\"", process);
    let hosts = &running.wiring.hosts;
    let frame = udp_frame(1000, 0, 1);
    hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(std::iter::repeat_n(&frame[..], 20));
    });
    until("all came in", || for_one(&running.counters(), "h0") >= 20);
    let path = running.path("c.pcapng");
    let (last, _room) = running.end_keeping();
    assert_eq!(last["capture"]["lost"], 0);
    let mut reader = PcapNgReader::new(File::open(&path).unwrap()).unwrap();
    let (mut queued, mut dropped, mut of_others) = (0, 0, 0);
    while let Some(block) = reader.next_block() {
        let (Block::EnhancedPacket(packet), _) = block.unwrap() else {
            continue;
        };
        let said = format!("{:?}", packet.options);
        let full = u32::from(said.contains("dropped at h1: full"));
        if packet.data.len() != frame.len() {
            // Group frames that the host sends are flooded.
            of_others += full;
            continue;
        }
        queued += u32::from(said.contains("queued on h1, "));
        dropped += full;
    }
    // On a busy machine one or two may have left while the last ones arrived.
    assert!(queued + dropped == 20, "{queued} {dropped}");
    assert!(queued >= 5 - of_others.min(5), "{queued} {of_others}");
    assert_eq!(last["ports"]["h1"]["drops"]["full"], dropped + of_others);
}

#[test]
fn frames_that_are_wrong_are_counted_by_what_is_wrong_with_them() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 Mbps", "", "");
    let good = udp_frame(60, 0, 1);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = good.clone();
        change(&mut frame);
        frame
    };
    let frames = [
        with(&|f| f[24] ^= 1),
        with(&|f| {
            f.splice(12..12, [0x81, 0, 0, 5]);
        }),
        with(&|f| f[6] |= 1),
        with(&|f| f[17] = 200),
        with(&|f| f.truncate(20)),
        good.clone(),
    ];
    running.wiring.hosts[0].within(|| {
        let mut source = Source::open("eth0").unwrap();
        source.send(frames.iter().map(|f| &f[..]));
    });
    let all = frames.len() as u64;
    until("all came in", || for_one(&running.counters(), "h0") >= all);
    let counters = running.counters();
    let refused = &counters["ports"]["h0"]["refused"];
    let seen: Vec<String> = (refused.as_object().unwrap().iter())
        .filter(|(_, count)| count.as_u64() > Some(0))
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    assert_eq!(
        seen,
        ["bad_checksum 2", "group_source 1", "truncated 1", "vlan 1"]
    );
    // Group frames that the host sends are flooded.
    let count = |key: &str| counters["ports"]["h1"][key].as_u64().unwrap();
    assert_eq!(count("tx_frames") - count("copies"), 1, "{counters}");
}

#[test]
fn a_port_with_af_xdp_carries_traffic_and_falls_back_when_its_interface_is_made_anew() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start_with(wiring, "100 Mbps", "", "", |config| {
        config.replace("leads_to", "io = \"xdp\"\nleads_to")
    });
    running.says("port h0 uses AF_XDP (generic, copy)");
    for address in ["10.9.0.2", "fd09::2"] {
        assert!(
            reach(&running.wiring, 0, 1, address),
            "{}",
            running.counters()
        );
    }
    running.wiring.switch.ip("link del p1").unwrap();
    running.says("interface p1 is gone");
    running.wiring.plug(1).unwrap();
    running.says("interface p1 was recreated");
    assert!(
        reach(&running.wiring, 0, 1, "10.9.0.2"),
        "{}",
        running.counters()
    );
}

#[test]
fn random_frames_neither_end_a_switch_nor_get_lost_uncounted() {
    if wiring(0).is_none() {
        return;
    }
    let command = Path::new(env!("CARGO_BIN_EXE_sidestep"));
    let result = garbage(command, "packet", 100_000, 7).unwrap();
    assert!(
        result.wrong.is_empty(),
        "{:?}: {}",
        result.wrong,
        result.counters
    );
    let refused = &result.counters["ports"]["p0"]["refused"];
    for reason in [
        "bad_checksum",
        "bad_header",
        "vlan",
        "no_station",
        "group_source",
    ] {
        assert!(refused[reason].as_u64() > Some(0), "{reason}: {refused}");
    }
}

#[test]
fn below_the_paced_rate_no_frame_is_lost_and_above_it_the_soak_says_how_many() {
    if wiring(0).is_none() {
        return;
    }
    let command = Path::new(env!("CARGO_BIN_EXE_sidestep"));
    let run = |rounds, rate_bps, load| {
        let time = Duration::from_millis(600);
        let plan = SoakPlan {
            rounds,
            time,
            rate_bps,
            load,
        };
        let mut told = 0;
        let result = soak(command, "packet", plan, &mut |_| told += 1).unwrap();
        assert_eq!(told, rounds);
        result
    };
    // A low load: a machine without free processor time loses frames before the switch receives them.
    let slow = run(2, 100_000_000, 0.05);
    assert!(slow.wrong.is_empty(), "{:?}: {}", slow.wrong, slow.counters);
    for round in &slow.rounds {
        assert!(round.sent[0] > 0 && round.sent[1] > 0, "{round:?}");
        assert!(round.load() < 0.06, "{round:?}");
    }
    // The port sends 1,500 of them in a second and its queue holds 2,000: even a busy machine sends more than
    // that in 600 ms.
    let flooded = run(1, 1_000_000, 200.0);
    let full = |port: &str| {
        flooded.counters["ports"][port]["drops"]["full"]
            .as_u64()
            .unwrap()
    };
    let lost = flooded.rounds[0].lost;
    assert!(lost[0] > 0 && lost[1] > 0, "{:?}", flooded.rounds);
    assert!(full("p0") > 0 && full("p1") > 0, "{}", flooded.counters);
    for named in ["round 1, 64 bytes: lost", "p0: ", "p1: "] {
        let said = flooded.wrong.iter().any(|why| why.starts_with(named));
        assert!(said, "{named} in {:?}", flooded.wrong);
    }
}

#[test]
fn waiting_frames_are_not_charged_to_their_sender() {
    let Some(wiring) = wiring(2) else { return };
    let running = Running::start(wiring, "100 kbps", "capacity = \"100 pkt\"", "");
    assert_eq!(charged_to_sender(&running), 0, "bytes");
}
