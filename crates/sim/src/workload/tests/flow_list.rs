//! Flow lists, from a file.

use super::*;

/// A file system of one file.
struct One(String);

impl Files for One {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
}

fn listed(text: &str) -> Result<AnyWorkload, Refusal> {
    let files = One(text.to_string());
    build(
        "flow_list",
        &values("flow_list", &[("file", "f.csv")]),
        &files,
        &network(4),
    )
}

#[test]
fn a_flow_list_is_planned_as_it_stands_with_classes_of_its_own() {
    let rows = "1 ms,0,1,20 kB,web\n2 ms,1,2,endless,\n0 ms,2,3,1 B,dns\n3 ms,3,0,1 B,web\n1 s,0,1,1 B,late\n";
    let made = listed(&format!("start,src,dst,size,class\n{rows}")).unwrap();
    let mut plan = TrafficPlan {
        classes: vec!["query".into(), "trace".into()],
        ..TrafficPlan::default()
    };
    made.plan(1, SECOND, Seed(1), "trace", &mut plan).unwrap();
    assert_eq!(plan.classes, ["query", "trace", "trace/web", "trace/dns"]);
    let got: Vec<_> = plan
        .flows
        .iter()
        .map(|f| (at(f).as_ms_f64(), f.src.0, f.dst.0, f.class))
        .collect();
    assert_eq!(
        got,
        [
            (1.0, 0, 1, 2),
            (2.0, 1, 2, 1),
            (0.0, 2, 3, 3),
            (3.0, 3, 0, 2)
        ]
    );
    assert!(plan.flows[1].is_endless());
    let load = made.load(Cost::default(), SECOND);
    assert_eq!(
        (load.flows_per_s, load.endless, load.payload_bps),
        (4.0, 1, 160_016.0)
    );
    assert_eq!(load.notes[1], "left out, with a start at 1 s or later: 1");
}

#[test]
fn flows_of_a_group_are_kept_together_with_what_is_left_out_of_them() {
    let rows = "2 ms,0,1,1 B,web,a\n1 ms,1,2,1 B,web,a\n1 ms,2,3,1 B,,b\n1 ms,3,0,1 B,,\n\
                3 ms,2,3,1 B,web,b\n1 s,0,1,1 B,web,a\n1 s,0,1,1 B,web,late\n";
    let made = listed(&format!("start,src,dst,size,class,group\n{rows}")).unwrap();
    let mut plan = TrafficPlan {
        classes: vec!["trace".into()],
        ..TrafficPlan::default()
    };
    made.plan(0, SECOND, Seed(1), "trace", &mut plan).unwrap();
    let groups: Vec<_> = (plan.groups.iter())
        .map(|g| (&*g.name, g.class, g.start.as_ms_f64(), g.left_out))
        .collect();
    assert_eq!(groups, [("a", Some(1), 1.0, 1), ("b", None, 1.0, 0)]);
    let flows =
        |group: usize| -> Vec<u32> { plan.groups[group].flows.iter().map(|f| f.0).collect() };
    assert_eq!((flows(0), flows(1)), (vec![0, 1], vec![2, 4]));
    assert!(made.has_groups());
    assert_eq!(made.classes("trace", SECOND), ["trace", "trace/web"]);
    assert_eq!(
        made.classes("trace", Time::from_us(1_500)),
        ["trace", "trace/web"]
    );
    assert_eq!(made.classes("trace", Time::ZERO), [""; 0]);
}

#[test]
fn a_flow_list_is_refused_where_it_is_wrong() {
    let said = listed("start,src,dst,size\n1 ms,0,4,1 B\n").unwrap_err();
    assert_eq!(
        said.to_string(),
        "f.csv:2: expected a host from 0 to 3, got \"4\""
    );
    let rows: String = (0..300).map(|i| format!("1 ms,0,1,1 B,c{i}\n")).collect();
    let made = listed(&format!("start,src,dst,size,class\n{rows}")).unwrap();
    let mut plan = TrafficPlan::default();
    let said = made
        .plan(0, SECOND, Seed(1), "trace", &mut plan)
        .unwrap_err();
    assert_eq!(
        said.to_string(),
        "expected at most 256 classes in a run, got one more, \"c256\""
    );
}

#[test]
fn a_listed_mss_is_kept_and_the_others_are_drawn() {
    let rows = "0 us,0,1,20 kB,9 kB\n0 us,1,2,20 kB,\n0 us,2,3,20 kB,536 B\n";
    let files = One(format!("start,src,dst,size,mss\n{rows}"));
    let of = |set: &[(&str, &str)]| {
        let made = build("flow_list", &values("flow_list", set), &files, &network(4)).unwrap();
        let mss: Vec<_> = planned(&made, SECOND, 1)
            .flows
            .iter()
            .map(|f| f.mss_or(0))
            .collect();
        (mss, made.largest_mss())
    };
    let file = ("file", "f.csv");
    assert_eq!(of(&[file]), (vec![9_000, 0, 536], Some((9_000, "file"))));
    assert_eq!(
        of(&[file, ("mss", "100 B")]),
        (vec![9_000, 100, 536], Some((9_000, "file")))
    );
    let load = |text: &str| {
        let load = listed(text).unwrap().load(Cost::default(), SECOND);
        (load.packets_per_s, load.payload_bps)
    };
    assert_eq!(load(&files.0), (3.0 + 14.0 + 38.0, 480_000.0));
    let said = |mss: &str| {
        listed(&format!(
            "start_us,src,dst,size_bytes,mss_bytes\n0,0,1,1,{mss}\n"
        ))
        .unwrap_err()
        .to_string()
    };
    assert_eq!(
        said("0"),
        "f.csv:2: expected an mss from 1 B to 9000 B, got 0 B"
    );
    assert_eq!(
        said("9001"),
        "f.csv:2: expected an mss from 1 B to 9000 B, got 9001 B"
    );
}
