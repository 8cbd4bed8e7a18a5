//! Flow records of several collectors with their right flows, sampling, and the grain of starts.

use crate::{count, read, rows};
use sidestep_import::{Format, Imported, Options, Spread, import};

fn imported(text: &str, options: &Options) -> Imported {
    read("r.csv", text.as_bytes(), options).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// Requires these rows of the flow list.
fn is(text: &str, expected: &[&str]) -> Imported {
    let imported = imported(text, &Options::new());
    assert_eq!(rows(&imported), expected, "{text}");
    imported
}

fn said(text: &str) -> String {
    read("r.csv", text.as_bytes(), &Options::new()).unwrap_err()
}

/// Returns the note that contains these words.
fn note<'a>(imported: &'a Imported, words: &str) -> &'a str {
    let found = imported.notes.iter().find(|note| note.contains(words));
    found.unwrap_or_else(|| panic!("no {words:?} in {:?}", imported.notes))
}

// Collectors.

#[test]
fn silk_is_read_with_bars_or_commas_and_with_dates_or_unix_times() {
    let commas = "sIP,dIP,sPort,dPort,pro,packets,bytes,flags,sTime,duration,eTime,sen\n\
        10.0.0.1,10.0.0.9,50271,443,6,10,14600, S PA   ,2019/01/02T10:00:00.100,0.250,\
        2019/01/02T10:00:00.350,S0\n\
        10.0.0.2,10.0.0.9,50272,443,6,20,29200, S PA   ,2019/01/02T10:00:00.200,0.250,\
        2019/01/02T10:00:00.450,S0\n";
    let read = imported(commas, &Options::new());
    assert_eq!(rows(&read), ["0,h0,h2,14200 B", "100000,h1,h2,28400 B"]);
    assert_eq!(
        note(&read, "not used"),
        "Columns not used: \"sPort\", \"dPort\", \"flags\", \"duration\", \"eTime\", \"sen\"; a flow \
         has no duration here, it is sent as fast as the network lets it"
    );
    let bars = "            sIP|            dIP|sPort|dPort|pro|   packets|     bytes|   flags|\
                          sTime|\n\
                       10.0.0.1|       10.0.0.2|50271|  443|  6|        10|     14600|FS PA   |\
        2019/01/02T10:00:00.100|\n\
                       10.0.0.3|       10.0.0.2|50271|   53| 17|         1|        90|        |\
        2019/01/02T10:00:00.100|\n\
                       10.0.0.3|       10.0.0.2|50271|  443|  6|        20|     29200|FS PA   |\
        2019/01/02T10:00:00.200|\n";
    let again = imported(bars, &Options::new());
    assert_eq!(sizes(&again), sizes(&read));
    assert_eq!(
        count(&again.dropped, "UDP records (--udp includes them)"),
        1
    );
    let epoch = bars.replace("2019/01/02T10:00:00", "1546423200");
    assert_eq!(sizes(&imported(&epoch, &Options::new())), sizes(&read));
}

/// Returns starts and sizes, without hosts.
fn sizes(imported: &Imported) -> Vec<String> {
    let cells = rows(imported)
        .into_iter()
        .map(|row| row.split(',').collect::<Vec<_>>());
    cells
        .map(|cells| format!("{} {}", cells[0], cells[3]))
        .collect()
}

