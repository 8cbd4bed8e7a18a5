//! Warnings about windows and marks that bound a flow below the rate of its path.

use sidestep_lab::Scenario;
use sidestep_sim::Files;

/// Two hosts at one switch, and a list of one flow.
struct Pair {
    cables: String,
    size: &'static str,
}

impl Files for Pair {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "net.csv" => Ok(self.cables.clone()),
            "f.csv" => Ok(format!("start,src,dst,size\n0 us,0,1,{}\n", self.size)),
            _ => Err("no such file".into()),
        }
    }
}

const TEXT: &str = "duration = \"10 ms\"\nschemes = [\"dctcp\"]\n\
    [topology]\nkind = \"custom\"\nfile = \"net.csv\"\n\
    [switch]\ncapacity = \"1000 pkt\"\n\
    [workload.f]\nkind = \"flow_list\"\nfile = \"f.csv\"\n";

fn warnings(cable: &str, size: &'static str, sets: &[&str]) -> Vec<String> {
    let cables = format!("a,b,rate,delay\nh0,s0,{cable}\nh1,s0,{cable}\n");
    of(cables, size, sets)
}

fn of(cables: String, size: &'static str, sets: &[&str]) -> Vec<String> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = Scenario::read("t.toml", TEXT, &sets, &Pair { cables, size });
    let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
    scenario.warnings()
}

/// True if each warning begins, after the scheme, with the word of its place, and there are no others.
fn about(warnings: &[String], words: &[&str]) -> bool {
    let begin = |(warning, word): (&String, &&str)| {
        let said = warning.split_once(": ").map_or("", |(_, said)| said);
        said.starts_with(word)
    };
    warnings.len() == words.len() && warnings.iter().zip(words).all(begin)
}

/// 100 MB alone on 1.6 Tbps with a round trip of 20.016 us: 4.003 MB fill it. The default window of 1 MiB lets through
/// 1 MiB / 20.016 us, and marks should begin at 372 packets.
#[test]
fn a_window_of_1_mib_bounds_a_flow_on_1_6_tbps() {
    let fast = "1600 Gbps,5 us";
    let said = warnings(fast, "100 MB", &[]);
    let expected = [
        "scheme dctcp: mark_at (20 pkt) is below a seventh of rate times round trip on a path of 1.6 Tbps with a \
         round trip of 20.016 us: dctcp slows down so far after marks that the queue empties and the link is idle \
         for a while (100.00 % of the flows). Set switch.buffer.mark_at = \"377 pkt\" or more (DCTCP, SIGCOMM 2010, \
         section 3.4)",
        "scheme dctcp: receive_window (1.048576 MB) bounds 100.00 % of the flows below the rate of their path: to \
         419 Gbps on a path of 1.6 Tbps with a round trip of 20.016 us, where rate times round trip is 4 MB. Set \
         transport.receive_window = \"4.01 MB\" or more",
        "scheme dctcp: initial_window (10 segments) delays 100.00 % of the flows: on a path of 1.6 Tbps with a round \
         trip of 20.016 us a flow grows its window for 8 round trips until it sends at the rate of the path, and takes \
         up to 1.3 times as long as a flow that starts at that rate. Set transport.initial_window = 2750 to start at \
         that rate",
    ];
    assert_eq!(said, expected);
    // The values that the warnings give end them.
    let marks = "switch.buffer.mark_at=377 pkt";
    let window = "transport.receive_window=4.01 MB";
    let first = "transport.initial_window=2750";
    let left = |sets: &[&str], words: &[&str]| {
        let said = warnings(fast, "100 MB", sets);
        assert!(about(&said, words), "{sets:?}: {said:?}");
    };
    left(&[marks, first], &["receive_window"]);
    left(&[window, first], &["mark_at"]);
    left(&[marks, window], &["initial_window"]);
    left(&[marks, window, first], &[]);
    // Where a tier or a switch has its own marks, its key is named.
    for (key, shown) in [("s0", "s0"), ("\"s0.0\"", "\"s0.0\"")] {
        let name = key.trim_matches('"');
        let cables =
            format!("a,b,rate,delay\nh0,{name},1600 Gbps,5 us\nh1,{name},1600 Gbps,5 us\n");
        let own = format!("switch.at.{key}.buffer.mark_at=30 pkt");
        let said = of(cables, "100 MB", &[window, first, &own]);
        let set = format!("Set switch.at.{shown}.buffer.mark_at = \"377 pkt\" or more");
        assert!(said.len() == 1 && said[0].contains(&set), "{said:?}");
    }
    // A flow that fits into the window is not bound by it.
    assert_eq!(warnings(fast, "200 kB", &[]), [""; 0]);
    // Only DCTCP goes by the share of marks.
    let tcp = warnings(fast, "100 MB", &["schemes=tcp"]);
    assert!(
        about(&tcp, &["receive_window", "initial_window"]),
        "{tcp:?}"
    );
    // pFabric has windows of its own, and no marks.
    let pfabric = warnings(fast, "100 MB", &["schemes=pfabric"]);
    assert!(
        !pfabric
            .iter()
            .any(|said| said.contains("window") || said.contains("mark_at")),
        "{pfabric:?}"
    );
}

