//! Golden results of a small file of each format.

mod common;

use common::{fixtures, is_golden};
use sidestep_import::{Format, Hosts, Nodes, Options, counted, import};
use std::fs;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(name)).unwrap()
}

/// Returns the created files and the report as one text.
fn shown(file: &str, options: &Options) -> String {
    let bytes = bytes(file);
    let format = Format::of(&bytes).unwrap();
    let imported = import(file, &bytes, format, options).unwrap();
    let mut text = String::new();
    for (made, of) in &imported.files {
        text.push_str(&format!("== {}\n{of}", made.ending()));
    }
    for (word, all) in [
        ("read", &imported.read),
        ("kept", &imported.kept),
        ("dropped", &imported.dropped),
    ] {
        for (what, many) in all {
            text.push_str(&format!("{word}: {}\n", counted(*many, what)));
        }
    }
    text
}

/// Requires that the import of a file is the table `golden`.
fn is_imported(file: &str, golden: &str, options: &Options) {
    is_golden(golden, &shown(file, options));
}

fn options() -> Options {
    Options::new()
}

#[test]
fn each_format_comes_to_what_is_kept() {
    let by_port = Options {
        class_by_port: true,
        ..options()
    };
    let map = Hosts::read("m", b"address,host\n10.0.0.2,h7\n10.0.0.1,h1\n").unwrap();
    let mapped = Options {
        hosts: Some(map),
        udp: true,
        ..by_port.clone()
    };
    let nodes = Options {
        nodes: Some(Nodes::read("topology.txt", &bytes("topology.txt")).unwrap()),
        ..options()
    };
    let some = Options {
        drop_triggered: true,
        ..options()
    };
    is_imported("own.csv", "own.out", &options());
    is_imported("capture.pcap", "capture.out", &by_port);
    is_imported("nfdump.csv", "nfdump.out", &by_port);
    is_imported("nfdump.csv", "nfdump-mapped.out", &mapped);
    is_imported("ipfix.csv", "ipfix.out", &options());
    is_imported("flow.txt", "flow.out", &nodes);
    is_imported("topology.txt", "topology.out", &options());
    is_imported("incast.cm", "incast.out", &some);
    let queue = |queue: &str| Options {
        queue: Some(queue.into()),
        ..options()
    };
    is_imported("config_db.json", "sonic.out", &queue("0"));
    is_imported("config_db.json", "sonic-lossless.out", &queue("3"));
    is_imported("websearch.txt", "websearch.out", &options());
}

/// Returns the lines of the imported flow list, without comments.
fn listed(text: &str) -> Vec<String> {
    let imported = import("f", text.as_bytes(), Format::Csv, &options()).unwrap();
    let lines = imported.files[0].1.lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.map(String::from).collect()
}

#[test]
fn a_start_may_be_a_date_a_time_or_a_number_since_1970() {
    let of = |header: &str, one: &str, two: &str| {
        listed(&format!(
            "{header},src,dst,size\n{one},a,b,1\n{two},a,b,1\n"
        ))[2]
            .clone()
    };
    let later = "1500,h0,h1,1 B";
    assert_eq!(of("time", "1763712000.0005", "1763712000.002"), later);
    assert_eq!(of("ts", "1763712000000.5", "1763712000002"), later);
    assert_eq!(of("time", "1763712000000500", "1763712000002000"), later);
    assert_eq!(
        of("time", "1763712000000500000", "1763712000002000000"),
        later
    );
    assert_eq!(of("Start", "0.5 ms", "2 ms"), later);
    assert_eq!(of("start (ms)", "0.5", "2"), later);
    assert_eq!(of("Timestamp_us", "500", "2e3"), later);
    assert_eq!(
        of(
            "time",
            "2026-01-01 00:00:00.0005",
            "2026-01-01T00:00:00.002Z"
        ),
        later
    );
}