#[test]
fn argus_counts_frames_and_both_directions() {
    let text = "StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes,\
        SrcBytes,Label\n\
        2011/08/10 09:46:53.047277,3550.182373,tcp,10.0.0.1,1025,<?>,10.0.0.2,443,RSPA_PA,0,0,12,\
        875,413,flow=Background\n\
        2011/08/10 09:46:53.048843,0.000883,udp,10.0.0.1,1026,->,10.0.0.2,53,CON,0,0,2,135,75,x\n\
        2011/08/10 09:46:53.049843,0.000883,arp,02:00:00:00:00:01,,who,10.0.0.2,,INT,0,,1,60,60,x\n";
    // 12 packets, 54 bytes of headers each: 413 - 324 and 462 - 324.
    let read = is(text, &["0,h0,h1,89 B", "0,h1,h0,138 B"]);
    note(&read, "each is given half of them");
    note(
        &read,
        "Ethernet frames minus the headers of each packet, without options: 54 bytes",
    );
    assert_eq!(
        count(&read.dropped, "records that are neither TCP nor UDP"),
        1
    );
    let exact = "StartTime,Proto,SrcAddr,DstAddr,SrcPkts,DstPkts,SrcBytes,DstBytes,TotPkts\n\
        1312962413.047277,tcp,10.0.0.1,10.0.0.2,2,10,208,15140,12\n";
    is(exact, &["0,h0,h1,100 B", "0,h1,h0,14600 B"]);
    let both = "StartTime,Proto,SrcAddr,DstAddr,TotPkts,TotBytes\n1312962413.0,tcp,10.0.0.1,10.0.0.2,2,200\n";
    assert_eq!(
        said(both),
        "r.csv:1: expected a column of bytes of the source (Argus (ra): SrcBytes), got \
         \"StartTime,Proto,SrcAddr,DstAddr,TotPkts,\"… (48 bytes)"
    );
    let hours =
        "StartTime,Proto,SrcAddr,DstAddr,SrcBytes\n09:46:53.047277,tcp,10.0.0.1,10.0.0.2,2\n";
    assert!(said(hours).starts_with("r.csv:2: expected a date with a time like 2026-09-01"));
}

const ZEEK: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n\
    #path\tconn\n#open\t2021-01-01-00-00-00\n\
    #fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\t\
    orig_bytes\tresp_bytes\tconn_state\torig_pkts\torig_ip_bytes\tresp_pkts\tresp_ip_bytes\n\
    #types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tstring\t\
    count\tcount\tcount\tcount\n\
    1609459200.123456\tC1\t10.0.0.1\t40000\t10.0.0.2\t443\ttcp\tssl\t0.25\t1000\t20000\tSF\t10\t\
    1400\t20\t20800\n\
    1609459200.223456\tC2\t10.0.0.1\t40001\t10.0.0.2\t443\ttcp\t-\t-\t-\t-\tS0\t1\t60\t0\t0\n\
    1609459200.323456\tC3\t10.0.0.1\t40002\t10.0.0.2\t443\ttcp\t-\t-\t-\t-\tOTH\t2\t380\t0\t0\n\
    #close\t2021-01-01-00-01-00\n";

#[test]
fn zeek_counts_payload_and_else_ip_bytes() {
    let flows = [
        "0,h0,h1,1000 B",
        "0,h1,h0,20000 B",
        "100000,h0,h1,20 B",
        "200000,h0,h1,300 B",
    ];
    let read = is(ZEEK, &flows);
    note(&read, "Columns are read as Zeek (conn.log)");
    note(&read, "Starts are read as seconds since 1970");
    assert!(note(&read, "not used").contains("\"conn_state\""));
    let by_port = Options {
        class_by_port: true,
        ..Options::new()
    };
    let read = imported(ZEEK, &by_port);
    assert_eq!(rows(&read)[1], "0,h1,h0,20000 B,tcp-443");
    // Two logs joined are one; another log further down is refused.
    let twice = format!("{ZEEK}{ZEEK}");
    assert_eq!(rows(&imported(&twice, &Options::new())).len(), 8);
    let other = format!("{ZEEK}#fields\tts\tuid\tquery\n");
    let expected =
        "r.csv:13: expected the columns of line 7 again, got \"#fields\\tts\\tuid\\tquery\"";
    assert_eq!(said(&other), expected);
    let http =
        "#fields\tts\tuid\tid.orig_h\tid.resp_h\thost\n1609459200.1\tC1\t10.0.0.1\t10.0.0.2\tx\n";
    assert_eq!(
        said(http),
        "r.csv:1: expected a column of bytes of the source (Zeek (conn.log): orig_bytes, \
         orig_ip_bytes), got \"ts,uid,id.orig_h,id.resp_h,host\""
    );
}

