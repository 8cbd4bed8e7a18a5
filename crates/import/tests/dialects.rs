//! Dialects of other tools: each is read with the right values, or refused by its name.

use sidestep_import::{Columns, Format, Imported, Options, OutputKind, import};

/// Packets of a size of 1000 B, and columns by hand if there are any.
fn with(columns: &str, packet: Option<u64>) -> Options {
    Options {
        columns: (!columns.is_empty()).then(|| Columns::read(columns).unwrap()),
        packet,
        keep_times: true,
        ..Options::new()
    }
}

/// Imports a file as the command does.
fn imported(text: &str, options: &Options) -> Result<Imported, String> {
    let format = Format::detect("f", text.as_bytes(), options)?;
    import("f", text.as_bytes(), format, options)
}

/// Returns the rows of the file made, without comments and header.
fn rows(text: &str, options: &Options) -> Vec<String> {
    let made = imported(text, options).unwrap();
    let lines = made.files[0]
        .1
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines.skip(1).map(String::from).collect()
}

fn refused(text: &str, options: &Options) -> String {
    imported(text, options).unwrap_err()
}

fn noted(text: &str, options: &Options, words: &str) {
    let made = imported(text, options).unwrap();
    let said = made.notes.iter().any(|note| note.contains(words));
    assert!(said, "{words}: {:?}", made.notes);
}

fn plain() -> Options {
    with("", None)
}

/// From a public simulator: `src dst priority packets start stop`.
const OLDER: &str = "2\n2 1 3 10000 2.0 9.5\n3 1 3 20000 2.25 9.5\n\nFirst line: how many\nsrc dst priority packets start stop\n";

#[test]
fn packets_with_a_start_and_a_stop_are_no_bytes_with_a_port() {
    let said = refused(OLDER, &plain());
    assert_eq!(
        said,
        "f:2: expected values that fit one order of fields, got values that fit \
         src,dst,pg,packets,start,stop and src,dst,pg,bytes,start,stop: choose with --columns; packets \
         need --packet 1000, the payload of one"
    );
    // 10 MB and 20 MB at 2 s and 2.25 s.
    let read = ["2000000,h2,h1,10000000 B", "2250000,h3,h1,20000000 B"];
    assert_eq!(rows(OLDER, &with("", Some(1000))), read);
    assert_eq!(
        rows(OLDER, &with("src,dst,pg,packets,start,stop", Some(1000))),
        read
    );
    let bytes = ["2000000,h2,h1,10000 B", "2250000,h3,h1,20000 B"];
    assert_eq!(
        rows(OLDER, &with("src,dst,pg,bytes,start,stop", None)),
        bytes
    );
    noted(OLDER, &with("", Some(1000)), "of 1000 B of payload each");
    noted(OLDER, &with("", Some(1000)), "Stop times are not used");
}

#[test]
fn each_order_of_fields_of_a_flow_list_has_one_reading_or_none() {
    // HPCC, with a port.
    let hpcc = "1\n2 1 3 100 200000000 2.000000001\n";
    assert_eq!(rows(hpcc, &plain()), ["2000000.001,h2,h1,200000000 B"]);
    noted(
        hpcc,
        &plain(),
        "Fields are read as src,dst,pg,dport,bytes,start: the form of HPCC, since field 5",
    );
    // Sizes in scientific form are whole.
    assert_eq!(
        rows("1\n0 1 3 10000 1e12 0.1\n", &plain()),
        ["100000,h0,h1,1000000000000 B"]
    );
    // ConWeave, without a port.
    let conweave = "2\n0 5 3 2500 2.0\n7 5 3 64000 2.000001\n";
    assert_eq!(
        rows(conweave, &plain()),
        ["2000000,h0,h5,2500 B", "2000001,h7,h5,64000 B"]
    );
    noted(
        conweave,
        &plain(),
        "src,dst,pg,bytes,start: the form of ConWeave",
    );
    // A port instead of a priority.
    let ports = "2\n0 5 100 2500 2.0\n7 5 101 64000 2.5\n";
    assert_eq!(
        rows(ports, &plain()),
        ["2000000,h0,h5,2500 B", "2500000,h7,h5,64000 B"]
    );
    noted(ports, &plain(), "src,dst,dport,bytes,start");
    // A source port too: no known order, so by hand.
    let seven = "1\n3 1000 4 2000 30000 1.5 9\n";
    assert!(refused(seven, &plain()).contains("--columns names other fields"));
    let by_hand = with("src,-,dst,dport,bytes,start,stop", None);
    assert_eq!(rows(seven, &by_hand), ["1500000,h3,h4,30000 B"]);
    // Four fields.
    let four = "1\n3 4 30000 1.5\n";
    assert_eq!(
        rows(four, &with("src,dst,bytes,start", None)),
        ["1500000,h3,h4,30000 B"]
    );
    // Without a priority, a start and a stop.
    let stops = "1\n3 4 30 1.5 9\n";
    assert!(
        refused(stops, &plain()).starts_with("f:2: expected values that fit one order"),
        "{}",
        refused(stops, &plain())
    );
    assert_eq!(
        rows(stops, &with("src,dst,packets,start,stop", Some(1460))),
        ["1500000,h3,h4,43800 B"]
    );
}

