//! Notices of a switch as lines of its log.

use crate::machine::{Notice, Noticed};

/// Describes a notice in one line; `names` are those of the ports.
pub fn told(notice: &Notice, names: &[String]) -> String {
    let port = &names[notice.port.index()];
    let refused = |what: &str, key: &str| {
        format!("port {port}: more {what} than {key} allows; they are refused, {key}")
    };
    let line = match notice.what {
        Noticed::LearnLimit(mac, limit) => {
            format!("port {port}: {limit} addresses are learned, its learn_limit; {mac} is not")
        }
        Noticed::StormBroadcast => refused("broadcasts", "storm_broadcast"),
        Noticed::StormMulticast => refused("multicasts", "storm_multicast"),
        Noticed::StormUnknown => refused("frames to unknown stations", "storm_unknown"),
        Noticed::Loop { sent, blocked } => {
            let sent = &names[sent.index()];
            let blocked = blocked.map_or(String::new(), |blocked| {
                format!(
                    "; port {} is blocked while that is so",
                    names[blocked.index()]
                )
            });
            format!("a loop: port {port} hears what this switch sends by port {sent}{blocked}")
        }
        Noticed::Unblocked => format!("port {port} is no more blocked: no probe comes back"),
    };
    match notice.times {
        0 | 1 => line,
        n => format!("{line} ({n} frames since this was said last)"),
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
        let line = "port up: 16 addresses are learned, its learn_limit; 02:00:00:00:00:09 is not";
        assert_eq!(told(&notice, &names), line);
        notice.times = 7;
        assert_eq!(
            told(&notice, &names),
            format!("{line} (7 frames since this was said last)")
        );
        notice.what = Noticed::Loop {
            sent: PortId(0),
            blocked: Some(PortId(1)),
        };
        notice.times = 1;
        let line = "a loop: port up hears what this switch sends by port a; port up is blocked while that is so";
        assert_eq!(told(&notice, &names), line);
        notice.what = Noticed::StormUnknown;
        notice.times = 1;
        let line = "port up: more frames to unknown stations than storm_unknown allows; they are refused, storm_unknown";
        assert_eq!(told(&notice, &names), line);
    }
}