#[test]
fn a_vpc_flow_log_is_read_with_and_without_a_header() {
    let rows = "2 1000 eni-1 10.0.0.1 10.0.0.2 40000 443 6 10 14600 1609459200 1609459260 ACCEPT OK\n\
        2 1000 eni-1 10.0.0.3 10.0.0.2 40001 443 6 20 29200 1609459201 1609459261 ACCEPT OK\n\
        2 1000 eni-1 10.0.0.3 10.0.0.2 40001 23 6 1 40 1609459201 1609459261 REJECT OK\n\
        2 1000 eni-1 - - - - - - - 1609459201 1609459261 - NODATA\n\
        2 1000 eni-1 - - - - - - - 1609459261 1609459321 - SKIPDATA\n";
    let bare = imported(rows, &Options::new());
    assert_eq!(sizes(&bare), ["0 14200 B", "1000000 28400 B"]);
    assert_eq!(
        count(&bare.dropped, "records of rejected packets (REJECT)"),
        1
    );
    assert_eq!(
        count(&bare.dropped, "records without data (NODATA, SKIPDATA)"),
        2
    );
    let header = "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets \
        bytes start end action log-status\n";
    let full = imported(&format!("{header}{rows}"), &Options::new());
    assert_eq!(sizes(&full), sizes(&bare));
    // As a query returns it: underscores and commas.
    let commas = format!("{}{}", header.replace('-', "_"), rows).replace(' ', ",");
    assert_eq!(sizes(&imported(&commas, &Options::new())), sizes(&bare));
    // A format of one's own, in another order.
    let own = "bytes start srcaddr dstaddr protocol packets action\n14600 1609459200 10.0.0.1 10.0.0.2 6 10 ACCEPT\n";
    is(own, &["0,h0,h1,14200 B"]);
}

#[test]
fn nprobe_is_read_with_unix_seconds_and_not_with_the_time_since_a_boot() {
    let text = "IPV4_SRC_ADDR,IPV4_DST_ADDR,IN_PKTS,IN_BYTES,OUT_PKTS,OUT_BYTES,FIRST_SWITCHED,\
        LAST_SWITCHED,L4_SRC_PORT,L4_DST_PORT,PROTOCOL\n\
        10.0.0.1,10.0.0.2,10,14600,1,60,1609459200,1609459260,40000,443,6\n";
    let read = is(text, &["0,h0,h1,14200 B", "0,h1,h0,20 B"]);
    assert!(note(&read, "not used").starts_with("Columns not used: \"LAST_SWITCHED\""));
    is(
        &text.replace(',', "|"),
        &["0,h0,h1,14200 B", "0,h1,h0,20 B"],
    );
    let boot = text.replace("1609459200", "86400123");
    assert!(said(&boot).starts_with("r.csv:2: expected a date with a time like"));
    let millis = text.replace("FIRST_SWITCHED", "FLOW_START_MILLISECONDS");
    is(
        &millis.replace("1609459200", "1609459200123"),
        &["0,h0,h1,14200 B", "0,h1,h0,20 B"],
    );
}

#[test]
fn nfdump_is_read_as_both_of_its_versions_write_it() {
    let old = "ts,te,td,sa,da,sp,dp,pr,flg,fwd,stos,ipkt,ibyt,opkt,obyt\n\
        2019-02-21 11:09:00.002,2019-02-21 11:09:00.040,0.038,10.0.0.1,10.0.0.2,40491,443,TCP,\
        ...AP.SF,0,0,30,45000,0,0\n";
    let read = is(old, &["0,h0,h1,43800 B"]);
    assert!(note(&read, "not used").contains("\"te\", \"td\""));
    let new = "firstSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,packets,bytes,bps,bpp,flows\n\
        2026-08-29 05:17:53.000,1.000,TCP,10.0.0.1,40491,10.0.0.2,443,30,45000,0,0,1\n";
    is(new, &["0,h0,h1,43800 B"]);
}

#[test]
fn records_as_json_say_what_to_do() {
    let goflow = "{\"type\":\"SFLOW_5\",\"sampling_rate\":1024,\"time_flow_start_ns\":1709065965800218079,\
        \"bytes\":1500,\"packets\":1,\"src_addr\":\"10.0.0.1\",\"dst_addr\":\"10.0.0.2\",\"proto\":\"TCP\"}\n";
    assert_eq!(Format::of(goflow.as_bytes()), Some(Format::Netflow));
    assert_eq!(
        said(goflow),
        "r.csv:1: expected flow records as CSV, got JSON: make a CSV with the header \
         time_flow_start_ns,src_addr,dst_addr,bytes,packets,proto,sampling_rate and the rows of jq -r \
         '[.\"time_flow_start_ns\",.\"src_addr\",.\"dst_addr\",.\"bytes\",.\"packets\",.\"proto\",\
         .\"sampling_rate\"] | @csv'"
    );
    let made = "time_flow_start_ns,src_addr,dst_addr,bytes,packets,proto,sampling_rate\n\
        1709065965800218079,\"10.0.0.1\",\"10.0.0.2\",1500,1,\"TCP\",1024\n";
    is(made, &["0,h0,h1,1495040 B"]);
    let zeek = "{\"ts\":1609459200.1,\"id.orig_h\":\"10.0.0.1\",\"id.resp_h\":\"10.0.0.2\",\"orig_bytes\":1}";
    assert!(said(zeek).contains("the header ts,id.orig_h,id.resp_h,orig_bytes and"));
    let other = "{\"BUFFER_POOL\": {\"p\": {\"size\": \"1\"}}}";
    assert_eq!(Format::of(other.as_bytes()), Some(Format::Sonic));
}