/// As PowerTCP's fork writes it, and as SimAI does.
const FOUR: &str =
    "4 1 1 3\n3\n0 3 25000000000.0 1us 0\n1 3 25000000000.0 1us 0\n2 3 25000000000.0 1us 0\n";
const SIX: &str = "6 2 1 1 6 A100\n4 5\n0 4 2400Gbps 0.000025ms 0\n1 4 2400Gbps 0.000025ms 0\n2 4 2400Gbps 0.000025ms 0\n3 4 2400Gbps 0.000025ms 0\n0 5 100Gbps 0.0005ms 0\n1 5 100Gbps 0.0005ms 0\n";

#[test]
fn the_first_line_of_a_topology_names_its_dialect() {
    let links = [
        "h0,s3,25000000000 bps,1 us",
        "h1,s3,25000000000 bps,1 us",
        "h2,s3,25000000000 bps,1 us",
    ];
    assert_eq!(rows(FOUR, &plain()), links);
    noted(
        FOUR,
        &plain(),
        "switches of racks (not used, as in PowerTCP's simulator), links",
    );
    noted(
        FOUR,
        &plain(),
        "Rates without a unit are read as bits per second",
    );
    let simai = refused(SIX, &plain());
    assert_eq!(
        simai,
        "f:1: expected a topology whose hosts have one link, got a SimAI topology: hosts have an NVLink and a NIC"
    );
    // With the number of GPUs of a node.
    assert!(refused(&SIX.replace("A100", "H100 8"), &plain()).contains("a SimAI topology"));
    // HPCC's three numbers.
    let three = "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 1000ns 0\n";
    assert_eq!(
        rows(three, &plain()),
        ["h0,s2,100000000000 bps,1 us", "h1,s2,100000000000 bps,1 us"]
    );
    // Reverie's two rates, of which each link has its own.
    let reverie = "4 2 1 3 25000000000 10000000000\n2 3\n0 2 25000000000 2us 0\n1 2 25000000000 2us 0\n2 3 40000000000 2us 0\n";
    assert_eq!(rows(reverie, &plain())[2], "s2,s3,40000000000 bps,2 us");
    noted(reverie, &plain(), "as Reverie writes it");
    noted(
        reverie,
        &plain(),
        "1 link has another rate than the first line gives",
    );
    // The older simulator has no error rates, and text at the end.
    let older = "3 1 2\n0\n0 1 40Gbps 0.0001ms\n0 2 40Gbps 0.0001ms\n\nsrc0 dst0 rate delay\n";
    assert_eq!(
        rows(older, &plain()),
        [
            "s0,h0,40000000000 bps,0.1 us",
            "s0,h1,40000000000 bps,0.1 us"
        ]
    );
    noted(older, &plain(), "without an error rate");
    // A delay without a unit is in seconds in ns-3.
    let bare = "2 1 1\n0\n0 1 1Gbps 0.000002 0\n";
    assert_eq!(rows(bare, &plain()), ["s0,h0,1000000000 bps,2 us"]);
    noted(bare, &plain(), "Delays without a unit are read as seconds");
}

#[test]
fn a_message_of_a_connection_is_a_flow() {
    let numbers = "Nodes 2\nConnections 2\nTriggers 0\n0->1 id 1 msg start 0 size 40860\n0->1 id 1 msg 2 start 0 size 40860\n";
    assert_eq!(
        rows(numbers, &plain()),
        ["0,h0,h1,40860 B", "0,h0,h1,40860 B"]
    );
    noted(
        numbers,
        &plain(),
        "2 messages (msg) are read as a flow each",
    );
    noted(numbers, &plain(), "1 flow repeats another one");
    // The word stands anywhere after the nodes.
    for row in [
        "0->1 msg 7 id 1 start 5000000 size 9",
        "0->1 id 1 start 5000000 msg size 9",
        "0->1 id 1 start 5000000 size 9 msg",
        "0->1 id 1 start 5000000 size 9 msg 3",
    ] {
        let one = format!("Nodes 2\nConnections 1\n{row}\n");
        assert_eq!(rows(&one, &plain()), ["5,h0,h1,9 B"], "{row}");
    }
    let waits = "Nodes 2\nConnections 2\nTriggers 1\n0->1 id 1 msg start 0 size 7 send_done_trigger 1\n1->0 id 2 msg 1 trigger 1 size 8\ntrigger id 1 oneshot\n";
    let drop = Options {
        drop_triggered: true,
        ..plain()
    };
    assert_eq!(rows(waits, &drop), ["0,h0,h1,7 B"]);
}