#[test]
fn hosts_that_have_numbers_keep_them_and_names_may_be_mapped() {
    let text = "start_us,src,dst,size\n7,h3,h12,64 kB\n";
    assert_eq!(listed(text)[1], "0,h3,h12,64000 B");
    let text = "start_us,src,dst,size\n7,h3,db,64 KiB\n";
    assert_eq!(listed(text)[1], "0,h1,h0,65536 B");
    let map = Hosts::read("m", b"address,host\ndb,h9\n10.0.0.0/8,h2\n").unwrap();
    let mapped = Options {
        hosts: Some(map),
        ..options()
    };
    let text = "start_us,src,dst,size\n7,10.0.0.1,db,1\n8,web,db,1\n";
    let imported = import("f", text.as_bytes(), Format::Csv, &mapped).unwrap();
    assert!(imported.files[0].1.ends_with("\n0,h2,h9,1 B\n"));
    let left = "rows with an address that is not in the map";
    assert_eq!(imported.dropped, [(left.to_string(), 1)]);
}

#[test]
fn both_kinds_of_capture_come_to_the_same() {
    let (one, two) = (
        shown("capture.pcap", &options()),
        shown("capture.pcapng", &options()),
    );
    assert_eq!(one, two.replace("capture.pcapng", "capture.pcap"));
}

#[test]
fn a_named_profile_is_taken_and_an_unknown_one_refused() {
    let of = |name: &str| Options {
        profile: Some(name.into()),
        ..options()
    };
    let said = shown("config_db.json", &of("egress_lossy_profile"));
    assert!(
        said.contains("alpha = \"1/2\" # 2^-1, dynamic_th\n"),
        "{said}"
    );
    let bytes = bytes("config_db.json");
    let wrong = import("c.json", &bytes, Format::Sonic, &of("x")).unwrap_err();
    let expected = "c.json: BUFFER_PROFILE: expected --profile with one of \
                    \"egress_lossless_profile\", \"egress_lossy_profile\", got \"x\"";
    assert_eq!(wrong, expected);
}

#[test]
fn a_capture_that_ends_within_a_packet_keeps_what_stands_before() {
    for file in ["capture.pcap", "capture.pcapng"] {
        let bytes = bytes(file);
        for cut in [bytes.len() - 1, bytes.len() - 60, bytes.len() / 2] {
            let imported = import("c", &bytes[..cut], Format::Pcap, &options()).unwrap();
            let said = imported
                .notes
                .iter()
                .any(|note| note.starts_with("The capture ends within packet"));
            assert!(said, "{file} {cut}: {:?}", imported.notes);
        }
        let none = import("c", &bytes[..30], Format::Pcap, &options()).unwrap_err();
        assert!(none.starts_with("c:") && none.len() < 100, "{none}");
    }
}