// Sampling.

const SAMPLED: &str = "time_received_ns,sequence_num,RATE,sampler_address,time_flow_start_ns,\
    time_flow_end_ns,bytes,packets,src_addr,dst_addr,etype,proto,src_port,dst_port\n\
    1709065965800218079,1,1024,192.0.2.1,1709065965800218079,1709065965800218079,1500,1,10.0.0.1,\
    10.0.0.2,IPv4,TCP,16443,57444\n\
    1709065965800318079,2,1024,192.0.2.1,1709065965800318079,1709065965800318079,1500,1,10.0.0.1,\
    10.0.0.2,IPv4,TCP,16443,57445\n";

#[test]
fn a_sampling_rate_in_the_file_multiplies_sizes() {
    let flows = ["0,h0,h1,1495040 B", "100,h0,h1,1495040 B"];
    for name in [
        "sampling_rate",
        "samplingRate",
        "samplingInterval",
        "SAMPLING_INTERVAL",
        "sampling",
        "samplingPacketInterval",
        "samplerRandomInterval",
    ] {
        let read = is(&SAMPLED.replace("RATE", name), &flows);
        assert_eq!(
            note(&read, "multiplied"),
            "Sizes are multiplied by the sampling rate, 1024: flows of which no packet was sampled are \
             missing"
        );
    }
    // The first column of goflow2 is named type.
    let text = SAMPLED.replace("RATE", "sampling_rate");
    let typed = text.replace("time_received_ns,", "type,time_received_ns,");
    is(&typed.replace("\n170", "\nSFLOW_5,170"), &flows);
}

#[test]
fn each_record_has_its_own_rate() {
    let text = "sa,da,ts,ibyt,ipkt,sampling\n10.0.0.1,10.0.0.2,2026-01-01 00:00:00,1040,1,10\n\
        10.0.0.1,10.0.0.2,2026-01-01 00:00:01,1040,1,1:100\n10.0.0.1,10.0.0.2,2026-01-01 00:00:02,1040,1,0\n\
        10.0.0.1,10.0.0.2,2026-01-01 00:00:03,1040,1,\n";
    let read = imported(text, &Options::new());
    assert_eq!(
        sizes(&read),
        [
            "0 10000 B",
            "1000000 100000 B",
            "2000000 1000 B",
            "3000000 1000 B"
        ]
    );
    note(&read, "1 to 100");
    note(
        &read,
        "2 records give no sampling rate (0 or an empty cell)",
    );
}

#[test]
fn packets_left_out_after_each_sampled_one_make_a_rate() {
    let text = |interval: u32, space: u32| {
        format!(
            "flowStartMilliseconds,sourceIPv4Address,\
        destinationIPv4Address,octetDeltaCount,packetDeltaCount,samplingPacketInterval,\
        samplingPacketSpace\n1795332790000,10.0.0.1,10.0.0.2,1040,1,{interval},{space}\n"
        )
    };
    is(&text(1, 99), &["0,h0,h1,100000 B"]);
    is(&text(10, 90), &["0,h0,h1,10000 B"]);
    is(&text(1, 0), &["0,h0,h1,1000 B"]);
    assert_eq!(
        said(&text(3, 7)),
        "r.csv:2: expected a whole sampling rate like 1024 (--sampling N replaces it), got \"3 sampled \
         and 7 left out\""
    );
}

#[test]
fn a_rate_that_is_given_replaces_that_of_the_file() {
    for (rate, size) in [(1, "1460 B"), (100, "146000 B")] {
        let options = Options {
            sampling: Some(rate),
            ..Options::new()
        };
        let text = SAMPLED.replace("RATE", "sampling_rate");
        assert!(rows(&imported(&text, &options))[0].ends_with(size));
        // A form that is not read is refused without it.
        let odd = SAMPLED.replace("RATE", "samplingProbability");
        assert!(rows(&imported(&odd, &options))[0].ends_with(size));
        assert_eq!(
            said(&odd),
            "r.csv:1: expected records without sampling, or one sampled packet in so many, with \
             --sampling N, got a column \"samplingProbability\""
        );
    }
}

