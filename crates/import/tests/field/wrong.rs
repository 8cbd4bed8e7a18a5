//! Wrong captures and wrong flow records with the messages about them, in fixtures that read well.

use crate::build::End::{Client, Server};
use crate::build::{Capture, MICROS, NANOS, frame, header, record, tcp};
use crate::common::is_golden;
use crate::read;
use sidestep_import::{Format, Imported, Options, counted, import};

/// Returns the message about a file, or what was kept of it and what was said.
fn outcome(result: Result<Imported, String>) -> String {
    match result {
        Err(why) => {
            assert!(why.len() < 400, "{why}");
            format!("! {why}\n")
        }
        Ok(imported) => {
            let counts = imported.kept.iter().chain(&imported.dropped);
            let counts: Vec<String> = counts.map(|(what, many)| counted(*many, what)).collect();
            let common = [
                "A flow is",
                "Hosts are",
                "The last flow",
                "Times are",
                "Columns are",
                "Flows that a router",
                "Sizes are bytes of IP minus",
            ];
            let own = |note: &&String| !common.iter().any(|start| note.starts_with(start));
            let notes = imported
                .notes
                .iter()
                .filter(own)
                .map(|note| format!("  {note}\n"));
            format!("= {}\n{}", counts.join("; "), notes.collect::<String>())
        }
    }
}

/// Returns a capture with a good flow, and then the given frames.
fn after_a_flow(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut c = Capture::new();
    c.open(0);
    c.data(100, Client, 0, 300);
    frames.iter().for_each(|frame| c.frame(200, frame));
    c.bytes
}

/// Returns a frame with some bytes replaced.
fn patched(mut frame: Vec<u8>, at: usize, with: &[u8]) -> Vec<u8> {
    frame[at..at + with.len()].copy_from_slice(with);
    frame
}

/// Returns a block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = body.len().next_multiple_of(4);
    let length = (12 + padded) as u32;
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(body);
    bytes.resize(8 + padded, 0);
    bytes.extend(length.to_le_bytes());
    bytes
}

