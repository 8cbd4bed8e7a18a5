//! The kernel's MPTCP: the number of subflows of a connection, and their different paths.
//!
//! **Decision**     a host announces its one address once more for each further subflow, each time with another
//!                  port (ADD_ADDR, RFC 8684 section 3.4.1). The end that opened the connection joins each
//!                  announced port, from a port that its kernel draws. So the 5-tuples of subflows differ at
//!                  both ends, and with them their hashes at every switch. Only a host that opens connections
//!                  accepts announcements: if both ends joined each other, they would exceed the limit of
//!                  subflows.
//! **Errors**       a kernel without MPTCP is refused; the error names what is missing.
//! **Deviations**   the kernel's windows are not coupled (RFC 6356); its scheduler and reinjection are its own.

use super::blueprint::{Blueprint, INTERFACE, address};
use super::sysctl::has_sysctl;
use super::tools;
use crate::error::Error;

/// Port that hosts listen on, with or without MPTCP.
pub const PORT: u16 = 7000;

/// Refuses to begin if the kernel has no MPTCP.
pub fn need() -> Result<(), Error> {
    need_of(has_sysctl("net/mptcp/enabled"))
}

fn need_of(has: bool) -> Result<(), Error> {
    match has {
        true => Ok(()),
        false => Err(Error::Input(
            "transport.kind = \"mptcp\": this kernel has no MPTCP: expected /proc/sys/net/mptcp/enabled \
             (CONFIG_MPTCP, Linux 5.16 or later), got none"
                .into(),
        )),
    }
}

/// Returns the lines of `ip` that allow subflows and announce ports in host `i`'s namespace.
pub fn lines(print: &Blueprint, i: usize) -> Vec<String> {
    let Some(subflows) = print.settings.subflows else {
        return Vec::new();
    };
    let more = subflows - 1;
    let ports = (1..=more as u16).map(|n| PORT + n);
    let announce = |port| {
        let at = address(i);
        format!("mptcp endpoint add {at} dev {INTERFACE} port {port} signal")
    };
    let mut lines = vec![limits(more, 0)];
    lines.extend(ports.map(announce));
    lines
}

/// Makes host `i` accept other hosts' announcements, or no longer.
pub fn take_announced(print: &Blueprint, i: usize, take: bool) -> Result<(), Error> {
    let Some(subflows) = print.settings.subflows else {
        return Ok(());
    };
    let more = subflows - 1;
    let line = limits(more, if take { more } else { 0 });
    tools::ip(Some(&print.host_space(i)), &[line])
}

fn limits(subflows: u32, announced: u32) -> String {
    format!("mptcp limits set subflows {subflows} add_addr_accepted {announced}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::blueprint::tests::paper;

    #[test]
    fn each_further_subflow_has_a_port_of_its_own() {
        let mut print = paper();
        assert_eq!(lines(&print, 0), [""; 0]);
        print.settings.subflows = Some(1);
        assert_eq!(
            lines(&print, 0),
            ["mptcp limits set subflows 0 add_addr_accepted 0"]
        );
        print.settings.subflows = Some(3);
        assert_eq!(
            lines(&print, 1),
            [
                "mptcp limits set subflows 2 add_addr_accepted 0",
                "mptcp endpoint add 10.77.0.2 dev eth0 port 7001 signal",
                "mptcp endpoint add 10.77.0.2 dev eth0 port 7002 signal",
            ]
        );
    }

    #[test]
    fn a_kernel_without_mptcp_is_refused() {
        assert!(need_of(true).is_ok());
        let why = need_of(false).unwrap_err().to_string();
        assert!(why.contains("this kernel has no MPTCP: expected"), "{why}");
    }
}
