//! Tests of the format, and of what is said about wrong lists.

use super::*;

fn flows(text: &str) -> Result<Vec<ListedFlow>, String> {
    parse("f.csv", text, 4)
}

fn said(row: &str) -> String {
    flows(&format!("{HEADER}\n{row}\n")).unwrap_err()
}

#[test]
fn units_stand_in_the_cells_or_in_the_header() {
    let cells =
        "# a trace\nstart,src,dst,size,class\n1.5 ms,0,3,20 kB,web\n\n2 ms,h1,h3,endless,\n";
    let flow = |start, src, size, class: Option<&str>| ListedFlow {
        start: Time::from_us(start),
        src: HostId(src),
        dst: HostId(3),
        size,
        mss: None,
        class: class.map(str::to_string),
        group: None,
    };
    let expected = [
        flow(1_500, 0, 20_000, Some("web")),
        flow(2_000, 1, FlowPlan::ENDLESS, None),
    ];
    assert_eq!(flows(cells).unwrap(), expected);
    for header in [
        "size_bytes,dst,src,start_us\n20000,3,0,1500\n",
        "size_bytes,dst,src,start_ms\n20000,3,0,1.5\n",
        "size_bytes,dst,src,start_s\n20000,3,0,0.0015\n",
        "size_bytes,dst,src,start_ns\n20000,3,0,1500000\n",
        "size_bytes,dst,src,start_ps\n20000,3,0,1500000000\n",
    ] {
        assert_eq!(
            flows(header).unwrap(),
            [flow(1_500, 0, 20_000, None)],
            "{header}"
        );
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    assert_eq!(
        said("1 ms,0,4,1 B"),
        "f.csv:2: expected a host from 0 to 3, got \"4\""
    );
    assert_eq!(
        said("1 ms,+1,3,1 B"),
        "f.csv:2: expected a host from 0 to 3, got \"+1\""
    );
    assert_eq!(
        said("1 ms,0,3,1 B\n1 ms,2,2,1 B"),
        "f.csv:3: expected two different hosts, got host 2 as both"
    );
    assert!(said("1 ms,0,3,0 B").starts_with("f.csv:2: expected a size from 1 B to"));
    assert_eq!(
        said("1 ms,0,3,17592186044416 B"),
        "f.csv:2: expected a size from 1 B to 17592186044415 B, or \"endless\", got \
         17592186044416 B"
    );
    assert_eq!(
        said("1 ms,7,+1,0 B").lines().collect::<Vec<_>>(),
        [
            "f.csv:2: expected a host from 0 to 3, got \"7\"",
            "f.csv:2: expected a host from 0 to 3, got \"+1\"",
            "f.csv:2: expected a size from 1 B to 17592186044415 B, or \"endless\", got 0 B",
        ],
        "every cell of a row"
    );
    assert!(said("1,0,3,1 B").starts_with("f.csv:2: expected a time like \"50 us\""));
    assert!(said("1,0,3,1 B").ends_with("got \"1\" without a unit"));
    assert!(said("99999999999 s,0,3,1 B").ends_with("which is too large"));
    assert!(said("0.5 ps,0,3,1 B").contains("which is not a whole number of base units"));
    assert_eq!(
        said("1 ms,0,3"),
        "f.csv:2: expected 4 cells (start,src,dst,size), got 3"
    );
}

#[test]
fn a_list_for_a_larger_network_is_one_mistake_with_the_setting_to_change() {
    let list = |hosts: u32, more: &str| {
        let rows = (0..hosts).map(|host| format!("1 ms,h{host},h{},1 B\n", (host + 1) % hosts));
        flows(&format!("{HEADER}\n{}{more}", rows.collect::<String>())).unwrap_err()
    };
    assert_eq!(
        list(128, ""),
        "f.csv:5: the list names 124 hosts that the network does not have, from \"h4\" here up to \
         h127, on 125 lines: expected a network of 128 hosts in [topology], like kind = \
         \"fat_tree\" with k = 8, got 4 hosts, h0 to h3"
    );
    assert!(list(129, "").contains(
        "a network of 129 hosts in [topology], like kind = \"fat_tree\" with k = 10, got"
    ));
    assert!(list(5, "").starts_with("f.csv:5: the list names 1 host that the network"));
    // Other mistakes are said beside it, with their lines.
    let said = list(6, "1 ms,h0,h1,0 B\n1 ms,h0,db-3,1 B\n");
    assert_eq!(said.lines().count(), 3, "{said}");
    assert!(
        said.contains("\nf.csv:8: expected a size from 1 B to "),
        "{said}"
    );
    assert!(
        said.contains("\nf.csv:9: expected a host from 0 to "),
        "{said}"
    );
    // Numbers that are not those of hosts need a number each, not a larger network.
    let said = flows(&format!(
        "{HEADER}\n{}",
        "1 ms,h0,167772161,1 B\n".repeat(1_000)
    ))
    .unwrap_err();
    assert!(
        said.contains(
            "expected hosts numbered from 0; `sidestep import` numbers addresses and names, got 4 hosts"
        ),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_thousand_lines_of_one_cause_are_summed_up() {
    let said = flows(&format!(
        "{HEADER}\n{}",
        "1 ms,10.0.0.1,10.0.0.2,1 B\n".repeat(1_000)
    ))
    .unwrap_err();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        lines[3],
        "f.csv: the same mistake 1997 more times, the last on line 1001: expected a host from 0 to \
         3; `sidestep import` numbers addresses and names"
    );
}

#[test]
fn a_group_is_any_word_and_has_flows_that_end() {
    let text = "start,src,dst,size,group\n1 ms,0,3,1 B,burst 1\n1 ms,1,3,1 B,\n";
    let groups: Vec<_> = flows(text).unwrap().into_iter().map(|f| f.group).collect();
    assert_eq!(groups, [Some("burst 1".to_string()), None]);
    let none = "start,src,dst,size,group\n1 ms,0,3,endless,\n";
    assert_eq!(flows(none).unwrap()[0].group, None);
    assert_eq!(
        flows("start,src,dst,size,group\n1 ms,0,3,endless,a\n").unwrap_err(),
        "f.csv:2: expected no endless flow in a group, got one in \"a\""
    );
    let said = |word: &str| {
        flows(&format!("start,src,dst,size,class\n1 ms,0,3,1 B,{word}\n")).unwrap_err()
    };
    assert_eq!(
        said(&"é".repeat(65)),
        "f.csv:2: expected a class of at most 64 characters, all printable, got 65 characters"
    );
    assert_eq!(
        said("a\u{1b}[31m"),
        "f.csv:2: expected a class of at most 64 characters, all printable, got \"a\\u{1b}[31m\""
    );
}

#[test]
fn a_header_that_is_wrong_or_alone_is_refused() {
    let said = |text| flows(text).unwrap_err();
    assert!(said("start,from,dst,size\n").starts_with("f.csv:1: expected the columns start (or"));
    assert!(said("start,from,dst,size\n").ends_with("got \"from\""));
    assert_eq!(
        said("#\nstart,src,dst\n"),
        "f.csv:2: expected a column \"size\", got \"start,src,dst\""
    );
    assert_eq!(
        said("start,start_us,src,dst,size\n"),
        "f.csv:1: expected each column once, got \"start_us\" as well"
    );
    assert_eq!(
        said("start_us,src,dst,size\n1 ms,0,1,1 B\n"),
        "f.csv:2: expected a plain number (start_us names the unit), got \"1 ms\""
    );
    for header_only in [
        "start,src,dst,size\n",
        "# a trace\nstart_us,src,dst,size\n\n# none\n",
    ] {
        assert_eq!(
            said(header_only),
            "f.csv: expected at least one flow below the header, got none"
        );
    }
    assert_eq!(
        said(""),
        "f.csv:1: expected the header \"start,src,dst,size\", got nothing"
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(
        text in "(start_us,src,dst,size\n|start,src,dst,size,class\n|start,src,dst,size,group\n)?([0-9h. msuBk\"#-]{0,9},){3}[0-9. kB\"]{0,9}|\\PC{0,60}",
        hosts in 0u32..5,
    ) {
        let _ = parse("f", &text, hosts);
    }

    #[test]
    fn bytes_that_are_no_text_are_answered_too(bytes: Vec<u8>) {
        let _ = parse("f", &format!("{HEADER}\n{}", String::from_utf8_lossy(&bytes)), 4);
    }

    #[test]
    fn what_is_written_reads_back(ps in 0..u64::MAX, size in 1..=FlowPlan::LARGEST, src in 0u32..4, by in 1u32..4) {
        let dst = (src + by) % 4;
        let text = format!("start_ps,src,dst,size_bytes\n{ps},{src},{dst},{size}\n");
        let read = flows(&text).unwrap();
        let (src, dst) = (HostId(src), HostId(dst));
        proptest::prop_assert_eq!(&read, &[ListedFlow { start: Time::from_ps(ps), src, dst, size, mss: None, class: None, group: None }]);
    }
}