fn refused(format: Format, text: &str) -> String {
    import("f", text.as_bytes(), format, &options()).unwrap_err()
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_shortly() {
    use Format::{Csv, HpccFlows, HpccTopology, Htsim, Netflow, Sonic};
    let cases = [
        (
            Csv,
            "when,src,dst,size\n",
            "f:1: expected a column of starts: start, time or timestamp; start_ms names a unit, got \"when,src,dst,size\" \
             (--columns start=NAME,src=NAME,dst=NAME,size=NAME names columns)",
        ),
        (
            Csv,
            "start,src,to_whom,size\n",
            "f:1: expected a column of destinations: dst, dest or dst_ip, got \"start,src,to_whom,size\" \
             (--columns start=NAME,src=NAME,dst=NAME,size=NAME names columns)",
        ),
        (
            Csv,
            "start,src,dst,size,bytes\n",
            "f:1: expected one column each for start, source, destination, size, class and group, \
             got \"start,src,dst,size,bytes\" (--columns chooses)",
        ),
        (
            Csv,
            "start,start_s,src,dst,size\n",
            "f:1: expected one column of starts, got \"start,start_s,src,dst,size\" (--columns chooses)",
        ),
        (
            Csv,
            "start,src,dst,size\n5,a,b,1\n",
            "f:2: expected a date with a time like \"2026-09-01 10:00:05\", a time with a unit like \"1.5 ms\", or a number with its unit \
             in the header (start_us) or in --columns (start_us=NAME), got \"5\"",
        ),
        (
            Csv,
            "start_us,src,dst,size\n-5,a,b,1\n",
            "f:2: expected a number of at least 0, got \"-5\"",
        ),
        (
            Csv,
            "start_us,src,dst,size\n5,a,10.0.0,1\n",
            "f:2: expected an address or a name of letters, digits, '.', '-' and '_', got \"10.0.0\"",
        ),
        (
            Csv,
            "start_us,src,dst,size\n5,a\n",
            "f:2: expected at least 4 cells, as in the header, got 2",
        ),
        (
            Csv,
            "start_us,src,dst,size\n5,a,b,1.5\n",
            "f:2: expected a whole number of bytes, or a size like \"64 kB\", got \"1.5\"",
        ),
        (
            Csv,
            "start_us,src,dst,size,app\n5,a,b,1,\"x,y\"\n",
            "f:2: expected a class of at most 64 characters, without commas, quotes and #, got \"x,y\"",
        ),
        (
            HpccFlows,
            "x\n",
            "f:1: expected the number of flows, got \"x\"",
        ),
        (
            HpccFlows,
            "2\n1 2 3 100 5000 2\n",
            "f:2: expected 2 flows, as line 1 says, got 1",
        ),
        (
            HpccFlows,
            "1\n1 2 3\n",
            "f:2: expected src dst pg dport bytes start, or src dst pg bytes start (--columns names other \
             fields), got \"1 2 3\"",
        ),
        (
            HpccFlows,
            "1\n1 2 3 1 -5 2\n",
            "f:2: expected a whole number of bytes, got \"-5\"",
        ),
        (
            HpccFlows,
            "1\n1 2 3 1 5 soon\n",
            "f:2: expected a start in seconds, got \"soon\"",
        ),
        (
            HpccTopology,
            "2 1\n",
            "f:1: expected three numbers (nodes, switches, links), four (with switches of racks third) or \
             six (with two rates last), got \"2 1\"",
        ),
        (
            HpccTopology,
            "3 1 2\n9\n",
            "f:2: expected 1 switches, each once, from 0 to 2, got \"9\"",
        ),
        (
            HpccTopology,
            "3 1 2\n0\n0 1 1Gbps 1us 0\n",
            "f:3: expected 2 links, as the first line says, got 1",
        ),
        (
            HpccTopology,
            "3 1 2\n0\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
            "f:4: expected a link between two switches, or a host and a switch, got \"1 2 1Gbps 1us 0\"",
        ),
        (
            HpccTopology,
            "3 1 2\n0\n0 1 1Gbps 1us 0\n1 0 1Gbps 1us 0\n",
            "f:4: expected one link of node 1, a host (Sidestep's hosts have one NIC), got a second one (the first is on line 3)",
        ),
        (
            HpccTopology,
            "3 1 1\n0\n0 1 1Gbps 1us 0\n",
            "f:3: expected a link for every host, got none for node 2",
        ),
        (
            HpccTopology,
            "2 1 1\n0\n0 1 1Gbps soon 0\n",
            "f:3: expected a delay like 0.001ms, got \"soon\"",
        ),
        (
            HpccTopology,
            "2 1 1\n0\n0 1 fast 1us 0\n",
            "f:3: expected a rate like 100Gbps, got \"fast\"",
        ),
        (
            Htsim,
            "Connections 1\n0->1 start 0 size 1\n",
            "f:2: expected a line \"Nodes N\" before the first connection, got \"0->1 start 0 size 1\"",
        ),
        (
            Htsim,
            "Nodes 2\nConnections 2\n0->1 start 0 size 1\n",
            "f:3: expected 2 connections, as the header says, got 1",
        ),
        (
            Htsim,
            "Nodes 2\nConnections 1\n0->5 start 0 size 1\n",
            "f:3: expected a node below 2, as Nodes says, got \"5\"",
        ),
        (
            Htsim,
            "Nodes 2\nConnections 1\n0->1 size 1\n",
            "f:3: expected a start or a trigger, got \"0->1 size 1\"",
        ),
        (
            Htsim,
            "Nodes 2\nConnections 1\n0->1 start 0.5 size 1\n",
            "f:3: expected a start in whole picoseconds (for one in microseconds: --columns \
             start_us=start), got \"0.5\"",
        ),
        (
            Htsim,
            "Nodes 2\nConnections 1\n0->1 id 1 trigger 4 size 1\n",
            "f:3: expected a connection with a start: a flow list cannot wait for a trigger \
             (--drop-triggered leaves such connections out), got one that waits for trigger 4",
        ),
        (
            Netflow,
            "",
            "f:1: expected a header with the names of columns, got nothing",
        ),
        (
            Netflow,
            "ts,sa,da,flg\n",
            "f:1: expected a column of bytes of the source (flow records: ibyt, bytes, in_bytes, \
             octetDeltaCount, octets, …), got \"ts,sa,da,flg\"",
        ),
        (
            Netflow,
            "ts,sa,da,ibyt\n2026-01-01 00:00:00,10.0.0.1,x,1\n",
            "f:2: expected an address, got \"x\"",
        ),
        (
            Netflow,
            "ts,sa,da,ibyt\n170000,10.0.0.1,10.0.0.2,1\n",
            "f:2: expected a date with a time like 2026-09-01 10:00:05.123 or a Unix time of 10, 13, 16 or 19 \
             digits (for another number, name its unit in the header: start_ms), got \"170000\"",
        ),
        (
            Netflow,
            "ts,sa,da,ibyt\n2026-01-01 00:00:00,10.0.0.1,10.0.0.2,1.5\n",
            "f:2: expected a whole number below 2^64, got \"1.5\"",
        ),
        (
            Netflow,
            "ts,sa,da,ibyt\n2026-01-01 00:00:00,10.0.0.1\n",
            "f:2: expected at least 4 cells, as in the header, got 2",
        ),
        (
            Sonic,
            "{\n\"a\":",
            "f:2: expected JSON, as a config_db.json of SONiC is, but the file ends within it at column 4",
        ),
    ];
    for (format, text, expected) in cases {
        assert_eq!(refused(format, text), expected, "{text}");
    }
}

#[test]
fn a_line_of_20_megabytes_and_escape_codes_give_a_short_message() {
    let long = "9".repeat(20_000_000);
    for (_, format) in Format::ALL {
        for text in [
            long.clone(),
            format!("1\n{long}"),
            format!("\x1b[31m{}", &long[..60_000]),
        ] {
            let said = import("f", text.as_bytes(), format, &options()).unwrap_err();
            assert!(
                said.len() < 300 && !said.contains('\x1b'),
                "{format:?}: {said}"
            );
        }
    }
    let said = refused(Format::HpccFlows, &format!("1\n{long}"));
    assert_eq!(
        said,
        "f:2: expected a line of at most 65536 bytes, got 20000000 bytes"
    );
    let said = import("f", b"1\n\xff\xfe\n", Format::HpccFlows, &options()).unwrap_err();
    assert_eq!(said, "f:2: expected text in UTF-8, got other bytes");
}

#[test]
fn the_content_says_the_format() {
    for (file, format) in [
        ("capture.pcap", Format::Pcap),
        ("capture.pcapng", Format::Pcap),
        ("own.csv", Format::Csv),
        ("nfdump.csv", Format::Netflow),
        ("ipfix.csv", Format::Netflow),
        ("flow.txt", Format::HpccFlows),
        ("topology.txt", Format::HpccTopology),
        ("incast.cm", Format::Htsim),
        ("config_db.json", Format::Sonic),
        ("websearch.txt", Format::Cdf),
    ] {
        assert_eq!(Format::of(&bytes(file)), Some(format), "{file}");
    }
    for nothing in ["", "abc", "a,b,c\n1,2,3\n", "\n\n"] {
        assert_eq!(Format::of(nothing.as_bytes()), None, "{nothing:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_answered_without_a_panic(
        bytes: Vec<u8>,
        at in 0usize..2000,
        with: u8,
        which in 0usize..10,
    ) {
        let files = ["own.csv", "capture.pcap", "capture.pcapng", "nfdump.csv", "ipfix.csv", "flow.txt", "topology.txt", "incast.cm", "config_db.json", "websearch.txt"];
        let mut changed = self::bytes(files[which]);
        let at = at % changed.len();
        changed[at] = with;
        for (_, format) in Format::ALL {
            let _ = import("f", &bytes, format, &options());
            if let Err(said) = import("f", &changed, format, &options()) {
                let short = said.lines().count() < 20 && said.lines().all(|line| line.len() < 400);
                proptest::prop_assert!(short, "{said}");
            }
        }
    }
}
