//! A world that explains what one packet meets.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::{Fabric, Inside};
use crate::fib::Attachment;
use crate::layout::Far;
use crate::network::{End, Network};
use crate::switching::{Done, Switch};
use crate::trace::Tracer;
use crate::why::{Account, Decided, Explained, Known, Met, Notes, for_receiver};
use sidestep_types::{HostId, Packet, SwitchId, Time};

/// The number of no packet.
const NOBODY: u64 = u64::MAX;

impl<A: Agenda> World<A> {
    /// Keeps an account of packet `number`, of the network that this world is of: its path is the only one
    /// that is kept then. Costs time, changes nothing that happens.
    pub fn explain(&mut self, network: &Network, number: u64) {
        assert!(self.tally.is_fresh(), "explaining begins with the run");
        let mut names = vec![Vec::new(); network.switches.len()];
        for cable in &network.cables {
            for (here, there) in [(cable.a, cable.b), (cable.b, cable.a)] {
                if let End::Switch(s) = here {
                    let names: &mut Vec<String> = &mut names[s.0 as usize];
                    names.push(format!("port {} to {}", names.len(), there.name(network)));
                }
            }
        }
        self.fabric.inside = Inside::Watched;
        self.tracer.explain(Account::new(number, names));
    }

    /// Remembers which packet a switch decides about, and by which number its host sent it, for [`World::deciding`]:
    /// the numbers of all packets are kept then, and no path. Costs time, changes nothing that happens.
    pub fn remember_deciding(&mut self) {
        assert!(self.tally.is_fresh(), "remembering begins with the run");
        self.fabric.inside = Inside::Watched;
        self.tracer.remember(Account::new(NOBODY, Vec::new()));
    }

    /// The packet about which a switch was deciding when a policy of the caller's unwound, and the number that
    /// [`World::explain`] takes; `None` outside a decision, and where nobody remembers.
    pub fn deciding(&self) -> Option<(Packet, Option<u64>)> {
        self.tracer.account.as_ref()?.deciding
    }

    /// The account, as far as it goes; `None` when nobody asked for one.
    pub fn explained(&mut self) -> Option<Explained> {
        let account = self.tracer.account.take()?;
        let host = (account.number >> 32) as usize;
        Some(Explained {
            steps: account.steps,
            sent_by_host: self.hosts.get(host).map_or(0, |host| host.sent),
        })
    }

    /// What `forward` does, told of the packet that is explained.
    #[cold]
    #[inline(never)]
    pub(super) fn forward_told(
        &mut self,
        switch: u32,
        link: u32,
        parcel: u32,
        dst: Attachment,
    ) -> Done {
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let packet = fabric.pool.get(parcel).packet;
        let number = self.tracer.number(parcel).filter(|_| packet.traced());
        let account = (self.tracer.account.as_mut()).expect("a packet is explained");
        account.at_hand = Some(packet);
        account.deciding = Some((packet, number));
        let about = number == Some(account.number);
        let mut notes = about.then(|| Notes::new(&account.names[switch as usize]));
        // Without a witness it is called in `at_switch` alone: a second call takes it out of line there, which
        // costs 1.6 % of a run with pauses.
        let at_hand = (link, parcel, dst);
        let done = here.forward::<A, true, _>(fabric, at_hand, true, &mut notes);
        let done = done.expect("it is told");
        account.deciding = None;
        let Some(mut notes) = notes else {
            return done;
        };
        let joined = done.action.joined(done.want.port);
        let out = joined.map(|joined| here.first_link() + u32::from(joined.port.0));
        let wire = fabric.pool.get(parcel).packet.wire;
        let judged = notes.judged(&done, here.evicted.len(), wire);
        let Notes { hops, route, .. } = notes;
        let decided = Decided {
            switch: SwitchId(switch),
            from: self.ends[link as usize].from,
            ingress: fabric.wiring.ingress[link],
            ttl: packet.ttl.saturating_sub(1),
            detours: packet.detours,
            hops,
            hash: packet.hash,
            route,
            judged,
            paused_before: fabric.paused(link).1,
            paused: out.map_or(Time::ZERO, |out| fabric.paused(out).1),
        };
        account.tell(fabric.now, Met::Decided(Box::new(decided)));
        done
    }

