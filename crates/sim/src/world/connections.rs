//! Connections shared by several flows: whose turn it is to send, and what the connection has learnt.
//!
//! **Decision**     each end sends one message at a time, in the order in which they are handed over. The
//!                  next one begins when all before it is acknowledged, with the same sender.
//!                  The first message of the host that opened the connection makes the handshake;
//!                  the first of the other host begins with what its side saw of the handshake.
//! **State**        for each end the number of its flows, and of those begun. From a connection's first flow to
//!                  its
//!                  last also the idle sender, the waiting flows, and what the end saw of the handshake: of
//!                  the millions of a run few are open at a time. An end belongs to its host, which
//!                  alone reads and writes it.
//! **Units**        flows.
//! **Errors**       none: impossible plans are refused before ([`crate::checks`]).
//! **Source**       RFC 9293 (one connection, two directions), RFC 5681 4.1 (a connection that was idle).
//! **Deviations**   acknowledgements do not ride on data: an owed one leaves before it, as a
//!                  packet of its own. Messages do not share a window. The receiving machine of each
//!                  message is new: only the sender's state lasts.

use super::World;
use crate::agenda::Agenda;
use crate::host::SendingEnd;
use crate::packets::flow_hashes;
use crate::plan::{Joint, TrafficPlan};
use sidestep_transport::shim::Message;
use sidestep_transport::{AnySender, Closing, Opened, Receiver, TransportConfig};
use sidestep_types::{FlowId, HostId};
use std::collections::VecDeque;

/// All shared connections of a run; usually none.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Connections {
    /// Connection of each entry of [`TrafficPlan::joint`].
    of: Vec<u32>,
    all: Vec<Connection>,
}

/// Shared connection. Index 0 is the end at the host that opens it, 1 the other end.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Connection {
    turns: [Turns; 2],
    /// Ends of the connection, while it is open.
    ends: Option<Box<[End; 2]>>,
}

/// Flows of a connection sent from one of its ends.
#[derive(Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Turns {
    planned: u32,
    begun: u32,
}

impl Turns {
    /// Flows that have not begun.
    fn left(self) -> u32 {
        self.planned - self.begun
    }
}

/// End of a connection at a host.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct End {
    /// Flow being sent.
    busy: Option<FlowId>,
    /// Flows handed over and waiting for their turn.
    waiting: VecDeque<FlowId>,
    /// Sender of the last flow, until the next flow takes it over.
    standing: Option<Box<SendingEnd>>,
    opened: Opened,
    /// Flow last completed here; its last acknowledgement may be owed.
    heard: Option<FlowId>,
}

impl Connections {
    /// Returns true if `there` accepts the hosts of all senders that are idle between two flows.
    pub fn are_at(&self, there: impl Fn(HostId) -> bool) -> bool {
        let ends = self
            .all
            .iter()
            .filter_map(|connection| connection.ends.as_ref());
        let mut standing =
            ends.flat_map(|ends| ends.iter().filter_map(|end| end.standing.as_ref()));
        standing.all(|end| there(end.src) && there(end.dst))
    }

    pub fn new(plan: &TrafficPlan) -> Connections {
        let mut of = Vec::with_capacity(plan.joint.len());
        let opens = |joint: &&Joint| joint.opener == joint.flow;
        let mut all = Vec::with_capacity(plan.joint.iter().filter(opens).count());
        for (i, joint) in plan.joint.iter().enumerate() {
            let opener = plan.joint_place(joint.opener).expect("checked");
            let connection = if opener == i {
                all.push(Connection::default());
                all.len() as u32 - 1
            } else {
                of[opener]
            };
            of.push(connection);
            all[connection as usize].turns[plan.answers(*joint)].planned += 1;
        }
        Connections { of, all }
    }

    /// Returns true if there is any shared connection.
    #[inline]
    pub fn any(&self) -> bool {
        !self.of.is_empty()
    }

    /// Returns the end at which `flow` is sent (`0`) or received (`1`), if its connection is shared.
    fn end(&mut self, plan: &TrafficPlan, flow: FlowId, side: usize) -> Option<&mut End> {
        let (connection, end) = self.place(plan, flow)?;
        let ends = self.all[connection].ends.get_or_insert_default();
        Some(&mut ends[end ^ side])
    }

    /// Returns the connection of `flow`, if it is shared, and the end at which the flow is sent.
    fn place(&self, plan: &TrafficPlan, flow: FlowId) -> Option<(usize, usize)> {
        let place = plan.joint_place(flow)?;
        let connection = self.of[place] as usize;
        Some((connection, plan.answers(plan.joint[place])))
    }

    /// Frees the ends of the connection of `flow`, unless a flow is left to begin or to end.
    fn close_after(&mut self, plan: &TrafficPlan, flow: FlowId) {
        let Some((connection, _)) = self.place(plan, flow) else {
            return;
        };
        let Connection { turns, ends } = &mut self.all[connection];
        let idle = |ends: &[End; 2]| ends.iter().all(|end| end.busy.is_none());
        if turns.iter().all(|turns| turns.left() == 0) && ends.as_deref().is_none_or(idle) {
            *ends = None;
        }
    }

