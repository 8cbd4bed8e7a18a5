//! Fuzzes the import of another tool's file with any bytes: it is refused briefly, or becomes flows that a flow
//! list accepts, or sizes that a workload accepts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_import::{Columns, Format, Hosts, Nodes, Options, OutputKind, Spread, import};
use sidestep_sim::cdf::SizeCdf;
use sidestep_sim::flow_list::parse;

/// Largest number of hosts of an import.
const HOSTS: u32 = 1 << 20;

/// Columns by hand; the first four are for files without a header.
const COLUMNS: [&str; 8] = [
    "src,dst,pg,packets,start,stop",
    "src,dst,bytes,start",
    "packets,-,share",
    "bytes,percent",
    "start_ms=start,size=bytes",
    "src=a,dst=b,class=type",
    "start_us=start",
    "bytes=size,share=cdf",
];

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (which, by_hand, bytes) = input;
    let _ = Hosts::read("fuzz.map", bytes);
    let _ = Nodes::read("fuzz.topology", bytes);
    let options = Options {
        class_by_port: which & 1 == 1,
        udp: which & 2 == 2,
        drop_triggered: which & 4 == 4,
        columns: COLUMNS
            .get(usize::from(by_hand & 15))
            .map(|columns| Columns::read(columns).expect("columns")),
        packet: (by_hand & 16 == 16).then_some(1000),
        // The bits that name the format of bytes that show none.
        spread: match which & 24 {
            8 => Spread::Found,
            16 => Spread::Step(1_000_000_000),
            _ => Spread::No,
        },
        sampling: (which & 32 == 32).then_some(1000),
        length: (which & 64 == 64).then_some(1_000_000_000_000),
        ..Options::new()
    };
    let named = Format::ALL[usize::from(which >> 3) % Format::ALL.len()].1;
    let format = Format::of(bytes).unwrap_or(named);
    if let Err(said) = Format::detect("fuzz", bytes, &options) {
        assert!(said.len() < 1_000 && !said.contains('\x1b'), "{said}");
    }
    let imported = match import("fuzz", bytes, format, &options) {
        Ok(imported) => imported,
        Err(said) => {
            // One line for each cause, and for each kind of queues.
            let brief = said.lines().all(|line| line.len() < 1_000) && said.lines().count() < 10;
            assert!(brief && !said.contains('\x1b'), "{said}");
            return;
        }
    };
    for (made, text) in &imported.files {
        if *made == OutputKind::Hosts {
            // The map of an import numbers the hosts of the next one in the same way.
            let hosts = Hosts::read("fuzz.hosts.csv", text.as_bytes()).expect("a map is read");
            let mapped = Options {
                hosts: Some(hosts),
                ..options.clone()
            };
            let again = import("fuzz", bytes, format, &mapped).expect("the file reads again");
            assert_eq!(again.list, imported.list);
        }
        if *made == OutputKind::Sizes {
            SizeCdf::parse("fuzz.sizes.csv", text).expect("a workload takes it");
        }
        if *made == OutputKind::Flows {
            // A flow list with groups has a column for them.
            let rows = text.lines().filter(|line| !line.starts_with('#'));
            if !rows
                .clone()
                .next()
                .is_some_and(|header| header.ends_with(",group"))
            {
                let read = parse("fuzz.flows.csv", text, HOSTS).expect("a flow list takes it");
                assert_eq!(read.len() + 1, rows.count());
            }
        }
    }
});
