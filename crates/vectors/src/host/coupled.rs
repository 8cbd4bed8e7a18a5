//! Rows of coupled windows: windows and round trips, an acknowledgement on one subflow, and the growth of its
//! window.

use super::cells::begin;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::{Setting, drawn_settings};
use sidestep_transport::Window;
use sidestep_transport::mptcp::{Coupling, coupled};
use sidestep_types::{Entry, Rng, Seed, Time, Values, Words};

/// Returns the only setting: there are no parameters.
pub fn settings(_: &'static Entry) -> Vec<Setting> {
    let mut rng = Seed(0).stream("settings");
    drawn_settings(&Values::default(), &[], None, 0, &mut rng, |_| true)
}

/// Subflow, mostly after slow start.
#[derive(Clone)]
struct Path {
    window: Window,
    round_trip: Option<Time>,
}

/// Returns the rows of one connection whose windows are never cut.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    const STEPS: u32 = 16;
    let coupling = Coupling::from_name(entry.name).expect("it is listed");
    let mut rng = seed.stream(("coupled", entry.name, u64::from(number)));
    let mss = [536, 1_460, 8_960][rng.below(3) as usize];
    let many = [1, 2, 2, 2, 3, 4, 8, 16][rng.below(8) as usize];
    let mut paths: Vec<Path> = (0..many).map(|_| draw_path(&mut rng, mss)).collect();
    let row = |step| {
        if step > 0 {
            let moved = rng.below(paths.len() as u64) as usize;
            paths[moved].round_trip = draw_round_trip(&mut rng);
        }
        let least = match coupling {
            Coupling::Lia => coupled::least(paths.iter().map(|p| (p.window.cwnd, p.round_trip))),
            Coupling::Uncoupled => 0,
        };
        let mut row = begin(setting, (number, step, STEPS));
        row.put("mss_bytes", mss);
        put(&mut row, &paths);
        let subflow = rng.below(paths.len() as u64) as usize;
        let window = &mut paths[subflow].window;
        let acked = draw_acked(&mut rng, window, least);
        row.put("subflow", subflow);
        row.put("acked_bytes", acked);
        match coupling {
            Coupling::Lia => window.grow_within(acked, least),
            Coupling::Uncoupled => window.grow(acked),
        }
        row.put("least_bytes", least);
        row.put("cwnd_after_bytes", window.cwnd);
        row
    };
    (0..STEPS).map(row).collect()
}

fn draw_path(rng: &mut Rng, mss: u64) -> Path {
    let mut window = Window::new(mss, 1 + rng.below(60));
    // A recovery can leave any number of bytes.
    window.cwnd += rng.below(mss);
    let slow_start = chance(rng, 6);
    window.ssthresh = window.cwnd + if slow_start { 5 * mss } else { 0 };
    Path {
        window,
        round_trip: draw_round_trip(rng),
    }
}

/// Draws a round trip of 10 us to 30 ms; `None` before the first acknowledgement.
fn draw_round_trip(rng: &mut Rng) -> Option<Time> {
    let least = [10, 100, 100, 1_000, 10_000][rng.below(5) as usize];
    let at = Time::from_us(least) + Time::from_ps(rng.below(2_000_000 * least));
    (!chance(rng, 8)).then_some(at)
}

/// Draws acknowledged bytes, enough for the window to grow at times.
fn draw_acked(rng: &mut Rng, window: &Window, least: u64) -> u64 {
    let enough = window.cwnd.max(least);
    let most = [window.mss, 10 * window.mss, enough][rng.below(3) as usize];
    1 + rng.below(most)
}

fn put(row: &mut Row, paths: &[Path]) {
    row.put_list("cwnd_bytes", paths.iter().map(|p| p.window.cwnd));
    row.put_list("ssthresh_bytes", paths.iter().map(|p| p.window.ssthresh));
    let round_trip = |p: &Path| p.round_trip.map_or("-".into(), |at| at.ps().to_string());
    row.put_list("round_trip_ps", paths.iter().map(round_trip));
}
