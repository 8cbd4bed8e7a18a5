//! A network whose pauses lock: the command ends, and says which ports wait for each other.

mod common;

use common::Room;
use serde_json::Value;

#[test]
fn a_deadlock_is_a_warning_of_the_run_and_in_its_tables() {
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
    room.file(
        "around.toml",
        "duration = \"1 ms\"\ndrain = \"100 ms\"\nschemes = [\"pfc\"]\n\
         [topology]\nkind = \"custom\"\nfile = \"ring.csv\"\n\
         [workload.around]\nkind = \"flow_list\"\nfile = \"around.csv\"\n\
         [scheme.pfc.switch]\nbuffer = \"droptail\"\npfc_xoff = \"15 kB\"\n",
    );
    let done = room.run(&["run", "around.toml", "--json", "--out", "r"]);
    let said: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let warnings = said["warnings"].as_array().unwrap();
    let warned = |text: &str| warnings.iter().any(|w| w.as_str().unwrap().contains(text));
    assert!(warned("scheme pfc, seed 1: deadlock at"), "{warnings:?}");
    assert!(warned("the transport slows down on marks"), "{warnings:?}");
    assert_eq!(said["schemes"]["pfc"]["deadlocks"], 1);
    let shown = room.run(&["show", "r"]).with_status(0).out;
    assert!(shown.contains("deadlock at"), "{shown}");
}
