//! Notices of a switch as lines of its log.

use crate::machine::{Notice, Noticed};

/// Describes a notice in one line; `names` are those of the ports.
pub fn told(notice: &Notice, names: &[String]) -> String {
    let port = &names[notice.port.index()];
    let refused = |what: &str, key: &str| {
        format!("port {port}: {what} exceed {key}; the excess is refused (counter {key})")
    };
    let line = match notice.what {
        Noticed::LearnLimit(mac, limit) => {
            format!("port {port}: learn_limit of {limit} addresses reached; {mac} was not learned")
        }
        Noticed::StormBroadcast => refused("broadcasts", "storm_broadcast"),
        Noticed::StormMulticast => refused("multicasts", "storm_multicast"),
        Noticed::StormUnknown => refused("frames to unknown stations", "storm_unknown"),
        Noticed::Loop { sent, blocked } => {
            let sent = &names[sent.index()];
            let blocked = blocked.map_or(String::new(), |blocked| {
                format!(
                    "; port {} is blocked until the loop is gone",
                    names[blocked.index()]
                )
            });
            format!(
                "loop: port {port} receives probes that this switch sends by port {sent}{blocked}"
            )
        }
        Noticed::Unblocked => format!("port {port} is unblocked: no probe comes back"),
    };
    match notice.times {
        0 | 1 => line,
        n => format!("{line} ({n} frames since the last such line)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Mac;
    use sidestep_types::{PortId, Time};

    #[test]
    fn a_line_names_the_port_and_how_often_it_happened() {
        let names = ["a".to_string(), "up".to_string()];
        let mut notice = Notice {
            at: Time::ZERO,
            port: PortId(1),
            what: Noticed::LearnLimit(Mac([2, 0, 0, 0, 0, 9]), 16),
            times: 1,
        };
        let line = "port up: learn_limit of 16 addresses reached; 02:00:00:00:00:09 was not \
                    learned";
        assert_eq!(told(&notice, &names), line);
        notice.times = 7;
        assert_eq!(
            told(&notice, &names),
            format!("{line} (7 frames since the last such line)")
        );
        notice.what = Noticed::Loop {
            sent: PortId(0),
            blocked: Some(PortId(1)),
        };
        notice.times = 1;
        let line = "loop: port up receives probes that this switch sends by port a; port up is \
                    blocked until the loop is gone";
        assert_eq!(told(&notice, &names), line);
        notice.what = Noticed::StormUnknown;
        notice.times = 1;
        let line = "port up: frames to unknown stations exceed storm_unknown; the excess is \
                    refused (counter storm_unknown)";
        assert_eq!(told(&notice, &names), line);
    }
}