#[test]
fn a_list_of_ones_own_with_a_sampling_rate_is_refused() {
    let text = "start_us,src,dst,size,class,sampling_rate\n5,a,b,1000,x,100\n";
    assert_eq!(
        said(text),
        "r.csv: column \"sampling_rate\": expected sizes of whole flows, got sampled ones: --from \
         netflow multiplies them by the rate, or leave the column out"
    );
}

// Grain of starts.

/// Returns 600 records of 10 s to one host, with starts in whole multiples of `step` microseconds.
fn stepped(step: u64) -> String {
    let mut text = "flowStartMicroseconds,sa,da,ipkt,ibyt\n".to_string();
    for i in 0..600u64 {
        let at = 1_609_459_200_000_000 + i * 16_661 / step * step;
        text.push_str(&format!("{at},10.0.0.1,10.0.0.2,30,45000\n"));
    }
    text
}

#[test]
fn starts_in_whole_steps_are_told_with_their_burst() {
    for (micros, step, most) in [
        (1_000_000, "1 s", 61),
        (100_000, "100 ms", 7),
        (10_000_000, "10 s", 600),
    ] {
        let read = imported(&stepped(micros), &Options::new());
        let instants = 10_000_000 / micros;
        // All in one instant shows no step.
        if instants == 1 {
            assert!(!read.notes.iter().any(|note| note.contains("multiples")));
            continue;
        }
        assert_eq!(
            note(&read, "multiples"),
            format!(
                "600 of 600 starts are multiples of {step}, and up to {most} of them begin at one \
                 instant: if the clock that wrote them has steps of {step}, the clock made this \
                 burst, not the traffic; --spread draws these starts within their step"
            )
        );
    }
    // Milliseconds are fine enough for a flow each 17 ms.
    let fine = imported(&stepped(1_000), &Options::new());
    assert!(!fine.notes.iter().any(|note| note.contains("multiples")));
}

#[test]
fn the_grain_of_any_list_is_looked_at() {
    let mut csv = "start,src,dst,size\n".to_string();
    for i in 0..40 {
        csv.push_str(&format!("{}.0 s,a{},b,1000\n", i / 8, i % 8));
    }
    let read = import("f", csv.as_bytes(), Format::Csv, &Options::new()).unwrap();
    assert!(note(&read, "multiples of 1 s").contains("up to 8 of them"));
    // Flows of one group start together on purpose.
    let mut grouped = "start,src,dst,size,group\n".to_string();
    for i in 0..40 {
        grouped.push_str(&format!("{}.0 s,a{},b,1000,g{}\n", i / 8, i % 8, i / 8));
    }
    let read = import("f", grouped.as_bytes(), Format::Csv, &Options::new()).unwrap();
    assert!(!read.notes.iter().any(|note| note.contains("multiples")));
    // The two directions of one record share their start.
    let mut both = "flowStartSeconds,sa,da,ibyt,obyt\n".to_string();
    for i in 0..40 {
        both.push_str(&format!(
            "{},10.0.0.1,10.0.0.2,1000,1000\n",
            1_609_459_200 + i
        ));
    }
    let read = imported(&both, &Options::new());
    assert!(!read.notes.iter().any(|note| note.contains("multiples")));
}

