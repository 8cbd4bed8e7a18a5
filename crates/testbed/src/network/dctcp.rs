//! DCTCP for kernels without it: our BPF program, built, registered and removed.
//!
//! **Decision**     the kernel's `dctcp` if it has one and the parameters are its defaults.
//! **State**        one `struct_ops` map in the kernel, called `dctcp_` and a digest of the testbed's name, and
//!                  one with each connection's alpha, called `alpha_` and the same digest.
//! **Errors**       name the Debian package of the tool that is missing.

use super::blueprint::Congestion;
use super::{bpf, state, tools};
use crate::error::{Error, failed};
use std::fs;
use std::time::{Duration, Instant};

/// Source of the program.
const SOURCE: &str = include_str!("../../bpf/sidestep_dctcp.bpf.c");

/// Kernel's name of a host's congestion control, by whether it is ours to register.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Part of the kernel already.
    Own(&'static str),
    /// To be registered under this name.
    Ours(String),
}

impl Control {
    /// Chooses the congestion control for the testbed called `name`.
    pub fn of(congestion: Congestion, name: &str) -> Control {
        let usual = Congestion::Dctcp {
            gain: 64,
            initial_alpha: 1024,
        };
        match congestion {
            Congestion::Reno => Control::Own("reno"),
            c if c == usual && available().iter().any(|n| n == "dctcp") => Control::Own("dctcp"),
            Congestion::Dctcp { .. } => Control::Ours(own_name(name)),
        }
    }

    /// Returns the value of `tcp_congestion_control`.
    pub fn name(&self) -> &str {
        match self {
            Control::Own(name) => name,
            Control::Ours(name) => name,
        }
    }
}

/// Returns the congestion controls that the kernel has now; loads the module `dctcp` first if there is one.
pub fn available() -> Vec<String> {
    ask_for_dctcp();
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let list = list.unwrap_or_default();
    list.split_whitespace().map(String::from).collect()
}

/// Requests `dctcp` on a temporary socket, so that the kernel loads the module.
fn ask_for_dctcp() {
    use std::os::fd::AsRawFd;
    let Ok(socket) = std::net::TcpListener::bind("127.0.0.1:0") else {
        return;
    };
    let name = b"dctcp";
    // SAFETY: the pointer and length are of `name`. A refusal means that the kernel has no `dctcp`.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            name.len() as libc::socklen_t,
        );
    }
}

/// Returns a name of 14 characters (of at most 15) with the FNV-1a digest of the testbed's name, so that two
/// testbeds have different names.
pub fn own_name(testbed: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = testbed.bytes().fold(0x811c_9dc5, mix);
    format!("{OURS}{hash:08x}")
}

/// Returns the name of the map with each connection's alpha under the congestion control `own`; `None` if that
/// is not one of ours.
pub fn shown_name(own: &str) -> Option<String> {
    Some(format!("{SHOWN}{}", own.strip_prefix(OURS)?))
}

/// Prefix of our congestion controls' names, and of their maps' names.
const OURS: &str = "dctcp_";
const SHOWN: &str = "alpha_";

/// Refuses to begin if a tool to build or load the program is missing.
pub fn need() -> Result<(), Error> {
    bpf::need(&format!(
        "this kernel has no dctcp (tcp_available_congestion_control: {}); building Sidestep's",
        available().join(" ")
    ))
}

/// Builds the program in a folder of the testbed's and registers it as `name`.
pub fn register(testbed: &str, name: &str, congestion: Congestion) -> Result<(), Error> {
    let Congestion::Dctcp {
        gain,
        initial_alpha,
    } = congestion
    else {
        return Ok(());
    };
    let dir = state::folder(testbed).join("dctcp");
    let shown = shown_name(name).expect("a name of ours");
    let defines = [
        format!("SIDESTEP_NAME={name}"),
        format!("SIDESTEP_SHOWN={shown}"),
        format!("SIDESTEP_GAIN={gain}"),
        format!("SIDESTEP_INITIAL_ALPHA={initial_alpha}"),
    ];
    let object = bpf::build(&dir, SOURCE, &defines)?;
    tools::run("bpftool", &["struct_ops", "register", &object], "")?;
    let doing = format!("cannot remove {}", dir.display());
    fs::remove_dir_all(&dir).map_err(failed(doing))
}

/// Removes the program called `name` from the kernel, if it is there.
///
/// Namespaces and sockets that use it keep its map, so they must be removed first. The kernel releases them
/// with a delay; this function waits for that.
pub fn unregister(name: &str) -> Result<(), Error> {
    if !available().iter().any(|n| n == name) {
        return Ok(());
    }
    tools::run("bpftool", &["struct_ops", "unregister", "name", name], "")?;
    let began = Instant::now();
    while tools::run("bpftool", &["struct_ops", "list"], "")?.contains(name) {
        if began.elapsed() > PATIENCE {
            return Err(Error::Work(format!(
                "the BPF program {name} is unregistered but still in the kernel after {} s: a \
                 socket uses it",
                PATIENCE.as_secs()
            )));
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    Ok(())
}

/// Longest wait for the kernel to release a namespace.
const PATIENCE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_kernel_and_differ() {
        assert_eq!(own_name("a").len(), 14);
        assert_ne!(own_name("a"), own_name("b"));
        assert_eq!(Control::of(Congestion::Reno, "a").name(), "reno");
        let shown = shown_name(&own_name("a")).unwrap();
        assert_eq!(shown.len(), 14);
        assert!(!shown.starts_with(OURS));
        assert_eq!(shown_name("dctcp").or(shown_name("dctcp-reno")), None);
    }
}
