//! Slowdowns: a flow over the least time that the idle network allows is never below 1.

use proptest::prelude::*;
use sidestep_lab::ideal::Ideal;
use sidestep_lab::{Run, Scenario, Watch, run};
use sidestep_sim::{Files, TraceFilter};
use sidestep_switch::route;
use std::collections::HashMap;

/// Files by name.
struct Texts(HashMap<&'static str, String>);

impl Files for Texts {
    fn read(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or("no such file".into())
    }
}

const TEXT: &str = "duration = \"100 ms\"\ndrain = \"2 s\"\nschemes = [\"dctcp\"]\n\
    [topology]\nkind = \"custom\"\nfile = \"net.csv\"\n\
    [workload.f]\nkind = \"flow_list\"\nfile = \"flows.csv\"\n";

fn read(net: &str, flows: &str, sets: &[String]) -> Scenario {
    let texts = [("net.csv", net.into()), ("flows.csv", flows.into())];
    let read = Scenario::read("t.toml", TEXT, sets, &Texts(texts.into()));
    read.unwrap_or_else(|problems| panic!("{problems:?}\n{net}"))
}

fn ran(scenario: &Scenario) -> Run {
    run(scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run")
}

/// Returns the completion and ideal times of the flows that finished, ps.
fn times(scenario: &Scenario) -> Vec<(u64, u64)> {
    let (run, config) = (ran(scenario), &scenario.schemes[0].config);
    let mut ideal = Ideal::new(&scenario.network, config.framing, config.transport.mss());
    let finished = run.plan.flows.iter().zip(&run.outcome.flows);
    let finished = finished.filter_map(|(flow, seen)| {
        let took = seen.finished?.ps() - seen.started?.ps();
        Some((took, ideal.of(flow)?.ps()))
    });
    finished.collect()
}

/// A fabric in the middle of an upgrade: one spine of 40 Gbps, one of 100, and the same cables in another order.
const UPGRADE: [&str; 2] = [
    "a,b,rate,delay\nh0,s0,100 Gbps,1 us\nh1,s1,100 Gbps,1 us\ns0,s3,100 Gbps,1 us\n\
     s3,s1,100 Gbps,1 us\ns0,s2,40 Gbps,1 us\ns2,s1,40 Gbps,1 us\n",
    "a,b,rate,delay\nh0,s0,100 Gbps,1 us\nh1,s1,100 Gbps,1 us\ns0,s2,40 Gbps,1 us\n\
     s2,s1,40 Gbps,1 us\ns0,s3,100 Gbps,1 us\ns3,s1,100 Gbps,1 us\n",
];

#[test]
fn the_fastest_of_unequal_paths_is_the_ideal_in_any_order_of_cables() {
    let rows: String = (0..40).map(|ms| format!("{ms} ms,0,1,1 MB\n")).collect();
    let flows = format!("start,src,dst,size\n{rows}");
    for net in UPGRADE {
        let sets = ["transport.initial_window=1000", "switch.capacity=1000 pkt"];
        let times = times(&read(net, &flows, &sets.map(String::from)));
        assert_eq!(times.len(), 40);
        let (mut fast, mut slow) = (0, 0);
        for (took, ideal) in times {
            assert_eq!(ideal, 88_643_520);
            match took == ideal {
                true => fast += 1,
                false => slow += usize::from(took > 2 * ideal),
            }
        }
        assert_eq!(
            fast + slow,
            40,
            "{fast} on the fast spine, {slow} on the other"
        );
        assert!(fast > 5 && slow > 5, "{fast} {slow}");
    }
}

/// A spray over two spines of 40 Gbps is twice as fast as either, and no faster than its ideal.
#[test]
fn a_spray_over_narrow_spines_is_measured_against_all_of_them() {
    let net = UPGRADE[0]
        .replace("s3,100", "s3,40")
        .replace("s3,s1,100", "s3,s1,40");
    let flows = "start,src,dst,size\n0 ms,0,1,1 MB\n";
    let sets = [
        "transport.initial_window=1000",
        "switch.capacity=1000 pkt",
        "switch.route=spray-rr",
        "transport.fast_retransmit=off",
    ];
    let times = times(&read(&net, flows, &sets.map(String::from)));
    let slowdown = times[0].0 as f64 / times[0].1 as f64;
    assert!((1.0..1.02).contains(&slowdown), "{slowdown}");
    assert!(times[0].1 < 115_000_000, "{times:?}");
}

fn rate() -> impl Strategy<Value = String> {
    let gbps = prop::sample::select(vec![1u32, 10, 25, 40, 100]);
    (gbps, 0u32..4).prop_map(|(gbps, us)| format!("{gbps} Gbps,{us} us"))
}

/// Six switches in a ring with further cables between them, and a host at each.
fn net() -> impl Strategy<Value = String> {
    let more = prop::collection::vec((0usize..6, 1usize..6, rate()), 0..8);
    (prop::collection::vec(rate(), 12), more).prop_map(|(rates, more)| {
        let mut text = "a,b,rate,delay\n".to_string();
        for i in 0..6 {
            text += &format!("h{i},s{i},{}\n", rates[i]);
            text += &format!("s{i},s{},{}\n", (i + 1) % 6, rates[6 + i]);
        }
        for (a, by, rate) in more {
            text += &format!("s{a},s{},{rate}\n", (a + by) % 6);
        }
        text
    })
}

fn flows() -> impl Strategy<Value = String> {
    let one = (0u32..400, 0usize..6, 1usize..6, 1u64..60_000);
    prop::collection::vec(one, 1..8).prop_map(|flows| {
        let mut text = "start,src,dst,size\n".to_string();
        for (us, src, by, size) in flows {
            text += &format!("{us} us,{src},{},{size} B\n", (src + by) % 6);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever the route, the transport and the windows.
    #[test]
    fn no_slowdown_is_below_1(
        net in net(),
        flows in flows(),
        scheme in prop::sample::select(vec![
            "dctcp", "tcp", "infinite", "swift", "pfabric", "mptcp", "trim", "pfc", "vertigo-no-deflection",
        ]),
        route in prop::sample::select(route::ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        window in prop::sample::select(vec![1u32, 10, 1000]),
    ) {
        let sets = [
            format!("schemes={scheme}"),
            format!("switch.route={route}"),
            format!("transport.initial_window={window}"),
        ];
        let scenario = read(&net, &flows, &sets);
        for (took, ideal) in times(&scenario) {
            prop_assert!(took >= ideal, "{took} {ideal}");
        }
    }
}
