//! Probes of a running simulation: `[probe]` of a scenario, and their results.
//!
//! **Decision**     the world stops at the end of each window and at each instant, is queried,
//!                  and continues: a run with probes equals the run without them, byte for byte.
//! **State**        counts of links, workloads and drops at the end of the previous window.
//! **Units**        shares of a link's rate and of buffers, 0 to 1; times in picoseconds.
//! **Errors**       none: impossible probes are refused when the scenario is read.
//! **Source**       Zarifis et al., EuroSys 2014 (DIBS), Figures 1, 2, 4 and 5.
//! **Deviations**   the paper does not say over which windows a link is hot, nor which ports
//!                  count as its neighbourhood: assumed, in `docs/reference/metrics.md`.

mod between;
mod log;
mod neighbours;
mod prober;
mod samples;
mod seen;
mod spec;
mod window;
mod windowed;

pub use between::Between;
pub(crate) use between::EXPECTED as LINKS_EXPECTED;
pub use log::drops_at;
pub(crate) use prober::{Prober, Saved, View};
pub use seen::{
    FlowsFrom, LoggedDetour, LoggedEvent, LoggedPath, LoggedStep, Loops, Occupancy, Probed,
};
pub(crate) use spec::classes_of;
pub use spec::{MOST_DETOURS, Probe};

#[cfg(test)]
mod testing {
    //! Network and queues for the tests of probes.

    use sidestep_sim::{Network, NoFiles};
    use sidestep_switch::Depth;

    /// Builds four switches in a row, one host each: cables 0 to 3 to hosts, 4 to 6 along the row.
    pub fn row() -> Network {
        let text = "duration = \"1 ms\"\nschemes = \"dctcp\"\n\
            [topology]\nkind = \"linear\"\nswitches = 4\nhosts_per_switch = 1\n\
            [workload.one]\nkind = \"long\"\n";
        let read = crate::Scenario::read("t.toml", text, &[], &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        (*scenario.network).clone()
    }

    pub fn packets(at: &[(usize, u32)]) -> Vec<Depth> {
        let mut depths = vec![Depth::default(); 14];
        for (place, packets) in at {
            depths[*place].packets = *packets;
            depths[*place].bytes = 1518 * packets;
        }
        depths
    }
}
