//! Tests of a network whose pauses deadlock: the command ends, and names the ports that wait for each other.

use crate::common;

use common::Room;
use serde_json::Value;

/// Creates a ring of five switches, and a scenario of this name whose flows go two switches on.
fn room_with(name: &str, more: &str) -> Room {
    let room = Room::new();
    let mut ring = "a,b,rate,delay\n".to_string();
    let mut flows = "start,src,dst,size\n".to_string();
    for i in 0..5 {
        let next = (i + 1) % 5;
        ring += &format!("h{i},s{i},1 Gbps,1 us\ns{i},s{next},1 Gbps,1 us\n");
        flows += &format!("0 us,{i},{},2 MB\n", (i + 2) % 5);
    }
    room.file("ring.csv", &ring);
    room.file("around.csv", &flows);
    let text = "duration = \"1 ms\"\ndrain = \"100 ms\"\nschemes = [\"pfc\"]\n\
         [topology]\nkind = \"custom\"\nfile = \"ring.csv\"\n\
         [workload.around]\nkind = \"flow_list\"\nfile = \"around.csv\"\n\
         [scheme.pfc.switch]\nbuffer = \"droptail\"\n";
    room.file(name, &format!("{text}{more}"));
    room
}

#[test]
fn a_deadlock_is_a_warning_of_the_run_and_in_its_tables() {
    let room = room_with("around.toml", "pfc_xoff = \"15 kB\"\n");
    let done = room.run(&["run", "around.toml", "--json", "--out", "r"]);
    let said: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let warnings = said["warnings"].as_array().unwrap();
    let warned = |text: &str| warnings.iter().any(|w| w.as_str().unwrap().contains(text));
    assert!(warned("scheme pfc, seed 1: deadlock at"), "{warnings:?}");
    assert!(warned("the transport reacts to marks"), "{warnings:?}");
    assert_eq!(said["schemes"]["pfc"]["deadlocks"], 1);
    let shown = room.run(&["show", "r"]).with_status(0).out;
    assert!(shown.contains("deadlock at"), "{shown}");
}

#[test]
fn a_sweep_warns_of_the_deadlocks_of_its_points_alone() {
    let sweep = "[sweep]\n\"switch.pfc_xoff\" = [\"15 kB\", \"15 MB\"]\n";
    let room = room_with("swept.toml", sweep);
    // The second time every run comes from the cache.
    for out in ["a", "b"] {
        let done = room.run(&["run", "swept.toml", "--json", "--out", out]);
        let said: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
        let warnings = said["warnings"].as_array().unwrap().iter();
        let told = warnings.filter(|w| w.as_str().unwrap().contains("deadlock at"));
        let told: Vec<&Value> = told.collect();
        assert_eq!(told.len(), 1, "{told:?}");
        let words = told[0].as_str().unwrap();
        assert!(
            words.starts_with("at 15 kB: scheme pfc, seed 1: "),
            "{words}"
        );
        let shown = room.run(&["show", out]).with_status(0).out;
        assert!(shown.contains("deadlock at"), "{shown}");
    }
}