/// Returns a matrix of two connections that set off a trigger, and of one that waits.
fn triggered(kind: &str, more: &str) -> String {
    format!(
        "Nodes 4\nConnections 4\nTriggers 1\n0->1 id 1 start 0 size 100000 send_done_trigger 1\n\
         0->2 id 2 start 0 size 100000 recv_done_trigger 1{more}\n0->3 id 3 trigger 1 size 100000\n\
         1->3 id 4 trigger 1 size 100000\ntrigger id 1 {kind}\n"
    )
}

#[test]
fn only_a_barrier_for_which_all_wait_makes_a_group() {
    let drop = Options {
        drop_triggered: true,
        ..plain()
    };
    let alone = ["0,h0,h1,100000 B", "0,h0,h2,100000 B"];
    assert_eq!(rows(&triggered("multishot", ""), &drop), alone);
    noted(
        &triggered("multishot", ""),
        &drop,
        "1 oneshot or multishot trigger makes no group: it fires at",
    );
    assert_eq!(rows(&triggered("oneshot", ""), &drop), alone);
    let group = ["0,h0,h1,100000 B,trigger 1", "0,h0,h2,100000 B,trigger 1"];
    assert_eq!(rows(&triggered("barrier count 2", ""), &drop), group);
    assert_eq!(rows(&triggered("count 2 barrier", ""), &drop), group);
    // It fires at the first, or waits for a third.
    for many in ["1", "3"] {
        let kind = format!("barrier count {many}");
        assert_eq!(rows(&triggered(&kind, ""), &drop), alone);
        noted(
            &triggered(&kind, ""),
            &drop,
            "1 barrier makes no group: it waits for",
        );
    }
    // The second connection sets it off at both of its ends.
    let twice = triggered("barrier count 3", " send_done_trigger 1");
    assert_eq!(rows(&twice, &drop), group);
    // A connection that waits sets it off too.
    let chain = triggered("barrier count 3", "").replace(
        "trigger 1 size 100000\n1",
        "trigger 1 size 100000 send_done_trigger 1\n1",
    );
    assert_eq!(rows(&chain, &drop), alone);
}

#[test]
fn a_start_with_a_point_is_of_picoseconds_or_of_microseconds() {
    let saved = "Nodes 2\nConnections 1\n0->1 start 10.000000 size 5\n";
    assert!(
        refused(saved, &plain()).contains("--columns start_us=start or start_ps=start chooses")
    );
    assert_eq!(rows(saved, &with("start_us=start", None)), ["10,h0,h1,5 B"]);
    assert_eq!(
        rows(saved, &with("start_ps=start", None)),
        ["0.00001,h0,h1,5 B"]
    );
    let zero = saved.replace("10.000000", "0.000000");
    assert_eq!(rows(&zero, &plain()), ["0,h0,h1,5 B"]);
}

#[test]
fn a_list_of_packets_is_no_list_of_flows() {
    let packets = [
        "\"No.\",\"Time\",\"Source\",\"Destination\",\"Protocol\",\"Length\",\"Info\"\n\"1\",\"2024-01-31 10:00:00.000000\",\"192.0.2.5\",\"198.51.100.7\",\"TCP\",\"1514\",\"40000 > 443\"\n",
        "frame.time_epoch,ip.src,ip.dst,frame.len\n1706695200.1,192.0.2.5,198.51.100.7,1514\n",
        "frame.number;frame.time_relative;ip.src;ip.dst;tcp.len\n1;0.0;192.0.2.5;198.51.100.7;1460\n",
        "time,src,dst,protocol,ttl,len\n1706695200.1,a,b,TCP,64,1514\n",
        "Packet No,Timestamp,Source IP,Destination IP,Protocol,Length,Flags\n1,1706695200.1,192.0.2.5,198.51.100.7,TCP,1514,PA\n",
    ];
    for text in packets {
        let said = refused(text, &plain());
        assert!(said.contains("one row a packet"), "{said}");
        assert!(said.contains("import the capture itself"), "{said}");
    }
    // A list of flows with such columns is one of flows.
    let flows = "start_us,src,dst,protocol,flags,bytes,packets\n5,a,b,TCP,PA,64000,44\n";
    assert_eq!(rows(flows, &plain()), ["5,h0,h1,64000 B"]);
    // By hand, a row is what the user says.
    let length = "start_us,src,dst,length\n5,a,b,64000\n";
    assert!(
        refused(length, &plain()).contains("--columns size=NAME takes lengths as sizes of flows")
    );
    assert_eq!(
        rows(length, &with("size=length", None)),
        ["5,h0,h1,64000 B"]
    );
}