    /// Returns the number of `flow`, whose turn it is, among the messages of its connection, if that is shared.
    pub fn message(&mut self, plan: &TrafficPlan, flow: FlowId) -> Option<Message> {
        let (connection, end) = self.place(plan, flow)?;
        let joint = plan.joint[plan.joint_place(flow)?];
        Some(Message {
            connection: joint.opener,
            number: self.all[connection].turns[end].begun - 1,
        })
    }

    /// Returns the sender for `flow`, whose turn it is, if its connection is shared.
    #[cold]
    fn sender(
        &mut self,
        plan: &TrafficPlan,
        flow: FlowId,
        transport: &TransportConfig,
    ) -> Option<AnySender> {
        let (connection, side) = self.place(plan, flow)?;
        let of = &plan.flows[flow.0 as usize];
        let turns = self.all[connection].turns;
        let end = self.end(plan, flow, 0)?;
        let closing = match (turns[side].left(), turns[side ^ 1].planned > 0) {
            (0, false) => Closing::Both,
            (0, true) => Closing::Half,
            _ => Closing::Never,
        };
        let before = end.standing.take();
        if let Some(next) = before.and_then(|end| end.endpoint.into_machine().next(of.size)) {
            return Some(next.closing(closing));
        }
        let fresh = transport.sender_with(of.mss_or(transport.mss()), Some(of.size));
        Some(match side {
            0 => fresh.closing(closing),
            _ => fresh.answering(end.opened).closing(closing),
        })
    }
}

impl<A: Agenda> World<A> {
    /// Returns the hashes of a flow's packets, forward and back: those of its connection.
    pub(super) fn hashes(&self, flow: FlowId) -> (u32, u32) {
        let joint = self.plan.joint_place(flow).map(|i| self.plan.joint[i]);
        let Some(joint) = joint else {
            return flow_hashes(self.flow_salt, flow.0);
        };
        let (there, back) = flow_hashes(self.flow_salt, joint.opener.0);
        match self.plan.answers(joint) {
            0 => (there, back),
            _ => (back, there),
        }
    }

    /// Hands `flow` over to its connection. Returns true if it begins at once; otherwise it waits for its turn.
    #[cold]
    pub(super) fn takes_turn(&mut self, flow: FlowId) -> bool {
        let Some(end) = self.connections.end(&self.plan, flow, 0) else {
            return true;
        };
        if end.busy.is_some() {
            end.waiting.push_back(flow);
            return false;
        }
        end.busy = Some(flow);
        true
    }

    /// Returns the sender for `flow`, whose turn it is, if its connection is shared. Sends an acknowledgement
    /// owed at its end first.
    pub(super) fn shared_sender(&mut self, flow: FlowId) -> Option<AnySender> {
        let (connection, side) = self.connections.place(&self.plan, flow)?;
        self.connections.all[connection].turns[side].begun += 1;
        let end = self.connections.end(&self.plan, flow, 0)?;
        if let Some(heard) = end.heard.take() {
            self.acknowledge_now(heard);
        }
        let class = self.plan.flows[flow.0 as usize].class;
        (self.connections).sender(&self.plan, flow, self.config.transport_of(class))
    }

    fn acknowledge_now(&mut self, flow: FlowId) {
        let Some(end) = self.receivers[flow.0 as usize].as_deref_mut() else {
            return;
        };
        let receiver = end.endpoint.machine_mut();
        if let Some(due) = Receiver::deadline(receiver) {
            Receiver::on_timeout(receiver, due);
        }
        let done = end.endpoint.is_done();
        self.drive_receiver(flow);
        if done {
            self.close_receiver(flow.0 as usize);
        }
    }

    /// Closes the sender of `flow`, all acknowledged, and starts the next flow that waits at its end of the
    /// connection.
    #[cold]
    pub(super) fn pass_on(&mut self, flow: FlowId) {
        let before = self.close_sender(flow.0 as usize);
        let Some((connection, side)) = self.connections.place(&self.plan, flow) else {
            return;
        };
        let left = self.connections.all[connection].turns[side].left();
        let Some(end) = self.connections.end(&self.plan, flow, 0) else {
            return;
        };
        end.standing = before.filter(|_| left > 0);
        end.busy = end.waiting.pop_front();
        match end.busy {
            Some(next) => self.open_sender(next),
            None => self.connections.close_after(&self.plan, flow),
        }
    }

    /// Keeps what the receiving end of `flow`, now complete, has seen: messages in the other direction need it.
    #[cold]
    pub(super) fn keep_heard(&mut self, flow: FlowId) {
        let Some(end) = self.connections.end(&self.plan, flow, 1) else {
            return;
        };
        end.heard = Some(flow);
        let receiver = self.receivers[flow.0 as usize].as_deref();
        match receiver.map(|end| end.endpoint.machine().opened()) {
            None | Some(Opened::Unseen) => {}
            Some(seen) => end.opened = seen,
        }
    }
}