fn words(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns a section of pcapng with an interface of this link type, if any, and then blocks.
fn section(link: Option<u32>, blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = block(0x0a0d_0d0a, &words(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    bytes.extend(link.map_or(Vec::new(), |link| block(1, &words(&[link, 65_535]))));
    bytes.extend(blocks.concat());
    bytes
}

/// Returns an enhanced packet block of interface `on`.
fn enhanced(on: u32, frame: &[u8]) -> Vec<u8> {
    let length = frame.len() as u32;
    let mut body = words(&[on, 0, 5_000_000, length, length]);
    body.extend(frame);
    block(6, &body)
}

fn good() -> Vec<u8> {
    frame(6, 1, 2, &tcp([40_000, 80], 1000, Some(1), "P", 500, 300))
}

/// Returns captures whose shape is wrong.
fn shapes() -> Vec<(&'static str, Vec<u8>)> {
    let whole = after_a_flow(&[]);
    let head = |magic, link| header(magic, link);
    let with = |mut bytes: Vec<u8>, more: &[u8]| {
        bytes.extend(more);
        bytes
    };
    let one = record(0, &good(), good().len());
    let link = |link| with(head(NANOS, link), &one);
    vec![
        ("only the magic number", NANOS.to_vec()),
        ("half a header", whole[..12].to_vec()),
        ("a header and nothing else", head(NANOS, 1)),
        ("half a record header", with(head(MICROS, 1), &one[..9])),
        (
            "a record without its packet",
            with(head(MICROS, 1), &one[..16]),
        ),
        ("cut within the first packet", whole[..60].to_vec()),
        (
            "cut within the last packet",
            whole[..whole.len() - 7].to_vec(),
        ),
        (
            "a record longer than the file",
            with(head(NANOS, 1), &patched(one.clone(), 8, &[0, 0, 0, 1])),
        ),
        (
            "a record of 4 GiB",
            with(head(NANOS, 1), &patched(one.clone(), 8, &[255; 4])),
        ),
        (
            "more captured than was on the wire",
            with(head(NANOS, 1), &patched(one.clone(), 12, &[1, 0, 0, 0])),
        ),
        (
            "a fraction of more than a second",
            with(head(NANOS, 1), &patched(one.clone(), 4, &[255; 4])),
        ),
        (
            "garbage after the packets",
            with(whole.clone(), b"the end of this file is text"),
        ),
        ("two captures in one file", with(whole.clone(), &whole)),
        ("link type of Wi-Fi", link(105)),
        ("link type of USB", link(189)),
        ("link type of Bluetooth", link(201)),
        ("raw IP said, Ethernet given", link(101)),
        ("Linux cooked said, Ethernet given", link(113)),
        ("loopback said, Ethernet given", link(0)),
        (
            "snoop of Solaris",
            b"snoop\0\0\0\0\0\0\x02\0\0\0\x04".to_vec(),
        ),
        ("a gzip of a capture", vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
        (
            "packets as text of tcpdump",
            b"10:00:00.1 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1\n".to_vec(),
        ),
        ("pcapng: only the kind of block", whole_ng()[..4].to_vec()),
        ("pcapng: half a section header", whole_ng()[..20].to_vec()),
        ("pcapng: no interface and no packet", section(None, &[])),
        ("pcapng: an interface and no packet", section(Some(1), &[])),
        (
            "pcapng: a packet of an interface that was not described",
            section(Some(1), &[enhanced(0, &good()), enhanced(7, &good())]),
        ),
        (
            "pcapng: a packet before any interface",
            section(None, &[enhanced(0, &good())]),
        ),
        (
            "pcapng: simple packets have no time",
            section(Some(1), &[enhanced(0, &good()), block(3, &words(&[4, 0]))]),
        ),
        (
            "pcapng: a wrong byte order",
            patched(whole_ng(), 8, &[1, 2, 3, 4]),
        ),
        (
            "pcapng: a block of length 0",
            with(
                section(Some(1), &[enhanced(0, &good())]),
                &words(&[6, 0, 0, 0]),
            ),
        ),
        (
            "pcapng: a block of 4 GiB",
            with(
                section(Some(1), &[enhanced(0, &good())]),
                &words(&[6, u32::MAX - 3, 0, 0]),
            ),
        ),
        (
            "pcapng: a length that is no multiple of 4",
            with(
                section(Some(1), &[enhanced(0, &good())]),
                &words(&[6, 33, 0, 0, 0, 0, 0, 0, 0]),
            ),
        ),
        ("pcapng: two lengths that differ", twisted()),
        (
            "pcapng: cut within a packet",
            whole_ng()[..whole_ng().len() - 40].to_vec(),
        ),
        (
            "pcapng: a link type that is not read",
            section(Some(147), &[enhanced(0, &good())]),
        ),
        (
            "pcapng: decryption secrets and no packet",
            section(Some(1), &[block(10, &words(&[0x544c_534b, 4, 0]))]),
        ),
    ]
}

fn whole_ng() -> Vec<u8> {
    section(Some(1), &[enhanced(0, &good())])
}

/// Returns a section whose last block has two lengths.
fn twisted() -> Vec<u8> {
    let mut bytes = section(Some(1), &[enhanced(0, &good()), enhanced(0, &good())]);
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&[64, 0, 0, 0]);
    bytes
}

/// Returns captures with a good flow and a packet that gives none.
fn packets() -> Vec<(&'static str, Vec<u8>)> {
    let segment = |flags, bytes| tcp([40_001, 80], 1000, Some(1), flags, 500, bytes);
    let fine = |flags, bytes| frame(6, 1, 2, &segment(flags, bytes));
    let one = |name, frame: Vec<u8>| (name, after_a_flow(&[frame]));
    vec![
        one("an empty frame", vec![]),
        one("half an Ethernet header", fine("", 9)[..9].to_vec()),
        one("an Ethernet header alone", fine("", 9)[..14].to_vec()),
        one("half an IP header", fine("", 9)[..24].to_vec()),
        one("half a TCP header", fine("", 9)[..44].to_vec()),
        one("ARP", patched(fine("", 9), 12, &[8, 6])),
        one("spanning tree", patched(fine("", 9), 12, &[0, 38])),
        one("IP of version 7", patched(fine("", 9), 14, &[0x75])),
        one("an IP header of 8 bytes", patched(fine("", 9), 14, &[0x42])),
        one(
            "an IP length shorter than the header",
            patched(fine("", 9), 16, &[0, 7]),
        ),
        one(
            "an IP length longer than the frame",
            patched(fine("", 9), 16, &[1, 0]),
        ),
        one("the first fragment", patched(fine("", 9), 20, &[0x20, 0])),
        one("a later fragment", patched(fine("", 9), 20, &[0, 9])),
        one("a TCP header of 4 bytes", patched(fine("", 9), 46, &[0x10])),
        one(
            "a TCP header longer than the packet",
            patched(fine("", 9), 46, &[0xf0]),
        ),
        one("UDP", frame(17, 1, 2, &[0, 53, 0, 53, 0, 8, 0, 0])),
        one("ICMP", frame(1, 1, 2, &[8, 0, 0, 0])),
        one("SCTP", frame(132, 1, 2, &[0; 12])),
        one(
            "a segment to its own sender",
            frame(6, 1, 1, &segment("", 5)),
        ),
        one("a RST of nobody", fine("R", 0)),
        one("a SYN alone", fine("S", 0)),
        ("only acknowledgements", {
            let mut c = Capture::new();
            c.open(0);
            c.ack(100, Client, 0);
            c.bytes
        }),
        ("only the answers' acknowledgements were captured", {
            let mut c = Capture::new();
            for i in 0..5 {
                c.ack(100 * i, Client, 1460 * i as u32);
            }
            c.flagged(600, Server, 0, 0, "F");
            c.bytes
        }),
    ]
}

#[test]
fn a_wrong_capture_is_refused_or_its_rest_is_kept_and_told() {
    let mut text =
        String::from("# Wrong captures: `!` the error, `=` what was kept of the file.\n");
    let all = [shapes(), packets()].concat();
    assert!(all.len() >= 50);
    for (name, bytes) in all {
        let said = read("c.pcap", &bytes, &Options::new());
        text.push_str(&format!("\n{name}\n{}", outcome(said)));
    }
    is_golden("wrong-captures.txt", &text);
}

const NFDUMP: &str = "ts,sa,da,pr,ipkt,ibyt\n2026-01-01 00:00:00,10.0.0.1,10.0.0.2,6,2,1080\n";
const IPFIX: &str = "flowStartMilliseconds,sourceIPv4Address,destinationIPv4Address,octetDeltaCount,\
                     packetDeltaCount\n1795332790000,10.0.0.1,10.0.0.2,1080,2\n";
const SILK: &str =
    "sIP|dIP|pro|packets|bytes|sTime|\n10.0.0.1|10.0.0.2|6|2|1080|2019/01/02T10:00:00|\n";
const ARGUS: &str = "StartTime,Proto,SrcAddr,DstAddr,TotPkts,TotBytes,SrcBytes\n\
                     2011/08/10 09:46:53.04,tcp,10.0.0.1,10.0.0.2,4,1500,1300\n";
const ZEEK: &str = "#fields\tts\tid.orig_h\tid.resp_h\tproto\torig_bytes\tresp_bytes\n\
                    1609459200.1\t10.0.0.1\t10.0.0.2\ttcp\t1000\t0\n";
const VPC: &str =
    "2 1 eni-1 10.0.0.1 10.0.0.2 40000 443 6 10 14600 1609459200 1609459260 ACCEPT OK\n";
const NPROBE: &str = "IPV4_SRC_ADDR,IPV4_DST_ADDR,IN_PKTS,IN_BYTES,FIRST_SWITCHED\n\
                      10.0.0.1,10.0.0.2,2,1080,1609459200\n";
const GOFLOW: &str = "time_flow_start_ns,src_addr,dst_addr,bytes,packets,sampling_rate\n\
                      1709065965800218079,10.0.0.1,10.0.0.2,1080,2,1\n";

/// Changes of good files: the file, what is replaced, and by what.
const CHANGES: &[(&str, &str, &str)] = &[
    (NFDUMP, "ts,", "when,"),
    (NFDUMP, "sa,", "from_whom,"),
    (NFDUMP, "da,", "to_whom,"),
    (NFDUMP, "ibyt", "load"),
    (NFDUMP, "2026-01-01 00:00:00", "01/02/2026 00:00"),
    (NFDUMP, "2026-01-01 00:00:00", "00:00:00.5"),
    (NFDUMP, "2026-01-01 00:00:00", "2026-02-32 00:00:00"),
    (NFDUMP, "2026-01-01 00:00:00", "1.7e9"),
    (NFDUMP, "10.0.0.1", "host-a"),
    (NFDUMP, "10.0.0.1", "10.0.0.1:443"),
    (NFDUMP, "10.0.0.1", "10.0.0.256"),
    (NFDUMP, "10.0.0.1", ""),
    (NFDUMP, "10.0.0.2", "10.0.0.1"),
    (NFDUMP, "1080", "-1"),
    (NFDUMP, "1080", "1.1 M"),
    (NFDUMP, "1080", "0x400"),
    (NFDUMP, "1080", ""),
    (NFDUMP, "1080", "99999999999999999999"),
    (NFDUMP, "1080", "80"),
    (NFDUMP, ",2,", ",many,"),
    (NFDUMP, ",6,", ",ICMP,"),
    (NFDUMP, ",6,2,1080", ""),
    (
        NFDUMP,
        "2026-01-01 00:00:00,10.0.0.1,10.0.0.2,6,2,1080\n",
        "",
    ),
    (
        NFDUMP,
        "2026-01-01 00:00:00,10.0.0.1,10.0.0.2,6,2,1080",
        "Summary",
    ),
    (NFDUMP, "ts,sa,da,pr,ipkt,ibyt", "ts;sa;da;pr;ipkt;ibyt"),
    (NFDUMP, "2026-01-01", "\"2026-01-01"),
    (IPFIX, "flowStartMilliseconds", "flowEndMilliseconds"),
    (IPFIX, "flowStartMilliseconds", "flowStartSysUpTime"),
    (IPFIX, "1795332790000", "soon"),
    (IPFIX, "sourceIPv4Address", "sourceMacAddress"),
    (IPFIX, "octetDeltaCount", "layer2OctetDeltaCount"),
    (IPFIX, "10.0.0.1", "167772161"),
    (IPFIX, "packetDeltaCount", "samplingProbability"),
    (SILK, "sTime", "eTime"),
    (SILK, "sIP|dIP", "sIP|nhIP"),
    (SILK, "10.0.0.1", "167772161"),
    (SILK, "2019/01/02T10:00:00", "20190102T10"),
    (SILK, "|2019/01/02T10:00:00|", ""),
    (ARGUS, ",SrcBytes", ",Rate"),
    (ARGUS, "StartTime", "LastTime"),
    (ARGUS, "2011/08/10 09:46:53.04", "09:46:53.04"),
    (ARGUS, "1300", "1300*"),
    (ZEEK, "orig_bytes\tresp_bytes", "query\tanswers"),
    (ZEEK, "#fields\tts", "#fields\tuid"),
    (ZEEK, "1609459200.1", "2021-01-01"),
    (ZEEK, "\t1000\t0", "\t-\t-"),
    (ZEEK, "10.0.0.1", "-"),
    (VPC, "1609459200 ", "soon "),
    (VPC, "ACCEPT", "REJECT"),
    (VPC, "ACCEPT OK", "- NODATA"),
    (NPROBE, "1609459200", "86400123"),
    (NPROBE, "FIRST_SWITCHED", "FLOW_DURATION_MILLISECONDS"),
    (NPROBE, "IPV4_DST_ADDR", "L7_PROTO"),
    (GOFLOW, ",1\n", ",sometimes\n"),
    (GOFLOW, ",1\n", ",1.5\n"),
    (GOFLOW, ",1\n", ",0\n"),
    (GOFLOW, "1709065965800218079", "-1"),
    (GOFLOW, "\n17", "\n{\"bytes\": 17}\n17"),
];

#[test]
fn wrong_flow_records_are_refused_or_their_rest_is_kept_and_told() {
    let mut text = String::from(
        "# Wrong flow records, as changes of good ones: `!` the error, `=` what was kept of the file.\n",
    );
    assert!(CHANGES.len() >= 50);
    for (good, from, to) in CHANGES {
        assert!(good.contains(from), "{from}");
        let changed = good.replacen(from, to, 1);
        let said = import(
            "r.csv",
            changed.as_bytes(),
            Format::Netflow,
            &Options::new(),
        );
        let (from, to) = (from.escape_debug(), to.escape_debug());
        text.push_str(&format!("\n{from} => {to}\n{}", outcome(said)));
    }
    is_golden("wrong-records.txt", &text);
}

#[test]
fn good_files_of_the_table_are_good() {
    for good in [NFDUMP, IPFIX, SILK, ARGUS, ZEEK, VPC, NPROBE, GOFLOW] {
        let imported = read("r.csv", good.as_bytes(), &Options::new());
        assert!(imported.is_ok(), "{imported:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_changed_bytes_of_captures_and_records_are_answered_without_a_panic(
        which in 0usize..10,
        changes in proptest::collection::vec((0usize..4000, 0u8..=255), 1..6),
    ) {
        let texts = [NFDUMP, IPFIX, SILK, ARGUS, ZEEK, VPC, NPROBE, GOFLOW];
        let mut bytes = match which {
            8 => after_a_flow(&[good(), good()]),
            9 => section(Some(1), &[enhanced(0, &good()), enhanced(0, &good())]),
            which => texts[which].as_bytes().to_vec(),
        };
        for (at, with) in changes {
            let at = at % bytes.len();
            bytes[at] = with;
        }
        for format in [Format::Netflow, Format::Pcap] {
            if let Err(said) = import("r", &bytes, format, &Options::new()) {
                proptest::prop_assert!(said.len() < 400, "{}", said);
            }
        }
    }
}