#[test]
fn columns_are_named_by_hand_and_all_others_are_said() {
    let text = "begin,who,whom,octets,type,port\n1.5,a,b,64 KB,web,80\n2.5,b,a,2 KiB,db,81\n";
    let columns = with(
        "start_ms=begin,src=who,dst=whom,size=Octets,class=type",
        None,
    );
    assert_eq!(
        rows(text, &columns),
        ["1500,h0,h1,64000 B,web", "2500,h1,h0,2048 B,db"]
    );
    noted(
        text,
        &columns,
        "by --columns and by name: start \"begin\", source \"who\", destination \"whom\", size \"octets\", class \"type\"",
    );
    noted(text, &columns, "Columns not used: \"port\"");
    noted(text, &columns, "Starts are read in milliseconds");
    // A column called type is no class.
    let typed = "start_us,src,dst,size,type\n1,a,b,5,INIT\n";
    assert_eq!(rows(typed, &plain()), ["1,h0,h1,5 B"]);
    noted(typed, &plain(), "Columns not used: \"type\"");
    // A name by hand wins over one that is known.
    let two = "start_us,src,dst,bytes,payload\n1,a,b,5,4\n";
    assert_eq!(rows(two, &with("size=payload", None)), ["1,h0,h1,4 B"]);
    noted(
        two,
        &with("size=payload", None),
        "Columns not used: \"bytes\"",
    );
    // Netflow: sizes are of IP, with headers.
    let netflow = "begin,sa,da,octets,ipkt,pr\n2026-01-01 00:00:00,10.0.0.1,10.0.0.2,1040,1,TCP\n";
    let columns = Options {
        keep_times: false,
        ..with("start=begin,size=octets", None)
    };
    let made = import("f", netflow.as_bytes(), Format::Netflow, &columns).unwrap();
    assert!(
        made.files[0].1.ends_with(",h0,h1,1000 B\n"),
        "{}",
        made.files[0].1
    );
}

#[test]
fn repeated_rows_are_counted_and_kept() {
    let text = "start_us,src,dst,size\n1,a,b,5\n1,a,b,5\n2,a,b,5\n1,a,b,5\n";
    assert_eq!(rows(text, &plain()).len(), 4);
    noted(
        text,
        &plain(),
        "2 flows repeat another one in all columns that are read: kept",
    );
}

#[test]
fn sizes_of_other_tools_are_bytes_and_shares() {
    let hpcc = "0 0\n10000 15\n30000000 100\n";
    assert_eq!(rows(hpcc, &plain()), ["0,0", "10000,0.15", "30000000,1"]);
    noted(
        hpcc,
        &plain(),
        "Shares are read in percent: the last one is 100",
    );
    // 0.15 * 5000 + 0.85 * 15005000.
    noted(
        hpcc,
        &plain(),
        "The mean is 12755000.0 B with interpolation = \"linear\"",
    );
    let shares = "0     0\n10000 0.15\n30000000 1\n";
    assert_eq!(rows(shares, &plain()), ["0,0", "10000,0.15", "30000000,1"]);
    let packets = "6 1 0\n6 1 0.15\n20000 1 1\n";
    assert_eq!(
        rows(packets, &with("", Some(1460))),
        ["8760,0", "8760,0.15", "29200000,1"]
    );
    assert_eq!(
        rows(packets, &with("bytes,-,share", None)),
        ["6,0", "6,0.15", "20000,1"]
    );
    let said = refused(packets, &plain());
    assert!(
        said.contains("choose with --packet 1460 (the payload of one) or --columns bytes,-,share"),
        "{said}"
    );
    let homa = "1744.68\n1 0.025\n2 0.5\n3 0.75\n20000 1\n";
    assert_eq!(rows(homa, &with("", Some(1460)))[0], "1460,0.025");
    assert!(refused(homa, &plain()).contains("sizes that can be packets or bytes"));
    // 0.25 * 100 + 0.75 * 300 with steps, which is the mean of the first line.
    let steps = "250\n100 0.25\n300 1\n";
    assert_eq!(rows(steps, &plain()), ["100,0.25", "300,1"]);
    noted(
        steps,
        &plain(),
        "gives the mean 250, which is that of \"step\"",
    );
    for csv in [
        "size,cdf\n4000,0\n28589215,1\n",
        "4000,0\n28589215,1\n",
        "cdf;bytes\n0;4000\n1;28589215\n",
    ] {
        assert_eq!(rows(csv, &plain()), ["4000,0", "28589215,1"], "{csv}");
    }
    assert_eq!(
        rows("0 10\n0.5 20\n1 30\n", &plain()),
        ["10,0", "20,0.5", "30,1"]
    );
    // Of a percentile and its value, called cdf.
    let named = ",percentile,cdf\n0,0,0.0\n1,50,447.0\n2,100,86684378.0\n";
    let by_hand = with("bytes=cdf,percent=percentile", None);
    assert_eq!(rows(named, &by_hand), ["0,0", "447,0.5", "86684378,1"]);
    // All digits are kept.
    let digits = "3 0.064882623\n32 0.0973239345123456789\n36 1\n";
    assert_eq!(
        rows(digits, &plain()),
        ["3,0.064882623", "32,0.0973239345123456789", "36,1"]
    );
    assert_eq!(
        imported(hpcc, &plain()).unwrap().files[0].0,
        OutputKind::Sizes
    );
}