#[test]
fn spread_draws_starts_within_their_step_the_same_each_time() {
    let options = |spread, seed| Options {
        keep_times: true,
        spread,
        seed,
        ..Options::new()
    };
    // Starts since the file's own zero, so that times may be kept.
    let text = stepped(1_000_000)
        .replace("16094592", "")
        .replace("\n0", "\n");
    let text = text.replace("flowStartMicroseconds", "start_us");
    let starts = |spread, seed| -> Vec<f64> {
        let read = imported(&text, &options(spread, seed));
        rows(&read)
            .iter()
            .map(|row| row.split(',').next().unwrap().parse().unwrap())
            .collect()
    };
    let cut = starts(Spread::No, 1);
    let spread = starts(Spread::Found, 1);
    assert_eq!(spread, starts(Spread::Found, 1));
    assert_ne!(spread, starts(Spread::Found, 2));
    assert_eq!(spread, starts(Spread::Step(1_000_000_000_000), 1));
    let seconds = |all: &[f64]| -> Vec<u64> { all.iter().map(|at| (at / 1e6) as u64).collect() };
    assert_eq!(
        seconds(&spread),
        seconds(&cut),
        "each start stays in its second"
    );
    let mean = spread.iter().map(|at| at % 1e6).sum::<f64>() / 600.0;
    assert!((450_000.0..550_000.0).contains(&mean), "{mean}");
    let mut distinct: Vec<u64> = spread.iter().map(|at| *at as u64).collect();
    distinct.dedup();
    assert!(distinct.len() > 590);
}

#[test]
fn spread_moves_what_belongs_together_by_the_same_time_and_needs_a_step() {
    let mut both = "flowStartSeconds,sa,da,ibyt,obyt\n".to_string();
    for i in 0..40 {
        both.push_str(&format!(
            "{},10.0.0.1,10.0.0.2,1000,2000\n",
            1_609_459_200 + i / 8
        ));
    }
    let options = Options {
        spread: Spread::Found,
        ..Options::new()
    };
    let read = imported(&both, &options);
    let starts = rows(&read)
        .into_iter()
        .map(|row| row.split(',').next().unwrap());
    let starts: Vec<&str> = starts.collect();
    assert!(starts.chunks(2).all(|two| two[0] == two[1]), "{starts:?}");
    note(
        &read,
        "80 starts were drawn within 1000000 us after the start in the file (--spread, stream \"spread\" of seed 1)",
    );
    let fine = read_fine(&options);
    assert_eq!(
        fine,
        "--spread: expected starts of which most are multiples of one step and half of these fall \
         together, got others: name the step of the clock, like --spread=1ms"
    );
}

fn read_fine(options: &Options) -> String {
    read("r.csv", stepped(1_000).as_bytes(), options).unwrap_err()
}

#[test]
fn bytes_that_cannot_be_are_refused_or_told() {
    let both = "StartTime,Proto,SrcAddr,DstAddr,TotPkts,TotBytes,SrcBytes\n\
        2026-09-01 10:00:00.1,tcp,10.0.0.1,10.0.0.2,10,1000,5000\n";
    assert_eq!(
        said(both),
        "r.csv:2: expected bytes of both directions of at least 5000, those of the source, got \"1000\""
    );
    let few = "ts,sa,da,pr,ipkt,ibyt\n\
        2026-09-01 10:00:00.1,10.0.0.1,10.0.0.2,6,100,1000\n\
        2026-09-01 10:00:00.2,10.0.0.1,10.0.0.2,6,10,1000\n";
    let read = is(few, &["0,h0,h1,600 B"]);
    note(
        &read,
        "1 records have fewer bytes than the headers of their packets take",
    );
}

#[test]
fn an_initial_beside_its_sibling_names_the_end_that_a_count_is_of() {
    // NetFlow version 5 writes d for delta, other tables for the destination.
    let v5 = "start,srcaddr,dstaddr,dOctets,dPkts,proto\n2026-09-01 10:00:00.1,10.0.0.1,10.0.0.2,14600,10,6\n";
    is(v5, &["0,h0,h1,14200 B"]);
    let sided = "start,srcaddr,dstaddr,bytes,spkts,dpkts,proto\n\
        2026-09-01 10:00:00.1,10.0.0.1,10.0.0.2,15000,10,300,6\n";
    is(sided, &["0,h0,h1,14600 B"]);
    let both = "start,srcaddr,dstaddr,sbytes,dbytes,Spkts,Dpkts,proto\n\
        2026-09-01 10:00:00.1,10.0.0.1,10.0.0.2,3320,5000,20,30,6\n";
    is(both, &["0,h0,h1,2520 B", "0,h1,h0,3800 B"]);
}

#[test]
fn the_first_start_is_told_as_the_file_has_it() {
    let mut text = "start_s,src,dst,size\n".to_string();
    for i in 0..40 {
        text.push_str(&format!("{},a,b,1000\n", 1_000_000 + i / 8));
    }
    let options = Options {
        spread: Spread::Found,
        ..Options::new()
    };
    note(
        &imported(&text, &options),
        "starts at 1000000 s in the original",
    );
}
