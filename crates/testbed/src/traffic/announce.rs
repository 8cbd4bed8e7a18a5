//! Announcement of flows' sizes to edge switches whose shims mark by the remaining size of messages.
//!
//! **Decision**     each finite flow is announced to its host's switch, by the two ends of its connection,
//!                  after the handshake and before time zero: the network carries no announcement, and no flow
//!                  waits for one. An endless flow is not announced.
//! **State**        none.
//! **Units**        bytes of payload.
//! **Errors**       a switch that refuses fails the run.

use super::connect::Connection;
use super::job::Job;
use crate::error::{Error, failed};
use crate::network::blueprint::Blueprint;
use crate::network::hosts::port_interface;
use crate::network::switches::control;
use sidestep_softswitch::machine::Announced;
use sidestep_softswitch::process::{control::ask, question::Question};

/// Flows in one question of at most 64 KiB: each takes less than 128 B.
const AT_ONCE: usize = 500;

/// Announces the flows of a job on these connections, if the shims need announcements.
pub fn all(print: &Blueprint, job: &Job, connections: &[Connection]) -> Result<(), Error> {
    if !print.announces {
        return Ok(());
    }
    for host in 0..print.hosts {
        let own = job.flows.iter().zip(connections);
        let own = own.filter(|(flow, _)| flow.src == host);
        let own = own.filter_map(|(flow, connection)| Some((connection, flow.bytes?)));
        let own: Vec<Announced> = own
            .map(|(connection, bytes)| one(connection, bytes))
            .collect::<Result<_, Error>>()?;
        let (switch, port) = print.edge(host);
        for all in own.chunks(AT_ONCE) {
            let question = Question::Announce {
                port: port_interface(port),
                all: all.to_vec(),
            };
            ask(
                &control(&print.name, switch),
                &question.to_json().to_string(),
            )
            .map_err(|why| Error::Work(format!("switch {}: {why}", print.switches[switch].name)))?;
        }
    }
    Ok(())
}

fn one(connection: &Connection, bytes: u64) -> Result<Announced, Error> {
    let doing = || failed("cannot name the ends of a connection");
    let from = connection.sender.local_addr().map_err(doing())?;
    let to = connection.sender.peer_addr().map_err(doing())?;
    Ok(Announced {
        from: (from.ip(), from.port()),
        to: (to.ip(), to.port()),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_holds_as_many_flows_as_are_asked_at_once() {
        let end = ("255.255.255.255".parse().unwrap(), u16::MAX);
        let longest = Announced {
            from: end,
            to: end,
            bytes: u64::MAX,
        };
        let question = Question::Announce {
            port: port_interface(255),
            all: vec![longest; AT_ONCE],
        };
        let line = question.to_json().to_string();
        assert!(line.len() < 64 << 10, "{}", line.len());
        // The switch reads what was written.
        let read = Question::read(&line);
        assert_eq!(read, Ok(question));
    }
}