#[test]
fn known_formats_that_are_not_read_are_named_with_what_to_do() {
    let cases: [(&[u8], &str); 28] = [
        (
            b"num_ranks 2\n\nrank 0 {\nl1: send 10b to 1\n}\n",
            "a schedule in GOAL",
        ),
        (
            b"# a test\nNodes 16\nTiers 3\nPodsize 4\n\nTier 0\n",
            "a topology of htsim (.topo)",
        ),
        (
            b"<?xml version=\"1.0\"?>\n<graphml>\n",
            "a topology in GraphML",
        ),
        (b"<graphml xmlns=\"x\">\n", "a topology in GraphML"),
        (
            b"name: lab\n\ntopology:\n  nodes:\n    a:\n",
            "a lab of containerlab",
        ),
        (b"graph [\n  node [\n", "a topology in GML"),
        (b"graph net {\n a -- b\n}\n", "a graph of Graphviz"),
        (
            &[0x1f, 0x8b, 8, 0],
            "a gzip file, which is not read: unpack it first",
        ),
        (b"(\xb5/\xfd\0\0", "a zstd file"),
        (b"\xfd7zXZ\0\0", "an xz file"),
        (
            b"PAR1\x15\0",
            "a Parquet file, which is not read: make a CSV of it",
        ),
        (b"PK\x03\x04\0", "a ZIP archive or an XLSX workbook"),
        (b"\xff\xfet\0i\0m\0e\0,\0", "text in UTF-16"),
        (b"\xfe\xff\0t\0i", "text in UTF-16"),
        (
            b"{\"src\":\"a\",\"dst\":\"b\"}\n{\"src\":\"a\",\"dst\":\"b\"}\n",
            "flow records as JSON",
        ),
        (b"[{\"src\":\"a\",\"dst\":3}]", "flow records as JSON"),
        (
            b"\x0b\x0a\x050.0.4\x12\x02\x08\x01",
            "a Chakra execution trace",
        ),
        (
            b"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8\n",
            "a workload of ASTRA-sim",
        ),
        (
            b"topology: [ Ring ]\nnpus_count: [ 8 ]\n",
            "a network of ASTRA-sim",
        ),
        (
            b"12:34:56.789012 IP 10.0.0.1.443 > 10.0.0.2.5000: Flags [S], seq 1, length 0\n",
            "packets as text of tcpdump",
        ),
        (
            b"2024-01-31 12:34:56.7 IP6 ::1.443 > ::2.5000: Flags [.]\n",
            "packets as text of tcpdump",
        ),
        (
            "  1 0.000000 10.0.0.1 → 10.0.0.2 TCP 66 40000 → 443\n".as_bytes(),
            "packets as text of tcpdump or tshark",
        ),
        (b"snoop\0\0\0\0\0\0\x02\0\0\0\x04", "a capture of snoop"),
        (
            b"0b000101 0b000201 10000 100 200000 2000000000 17024 16890\n",
            "results of HPCC's ns-3",
        ),
        (
            b"sep=;\nstart_us;src;dst;size\n1;a;b;5\n",
            "a CSV with the line \"sep=\"",
        ),
        (
            b"ENABLE_QCN 1\n\nTOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\n",
            "a configuration of HPCC's ns-3",
        ),
        (
            b"server 192.168.1.1 5001\nreq_size_dist conf/DCTCP_CDF.txt\n",
            "a configuration of TrafficGenerator",
        ),
        (&[0xde, 0xad, 0xbe, 0xef, 1], "a file of SiLK"),
    ];
    for (bytes, words) in cases {
        assert_eq!(Format::of(bytes), None, "{words}");
        let said = Format::detect("f", bytes, &plain()).unwrap_err();
        let expected = format!("f: the file is {words}");
        assert!(said.starts_with(&expected) && said.len() < 400, "{said}");
        // The name is said too if the format is given.
        let said = import("f", bytes, Format::HpccFlows, &plain()).unwrap_err();
        assert!(said.starts_with(&expected), "{said}");
    }
    // Two records of ERF: 2023, Ethernet, 20 bytes each.
    let record = [
        0, 0, 0, 0, 0x80, 0x9d, 0x40, 0x65, 2, 4, 0, 20, 0, 0, 0, 4, 0, 0, 0, 0,
    ];
    let said = Format::detect("f", &[record, record].concat(), &plain()).unwrap_err();
    assert!(
        said.contains("a capture in ERF, which is not read: convert it: editcap"),
        "{said}"
    );
}

