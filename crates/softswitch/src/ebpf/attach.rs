//! The program at interfaces, and the token buckets behind them that keep each port's rate.
//!
//! **Decision**     none: a token bucket (tbf) of the port's rate, whose limit is far above the port's
//!                  capacity, so that it never drops: all drops are the program's.
//! **State**        a child process that waits for the end of this process, for whatever reason, and then
//!                  removes the buckets; the kernel itself detaches programs whose descriptors are closed.
//! **Units**        bits per second; the bucket counts FCS, preamble, gap and padding as the program does.
//! **Errors**       name the interface, and the kernel's option that is missing.

use super::compile::ran;
use super::kernel::Link;
use super::plan::ProgramConfig;
use super::program::Loaded;
use super::tools::call;
use crate::io::interface::Inquiry;
use crate::io::sys::Tried;
use crate::setup::Setup;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Nanoseconds' worth of data that a bucket may send at once, besides one frame. It makes up for a late timer;
/// lateness beyond it is lost to the port for good: with one frame alone a port of 100 Mbps sent 0.81 of its
/// rate on a busy machine, and its backlog grew above what the program admits.
const BURST_NS: u64 = 200_000;
/// Bytes of the longest frame as the bucket counts it, with some room for its own rounding.
const ONE_FRAME: u64 = 1600;

/// Ports of a running switch.
#[derive(Debug)]
pub(super) struct Attached {
    /// Numbers of the interfaces, in the order of the ports.
    pub interfaces: Vec<i32>,
    _links: Vec<Link>,
    _keeper: BucketCleaner,
}

/// Returns the numbers of the interfaces.
pub(super) fn interfaces(setup: &Setup) -> Result<Vec<i32>, String> {
    let inquiry = Inquiry::new().map_err(|e| e.to_string())?;
    (setup.ports.iter())
        .map(|port| {
            let found = inquiry.interface(&port.interface);
            let found = found.tried(|| format!("find interface {:?}", port.interface));
            let found = found.map_err(|e| format!("port {}: {e}", port.name))?;
            Ok(found.index)
        })
        .collect()
}

/// Attaches buckets and the program, which has received the switch's config, to the ports.
pub(super) fn attach(
    loaded: &Loaded,
    plan: &ProgramConfig,
    setup: &Setup,
    interfaces: Vec<i32>,
) -> Result<Attached, String> {
    let names: Vec<&str> = setup.ports.iter().map(|p| p.interface.as_str()).collect();
    let keeper = BucketCleaner::start(&names)?;
    for port in &setup.ports {
        bucket(&port.interface, port.rate.as_bps(), plan.most_bytes())
            .map_err(|e| format!("port {}: {e}", port.name))?;
    }
    let mut links = Vec::new();
    for (port, interface) in setup.ports.iter().zip(&interfaces) {
        let link = loaded.program.attach(*interface).map_err(|e| {
            format!(
                "port {}: cannot attach the program to interface {:?}: {e} (tcx: Linux 6.6 or newer with \
                 CONFIG_NET_XGRESS)",
                port.name, port.interface
            )
        })?;
        links.push(link);
    }
    Ok(Attached {
        interfaces,
        _links: links,
        _keeper: keeper,
    })
}

/// Puts a token bucket at the root of an interface.
fn bucket(interface: &str, rate: u64, most_bytes: u64) -> Result<(), String> {
    let burst = burst(rate);
    let mut command = call("tc");
    command.args(["qdisc", "replace", "dev", interface, "root", "tbf"]);
    command.args(["rate", &format!("{rate}bit"), "burst", &burst.to_string()]);
    command.args(["limit", &most_bytes.min(u64::from(u32::MAX)).to_string()]);
    command.args(["overhead", "24", "mpu", "84"]);
    ran(command, "tc qdisc replace … tbf")
        .map_err(|why| format!("{why}\nthe kernel must have CONFIG_NET_SCH_TBF"))
}

/// Returns the bytes that a bucket of this rate sends at once.
fn burst(rate: u64) -> u64 {
    ONE_FRAME + (u128::from(rate) * u128::from(BURST_NS) / 8_000_000_000) as u64
}

/// Child process that removes the buckets when this process has ended.
#[derive(Debug)]
struct BucketCleaner(Child);

impl BucketCleaner {
    fn start(interfaces: &[&str]) -> Result<BucketCleaner, String> {
        // Reads until the pipe is closed, by this process or by its end. Names are passed as arguments, not as
        // text of the shell.
        const WAIT: &str =
            "cat >/dev/null; for i; do tc qdisc del dev \"$i\" root 2>/dev/null; done";
        let mut command = Command::new("sh");
        command
            .args(["-c", WAIT, "sidestep-keeper"])
            .args(interfaces);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Ctrl-C at a terminal is for this process alone.
        let child = command.process_group(0).spawn();
        child
            .map(BucketCleaner)
            .map_err(|e| format!("cannot run sh, which takes qdiscs away at the end: {e}"))
    }
}

impl Drop for BucketCleaner {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_room_for_a_frame_and_for_a_late_timer() {
        assert_eq!(burst(1_000), ONE_FRAME);
        assert_eq!(burst(100_000_000), ONE_FRAME + 2_500);
        assert_eq!(burst(100_000_000_000), ONE_FRAME + 2_500_000);
    }
}
