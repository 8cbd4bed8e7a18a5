//! Stand-ins for what `sidestep-sim` is about to have. Gone once it has it.
#![allow(missing_docs)]
pub trait Files {
    fn read(&self, path: &str) -> Result<String, String>;
}
pub struct NoFiles;
impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("no files can be read here".into())
    }
}
pub mod topology {
    use sidestep_sim::{Cable, End, Network};
    use sidestep_types::*;
    pub const ENTRIES: &[Entry] = &[
        Entry {
            name: "fat_tree",
            summary: "",
            source: "",
            params: &[
                Param::required("k", ParamUnit::Count, "ports of a switch"),
                Param::with_default("rate", ParamUnit::Rate, "1 Gbps", "x"),
                Param::with_default("delay", ParamUnit::Time, "1 us", "assumed"),
            ],
        },
        Entry {
            name: "single_switch",
            summary: "",
            source: "",
            params: &[
                Param::required("hosts", ParamUnit::Count, "x"),
                Param::with_default("rate", ParamUnit::Rate, "1 Gbps", "x"),
            ],
        },
    ];
    pub fn build(name: &str, values: &Values, _: &dyn super::Files) -> Result<Network, String> {
        let hosts = if name == "fat_tree" {
            let k = values.count("k");
            if k % 2 == 1 || k == 0 {
                return Err(format!("k must be even, got {k}"));
            }
            k * k * k / 4
        } else {
            values.count("hosts")
        } as u32;
        let cable = |h| Cable {
            a: End::Host(HostId(h)),
            b: End::Switch(SwitchId(0)),
            rate: values.rate("rate"),
            delay: Time::from_us(1),
        };
        Ok(Network {
            hosts,
            switches: vec!["s".into()],
            cables: (0..hosts).map(cable).collect(),
        })
    }
}
pub mod workload {
    use sidestep_sim::*;
    use sidestep_types::*;
    pub const ENTRIES: &[Entry] = &[
        Entry {
            name: "query",
            summary: "",
            source: "",
            params: &[
                Param::required("rate", ParamUnit::PerSecond, "queries a second"),
                Param::with_default("degree", ParamUnit::Count, "40", "x"),
                Param::with_default("size", ParamUnit::Bytes, "20 kB", "x"),
            ],
        },
        Entry {
            name: "incast",
            summary: "",
            source: "",
            params: &[Param::with_default("degree", ParamUnit::Count, "40", "x")],
        },
    ];
    pub struct AnyWorkload;
    pub fn build(
        _: &str,
        values: &Values,
        _: &dyn super::Files,
        hosts: u32,
    ) -> Result<AnyWorkload, String> {
        if values.count("degree") >= u64::from(hosts) {
            return Err(format!(
                "degree must be below the number of hosts ({hosts}), got {}",
                values.count("degree")
            ));
        }
        Ok(AnyWorkload)
    }
    impl AnyWorkload {
        pub fn plan(
            &self,
            class: u8,
            _: Time,
            _: Seed,
            name: &str,
            plan: &mut Plan,
        ) -> Result<(), String> {
            assert_eq!(usize::from(class), plan.classes.len());
            plan.classes.push(name.into());
            Ok(())
        }
    }
}
