//! Network whose pauses deadlock, for the tests of deadlocks and of trajectories.
#![allow(dead_code, reason = "each test file uses its part")]

use sidestep_sim::Files;

/// Five switches in a ring with a host each, and flows from each host to the one two switches on.
pub struct Ring;

impl Files for Ring {
    fn read(&self, path: &str) -> Result<String, String> {
        let mut text = String::new();
        match path {
            "ring.csv" => {
                text.push_str("a,b,rate,delay\n");
                for i in 0..5 {
                    text.push_str(&format!("h{i},s{i},1 Gbps,1 us\n"));
                }
                for i in 0..5 {
                    text.push_str(&format!("s{i},s{},1 Gbps,1 us\n", (i + 1) % 5));
                }
            }
            "around.csv" => {
                text.push_str("start,src,dst,size\n");
                for i in 0..5 {
                    text.push_str(&format!("0 us,{i},{},2 MB\n", (i + 2) % 5));
                }
            }
            _ => return Err("no such file".into()),
        }
        Ok(text)
    }
}

/// Flows around the ring, under pauses.
pub const AROUND: &str = r#"duration = "1 ms"
drain = "300 ms"
schemes = ["pfc"]
[topology]
kind = "custom"
file = "ring.csv"
[workload.around]
kind = "flow_list"
file = "around.csv"
[scheme.pfc.switch]
buffer = "droptail"
pfc_xoff = "15 kB"
"#;