#[test]
fn only_an_object_with_tables_of_sonic_is_a_configuration_of_sonic() {
    for sonic in [
        "{\"BUFFER_POOL\": {}}",
        "\u{feff}{\n  \"DEVICE_METADATA\" : {}\n}",
        "{\"PORT\":{\"Ethernet0\":{}},\"WRED_PROFILE\":{}}",
        "{\"QUEUE\":{},\"BUFFER_PROFILE\":{}}",
    ] {
        assert_eq!(Format::of(sonic.as_bytes()), Some(Format::Sonic), "{sonic}");
    }
    for other in [
        "{\"a\": \"BUFFER_POOL\"}",
        "{\"buffer_pool\": {}}",
        "{\"event_type\":\"flow\"}",
        "[1, 2]",
    ] {
        assert_eq!(Format::of(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn a_matrix_of_sixty_thousand_triggers_is_read() {
    let many = 60_000;
    let mut text = format!("Nodes {}\nConnections {many}\nTriggers {many}\n", 2 * many);
    for i in 0..many {
        text += &format!(
            "{}->{} id {i} start {i} size 10 send_done_trigger {}\n",
            2 * i,
            2 * i + 1,
            i + 1
        );
    }
    for i in 0..many {
        text += &format!("trigger id {} oneshot\n", i + 1);
    }
    assert_eq!(rows(&text, &with("", None)).len(), many);
    noted(&text, &with("", None), "make no group");
}

#[test]
fn a_header_that_begins_like_a_word_of_another_format_is_a_csv() {
    let text = "MICROSECONDS,src,dst,bytes\n1,a,b,10\n";
    assert_eq!(
        rows(
            text,
            &with("start_us=MICROSECONDS,src=src,dst=dst,size=bytes", None)
        ),
        ["1,h0,h1,10 B"]
    );
    assert!(refused("MICRO\n3\n", &with("", None)).contains("ASTRA-sim"));
}

#[test]
fn merged_classes_do_not_join_a_class_of_the_same_name() {
    let mut text = "start_us,src,dst,size,class\n".to_string();
    for i in 0..120 {
        text += &format!(
            "{i},a,b,10,c{i}\n{i},a,b,10,other\n{i},b,a,10,c{}\n",
            i % 90
        );
    }
    let made = rows(&text, &with("", None));
    assert_eq!(
        made.iter().filter(|row| row.ends_with(",other")).count(),
        120
    );
    noted(&text, &with("", None), "merged into \"other_\"");
}

#[test]
fn a_separator_does_not_change_a_table_and_names_of_hosts_are_each_their_own() {
    let records = "start,srcaddr,dstaddr,bytes,packets,protocol\n2026-09-01 10:00:00.1,10.0.0.1,10.0.0.2,14600,10,6\n";
    for mark in [",", ";", "\t", "|"] {
        let made = rows(&records.replace(',', mark), &Options::new());
        assert_eq!(made, ["0,h0,h1,14200 B"], "{mark:?}");
    }
    let own = "start_us,src,dst,size,app\n5,a,b,10,x\n";
    for mark in [",", ";", "\t", "|"] {
        let made = rows(&own.replace(',', mark), &Options::new());
        assert_eq!(made, ["0,h0,h1,10 B,x"], "{mark:?}");
    }
    let list = |last: &str| format!("start_us,src,dst,size\n0,h0,h1,10\n1,h1,{last},10\n");
    assert_eq!(
        rows(&list("h3"), &Options::new()),
        ["0,h0,h1,10 B", "1,h1,h3,10 B"]
    );
    // A zero before the number makes it a name like any other.
    assert_eq!(
        rows(&list("h03"), &Options::new()),
        ["0,h0,h1,10 B", "1,h1,h2,10 B"]
    );
    let why = refused(&list("h2000000"), &Options::new());
    assert!(
        why.contains("expected a host of at most h1048575") && why.contains("f:3:"),
        "{why}"
    );
}

#[test]
fn bytes_are_not_multiplied_by_the_size_of_a_packet() {
    let cdf = "bytes,cdf\n1000,0.5\n30000,1\n";
    assert_eq!(rows(cdf, &with("", None))[1], "30000,1");
    let why = refused(cdf, &with("", Some(1460)));
    assert!(
        why.contains("--packet: expected a column of packets, got \"bytes\""),
        "{why}"
    );
}

#[test]
fn a_size_has_the_unit_of_its_column_name() {
    let text = |size: &str, cell: &str| format!("start_us,src,dst,{size}\n0,h0,h1,{cell}\n");
    for (size, cell, bytes) in [
        ("size_kb", "10", 10_000),
        ("size (MB)", "0.5", 500_000),
        ("sizeKiB", "1.5", 1_536),
        ("size_bits", "80", 10),
        ("size_bytes", "80", 80),
    ] {
        let row = [format!("0,h0,h1,{bytes} B")];
        assert_eq!(rows(&text(size, cell), &plain()), row, "{size}");
        let by_hand = with(&format!("size={size}"), None);
        assert_eq!(rows(&text(size, cell), &by_hand), row, "{size}");
    }
    noted(
        &text("size_kb", "10"),
        &plain(),
        "Sizes are read in kb (1000 bytes), by the column's name",
    );
    for (size, columns, bytes) in [
        ("KiB", "size=KiB", 10_240),
        ("bits", "size=bits", 10),
        ("volume", "size_kb=volume", 10_000),
        ("volume", "size_mib=volume", 10 << 20),
        ("volume", "size=volume", 10),
        ("volume", "start_us=start_us,size=volume", 10),
    ] {
        let cell = if size == "bits" { "80" } else { "10" };
        let row = [format!("0,h0,h1,{bytes} B")];
        assert_eq!(
            rows(&text(size, cell), &with(columns, None)),
            row,
            "{columns}"
        );
    }
    for (size, columns) in [
        ("packets", "size=packets"),
        ("size_pkts", "size=size_pkts"),
        ("size (Mb)", "size=size (Mb)"),
        ("Mbps", "size=Mbps"),
        ("size (furlongs)", "size=size (furlongs)"),
    ] {
        let said = refused(&text(size, "10"), &with(columns, None));
        assert!(
            said.contains("expected a column of sizes in bytes, bits, kb"),
            "{said}"
        );
    }
    let said = refused(&text("size_bits", "81"), &plain());
    assert!(
        said.starts_with("f:2: expected a whole number of bytes, in bits by the column's name"),
        "{said}"
    );
    // Ten digits look like seconds since 1970, and the name says microseconds.
    let begins = "begin_us,src,dst,size\n1542110377,h0,h1,9\n";
    let row = ["1542110377,h0,h1,9 B"];
    assert_eq!(rows(begins, &with("start=begin_us", None)), row);
    let records = "begin_us,src_addr,dst_addr,octets\n1542110377,10.0.0.1,10.0.0.2,9\n";
    let read = import(
        "f",
        records.as_bytes(),
        Format::Netflow,
        &with("start=begin_us", None),
    );
    assert!(
        read.unwrap().files[0]
            .1
            .contains("\n1542110377,h0,h1,9 B\n")
    );
    // The kinds that count bytes only.
    let records = "start_s,src_addr,dst_addr,kilobytes,packets\n0,10.0.0.1,10.0.0.2,10,3\n";
    let said = import(
        "f",
        records.as_bytes(),
        Format::Netflow,
        &with("size=kilobytes", None),
    )
    .unwrap_err();
    assert!(
        said.contains("got size_kb=kilobytes: --from csv reads other units"),
        "{said}"
    );
    let said = refused("kb,cdf\n10,0.5\n20,1\n", &with("bytes=kb,share=cdf", None));
    assert!(said.contains("got \"kb\" in kb (1000 bytes)"), "{said}");
}

#[test]
fn fields_in_their_order_read_a_list_without_a_header() {
    let nsg = "1542110377,10.0.0.4,13.67.143.118,44931,443,T,25000\n1542110378,10.0.0.5,10.0.0.4,44932,443,T,9\n";
    let said = refused(nsg, &plain());
    assert!(
        said.contains("the file has no header: put a line like start_s,src,dst,size above"),
        "{said}"
    );
    let said = import("f", nsg.as_bytes(), Format::Csv, &plain()).unwrap_err();
    assert!(
        said.contains("the file has no header: put a line like start_s,src,dst,size above"),
        "{said}"
    );
    let options = Options {
        keep_times: false,
        ..with("start_s,src,dst,-,-,-,size", None)
    };
    // 10.0.0.4, 10.0.0.5 and 13.67.143.118 in their order.
    assert_eq!(
        rows(nsg, &options),
        ["0,h0,h2,25000 B", "1000000,h1,h0,9 B"]
    );
    noted(
        nsg,
        &options,
        "Columns are read by their order in --columns",
    );
    let kb = Options {
        keep_times: false,
        ..with("start_s,src,dst,-,-,-,size_kb", None)
    };
    assert_eq!(rows(nsg, &kb)[1], "1000000,h1,h0,9000 B");
    // Numbers alone look like other formats.
    assert_eq!(
        rows("1,2,3,0.5\n2,3,4,1\n", &with("size,src,dst,start_s", None)).len(),
        2
    );
    let said = refused(nsg, &with("start_s,src,dst,size", None));
    assert!(
        said.starts_with("--columns: expected 7 fields, one for each column of line 1"),
        "{said}"
    );
    let said = refused(
        "begin,src,dst,size\n1,a,b,1\n",
        &with("start_s,src,dst,size", None),
    );
    assert!(said.contains("since the file names its columns"), "{said}");
    assert!(
        Columns::read("start")
            .unwrap_err()
            .ends_with("got one word \"start\"")
    );
}

#[test]
fn a_table_with_unknown_names_is_told_which_fields_lack_a_column() {
    let unsw = "srcip,sport,dstip,dsport,proto,state,dur,sbytes,dbytes,Stime,Ltime\n\
                59.166.0.0,1390,149.171.126.6,53,udp,CON,0.001,132,164,1421927414,1421927414\n";
    let said = refused(unsw, &plain());
    assert!(
        said.starts_with(
            "f: the format cannot be detected; it looks like a CSV of flows, in which src is \"srcip\", dst is \
             \"dstip\": name the other columns with --columns start=NAME,size=NAME (perhaps start \"Stime\" or \
             \"Ltime\", size \"sbytes\" or \"dbytes\")"
        ),
        "{said}"
    );
    let options = Options {
        keep_times: false,
        ..with("start=Stime,size=sbytes", None)
    };
    assert_eq!(rows(unsw, &options), ["0,h0,h1,132 B"]);
    let wireshark = "\"Address A\",\"Port A\",\"Address B\",\"Port B\",\"Packets\",\"Bytes\",\"Bytes A → B\",\"Rel Start\"\n\
                     10.0.0.1,1,10.0.0.2,2,3,400,200,0.5\n";
    let said = refused(wireshark, &plain());
    assert!(
        said.contains(
            "size is \"Bytes\": name the other columns with --columns start=NAME,src=NAME,dst=NAME (perhaps \
             start \"Rel Start\", src \"Address A\", dst \"Address B\")"
        ),
        "{said}"
    );
    let nfdump = "Date first seen          Event  XEvent Proto      Src IP Addr:Port          Dst IP Addr:Port\n";
    let said = refused(nfdump, &plain());
    assert!(
        said.ends_with("nfdump's text, which is not read: write it as CSV: nfdump -r FILE -o csv"),
        "{said}"
    );
    let zeek = "#fields\tts\tid.orig_h\tid.resp_h\tproto\torig_bytes\tresp_bytes\n";
    assert_eq!(
        refused(zeek, &plain()),
        "f:1: expected records below the header, got none"
    );
}

#[test]
fn json_that_is_not_read_is_told_by_what_it_is() {
    let said = |text: &str| refused(text, &plain());
    let dump =
        "{\"BUFFER_PROFILE|egress_lossy_profile\": {\"type\": \"hash\"}, \"PORT|Ethernet0\": {}}";
    assert!(
        said(dump)
            .contains("got a database dump with keys like TABLE|name: export the configuration")
    );
    let by_hand = import("f", dump.as_bytes(), Format::Sonic, &plain()).unwrap_err();
    assert!(
        by_hand.contains("got a database dump with keys like TABLE|name"),
        "{by_hand}"
    );
    for text in [
        "{\"PORT\": {\"Ethernet0\": {}}, \"VLAN\": {}}",
        "{\"PORT\": {\"Ethernet0\": {}}, \"DEVICE_METADATA\": {}}",
    ] {
        let said = said(text);
        assert!(
            said.contains("got a configuration without tables of buffers (it has \""),
            "{said}"
        );
    }
    assert_eq!(
        said("{\n \"a\": 1,\n \"b\": }"),
        "f:3: expected JSON, but it is broken at column 7"
    );
    assert!(said("{\n \"a\": [1,").starts_with("f:2: expected JSON, but the file ends within it"));
    for empty in ["[]", "{}", " [ ]\n"] {
        assert!(said(empty).ends_with("got empty JSON"), "{}", said(empty));
    }
    let other = said("{\"colour\": \"red\", \"shape\": 3}");
    assert!(
        other.contains("got JSON with the keys \"colour\", \"shape\": the only JSON read"),
        "{other}"
    );
    let records = said("[{\"begin\": 1, \"srcHost\": \"a\", \"dstHost\": \"b\", \"bytes\": 3}]");
    assert!(records.contains("jq -r"), "{records}");
}

#[test]
fn shares_that_end_below_the_whole_are_told() {
    for (text, end) in [
        ("1000 10\n2000 50\n9000 97\n", "97"),
        ("1000 0.1\n2000 0.5\n9000 0.97\n", "0.97"),
        ("size,cdf\n1000,10\n2000,50\n9000,97\n", "97"),
    ] {
        let said = refused(text, &plain());
        assert!(
            said.ends_with(&format!("the shares end at {end}: expected 1 or 100")),
            "{said}"
        );
    }
}
