//! Networks from files.

use super::*;

#[test]
fn a_network_of_ones_own_is_read_in_order() {
    let text = "# mine\na,b,rate,delay\n\nh1,tor,1 Gbps,1 us\ntor, spine,10 Gbps,500 ns\nspine,h0,2.5 Gbps,1 us\n";
    let net = custom(text).unwrap();
    let names: Vec<&str> = net.switches.iter().map(|s| s.name.as_str()).collect();
    assert_eq!((net.hosts, &*names), (2, &["tor", "spine"][..]));
    let (h, s) = (|i| End::Host(HostId(i)), |i| End::Switch(SwitchId(i)));
    let ends: Vec<_> = net.cables.iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(ends, [(h(1), s(0)), (s(0), s(1)), (s(1), h(0))]);
    assert_eq!(net.cables[2].rate, BitRate::mbps(2_500));
}

#[test]
fn a_network_of_ones_own_is_refused_where_it_is_wrong() {
    let said = |text| custom(text).unwrap_err().to_string();
    let row = "a,b,rate,delay\nh0,s0,1 Gbps,1 us\n";
    assert!(custom(row).is_ok());
    assert_eq!(
        said("a,b,rate\n"),
        "net.csv:1: expected the header \"a,b,rate,delay\", got \"a,b,rate\""
    );
    assert_eq!(
        said("a,b,rate,delay\nh0,s0,1 Gbps,1\n"),
        "net.csv:2: expected a time like \"50 us\" (ps, ns, us, ms, s), got \"1\" without a unit"
    );
    assert_eq!(
        said("a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh0,s1,1 Gbps,1 us\n"),
        "net.csv:3: expected one cable for h0, got a second one (the first is on line 2)"
    );
    assert_eq!(
        said("a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh2,s0,1 Gbps,1 us\n"),
        "net.csv:3: expected hosts without gaps, so h1 too, got h2"
    );
    assert_eq!(
        said("a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s1,1 Gbps,1 us\n"),
        "expected a connected network, got no path from host 0 to host 1"
    );
    assert!(
        said("a,b,rate,delay\nh0,h1,1 Gbps,1 us\n")
            .contains("expected a switch at one end, got two hosts")
    );
    assert!(
        said("a,b,rate,delay\ns0,s0,1 Gbps,1 us\nh0,s0,1 Gbps,1 us\n")
            .contains("got the same switch twice")
    );
    assert!(
        said("a,b,rate,delay\nh1048576,s0,1 Gbps,1 us\n")
            .contains("expected hosts from h0 to h1048575")
    );
    assert!(said("a,b,rate,delay\n").contains("expected at least one host, got none"));
    assert!(
        with("custom", &[("file", "x")], &NoFiles)
            .unwrap_err()
            .to_string()
            .contains("\"x\": no files")
    );
}

proptest::proptest! {
    #[test]
    fn any_file_is_answered_without_a_panic(text in "(a,b,rate,delay\n)?[hs0-9,. Gbpsu\n\"#]{0,80}|\\PC{0,40}") {
        let _ = custom(&text);
    }
}