/// 100 Gbps and 20.253 us: 253 kB on the wire, of which 240.3 kB are payload. A seventh is 36.2 kB, 24 packets.
#[test]
fn on_100_gbps_a_window_of_240_kb_is_the_least() {
    let cable = "100 Gbps,5 us";
    let window = |set: &str| {
        let sets = [set, "switch.buffer.mark_at=24 pkt"];
        warnings(cable, "10 MB", &sets)
    };
    assert_eq!(window("transport.receive_window=1 MiB"), [""; 0]);
    assert_eq!(window("transport.receive_window=241 kB"), [""; 0]);
    let said = window("transport.receive_window=240 kB");
    assert!(about(&said, &["receive_window"]), "{said:?}");
    assert!(
        said[0].ends_with("receive_window = \"254 kB\" or more"),
        "{said:?}"
    );
    let marks = |set: &str| warnings(cable, "10 MB", &[set]);
    assert_eq!(marks("switch.buffer.mark_at=24 pkt"), [""; 0]);
    assert!(about(
        &marks("switch.buffer.mark_at=23 pkt"),
        &["mark_at (23 pkt)"]
    ));
    assert_eq!(marks("switch.buffer.mark_at=37 kB"), [""; 0]);
    let bytes = marks("switch.buffer.mark_at=30 kB");
    assert!(
        bytes[0].contains("Set switch.buffer.mark_at = \"36.2 kB\" or more"),
        "{bytes:?}"
    );
}

/// Links of today's usual speeds are filled by the defaults.
#[test]
fn usual_links_are_not_warned_of() {
    for cable in [
        "1 Gbps,1 us",
        "10 Gbps,5 us",
        "40 Gbps,2 us",
        "100 Gbps,1 us",
        "400 Gbps,500 ns",
    ] {
        assert_eq!(
            warnings(cable, "100 MB", &["duration=10 s"]),
            [""; 0],
            "{cable}"
        );
    }
}

/// The slowest link of the path counts, not the host's.
#[test]
fn a_fast_host_behind_a_slow_link_is_not_warned_of() {
    let cables = "a,b,rate,delay\nh0,s0,1600 Gbps,5 us\nh1,s1,1600 Gbps,5 us\ns0,s1,10 Gbps,1 us\n";
    assert_eq!(of(cables.into(), "100 MB", &[]), [""; 0]);
    let fast = cables.replace("10 Gbps", "1600 Gbps");
    assert_eq!(of(fast, "100 MB", &[]).len(), 3);
}

/// 1 MB on 200 Gbps and 100 us: 2.5 MB fill the path, so the flow could be sent at once. From 10 segments it takes six
/// more round trips.
#[test]
fn an_initial_window_that_takes_most_of_a_flow_s_time_is_warned_of() {
    let cable = "200 Gbps,25 us";
    let more = ["transport.receive_window=10 MB", "schemes=tcp"];
    let window = |segments: &str| {
        let set = format!("transport.initial_window={segments}");
        warnings(cable, "1 MB", &[&more[..], &[&set]].concat())
    };
    let said = window("10");
    assert!(
        about(&said, &["initial_window (10 segments) delays 100.00 %"]),
        "{said:?}"
    );
    assert!(
        said[0].contains("grows its window for 6 round trips until"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("Set transport.initial_window = 1720 to start at that rate"),
        "{said:?}"
    );
    assert_eq!(window("1720"), [""; 0]);
    assert_eq!(window("100"), [""; 0]);
    // 10 MB take 0.5 ms, and seven more round trips of 100 us from 10 segments, four from 100.
    let long = warnings(cable, "10 MB", &more);
    assert!(about(&long, &["initial_window"]), "{long:?}");
    // A long flow is at the rate for most of its time.
    let long = warnings(cable, "100 MB", &more);
    assert_eq!(long, [""; 0]);
}

/// A workload with its own transport is told the key of that transport.
#[test]
fn the_key_is_that_of_the_workload_s_transport() {
    let said = warnings(
        "1600 Gbps,5 us",
        "100 MB",
        &[
            "workload.f.transport.kind=newreno",
            "workload.f.transport.receive_window=2 MB",
        ],
    );
    let set = "Set workload.f.transport.receive_window = \"4.01 MB\" or more";
    assert!(said.iter().any(|warning| warning.contains(set)), "{said:?}");
}
