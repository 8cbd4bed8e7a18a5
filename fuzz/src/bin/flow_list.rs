//! Fuzzes a flow list with any text: it is refused, or becomes flows that can be run and that read back when
//! written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_sim::FlowPlan;
use sidestep_sim::flow_list::{ListedFlow, parse};

const HOSTS: u32 = 16;

fuzz_target!(|text: &str| {
    let Ok(flows) = parse("fuzz.csv", text, HOSTS) else {
        return;
    };
    for flow in &flows {
        assert!(flow.src != flow.dst, "a flow to itself: {flow:?}");
        assert!(
            flow.src.0 < HOSTS && flow.dst.0 < HOSTS,
            "no such host: {flow:?}"
        );
        assert!(flow.size > 0, "an empty flow: {flow:?}");
    }
    let again = parse("again.csv", &write(&flows), HOSTS).expect("what is written reads back");
    assert_eq!(again, flows);
});

fn write(flows: &[ListedFlow]) -> String {
    let mut text = String::from("start_ps,src,dst,size,mss,class,group\n");
    for flow in flows {
        let ListedFlow {
            start,
            src,
            dst,
            size,
            mss,
            class,
            group,
        } = flow;
        let size = match *size {
            FlowPlan::ENDLESS => "endless".to_string(),
            bytes => format!("{bytes} B"),
        };
        let mss = mss.map_or(String::new(), |mss| format!("{mss} B"));
        let quoted = |word: &Option<String>| word.as_deref().unwrap_or("").replace('"', "\"\"");
        let (class, group) = (quoted(class), quoted(group));
        text.push_str(&format!(
            "{},{},{},{size},{mss},\"{class}\",\"{group}\"\n",
            start.ps(),
            src.0,
            dst.0
        ));
    }
    text
}