    /// A traced packet has reached `host`.
    pub(super) fn tell_arrival(&mut self, host: u32, parcel: u32, packet: &Packet) {
        if self.tracer.account.as_ref().map(|account| account.number) != self.tracer.number(parcel)
        {
            return;
        }
        let known = self.known(packet);
        let at = self.attachments[host];
        let link = self.switches[at.switch].first_link() + u32::from(at.port.0);
        debug_assert!(self.fabric.links[link].far() == Far::Host(host));
        let (now, paused) = (self.fabric.now, self.fabric.paused(link).1);
        if let Some(account) = &mut self.tracer.account {
            account.tell(now, Met::Arrived { known, paused });
        }
    }

    /// The shims of a host have just let a traced packet go on to the transport.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_handed(&mut self, host: HostId, packet: &Packet) {
        let known = self.known(packet);
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref();
        let passed = shims
            .expect("every host has shims")
            .stack
            .why_passed(packet);
        if let Some(account) = &mut self.tracer.account
            && account.is_about(packet)
        {
            account.tell(now, Met::Handed { known, passed });
        }
    }

    /// The shims of a host have just dropped a traced packet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_withheld(&mut self, host: HostId, packet: &Packet) {
        let now = self.fabric.now;
        let shims = self.hosts[host.0].shims.as_deref();
        let (shim, why) = shims.expect("every host has shims").stack.why(packet);
        if let Some(account) = &mut self.tracer.account
            && account.is_about(packet)
        {
            account.tell(now, Met::Withheld { shim, why });
        }
    }

    /// What the end of its flow that the packet goes to knows.
    fn known(&self, packet: &Packet) -> Known {
        let f = packet.flow.0 as usize;
        if for_receiver(packet) {
            return match &self.receivers[f] {
                Some(end) if end.endpoint.is_complete() => Known::Complete,
                Some(end) => Known::Expected(end.endpoint.expected(packet.subflow())),
                None if self.flows[f].finished.is_some() => Known::Complete,
                None => Known::Expected(Packet::first_of(packet.subflow())),
            };
        }
        match &self.senders[f] {
            Some(end) => Known::Acknowledged(end.endpoint.acknowledged_of(packet.subflow())),
            None => Known::Done,
        }
    }
}

/// The explained packet has been put on the NIC of `host`, which had so much in its queue.
#[cold]
#[inline(never)]
pub(super) fn tell_sent<A: Agenda>(
    fabric: &mut Fabric<A>,
    account: &mut Account,
    host: u32,
    packet: &Packet,
) {
    let (ahead, paused) = (fabric.depth(host), fabric.paused(host).1);
    account.sent(fabric.now, packet, ahead, paused);
}

/// What `send` of a NIC does, told of the packet that is explained.
#[cold]
#[inline(never)]
pub(super) fn send_told<A: Agenda>(
    fabric: &mut Fabric<A>,
    tracer: &mut Tracer,
    nic: &mut Switch,
    parcel: u32,
) -> Done {
    let packet = fabric.pool.get(parcel).packet;
    let number = tracer.number(parcel).filter(|_| packet.traced());
    let Some(account) = &mut tracer.account else {
        return nic.send(fabric, parcel, &mut ());
    };
    account.at_hand = Some(packet);
    if number != Some(account.number) {
        return nic.send(fabric, parcel, &mut ());
    }
    let names = ["its NIC".to_string()];
    let mut notes = Notes::new(&names);
    let done = nic.send(fabric, parcel, &mut notes);
    let wire = fabric.pool.get(parcel).packet.wire;
    let judged = notes.judged(&done, nic.evicted.len(), wire);
    account.tell(fabric.now, Met::Nic(Box::new(judged)));
    done
}
