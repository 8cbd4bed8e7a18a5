// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decisions of every switch of a simulated network, packet by packet, checked against the software switch.
//!
//! `packet_by_packet SCENARIO [KEY=VALUE]...` runs the first scheme and seed, with a buffer policy that queries
//! the scenario's own and records its inputs and verdicts. Then a machine of the software switch takes the
//! place of each switch: the same frames, by the same ports, at the same instants. The program panics if the
//! machine decides otherwise, or a frame leaves it at another time. It prints the input of
//! `rtl/tests/bench/packets.py` for the hardware, in the order in which each switch decided:
//!
//! ```text
//! switch,NUMBER,PORTS,TO_SWITCH
//! SWITCH,INGRESS,WANTED,VERDICT,PORT,MARKED,DRAW,DEPTHS,LEFT,BYTES,IN,OUT
//! ```
//!
//! `TO_SWITCH` is a set of ports, one bit each. `VERDICT` is `queued`, `detoured` or the reason of a drop;
//! `PORT` is empty for a drop. `DRAW` is the policy's draw, empty if there was none. `DEPTHS` are the packets
//! in each port's queue before the decision, and `LEFT` is the number that have left it since the previous
//! decision; both are empty for a packet whose time to live has ended, since no queue is read for it. `IN` and
//! `OUT` are the headers of the frame as it arrives and as it leaves, in hexadecimal. `BYTES` is its length;
//! all bytes behind the headers are zero.

use sidestep_config::decision::Decision;
use sidestep_lab::Scenario;
use sidestep_sim::{
    End, Network, NoFiles, PacketTrace, SwitchConfig, TraceEvent, TraceFilter, World,
};
use sidestep_softswitch::frame::sample::Sample;
use sidestep_softswitch::machine::{FrameAction, FrameEvent, Machine};
use sidestep_softswitch::setup::{
    DEFAULT_MTU, Forwarding, Mac, NO_VLAN, PortBridge, PortSetup, ProcessSetup, Rank, Setup,
    Station,
};
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Event, Queues, Verdict, Want};
use sidestep_types::{BitRate, Kind, Packet, PortId, PortSet, Rng, Seed, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// Bytes of Ethernet, IPv4 and TCP headers without options.
const HEADERS: usize = 54;

/// Decision of the simulator.
#[derive(Clone)]
struct Row {
    at: Time,
    switch: u32,
    ingress: PortId,
    wanted: PortId,
    /// Packet as it arrived, except that its time to live is lowered.
    packet: Packet,
    verdict: Verdict,
    draw: Option<u32>,
    depths: Vec<u32>,
}

impl Row {
    /// Returns the port whose queue the packet joins.
    fn port(&self) -> Option<PortId> {
        match self.verdict {
            Verdict::Enqueue { .. } => Some(self.wanted),
            Verdict::Detour { port, .. } => Some(port),
            Verdict::Drop(_) => None,
            other => panic!("no hardware here does {other:?}"),
        }
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Enqueue { .. } => "queued",
            Verdict::Detour { .. } => "detoured",
            Verdict::Drop(reason) => reason.name(),
            other => panic!("no hardware here does {other:?}"),
        }
    }

    /// Returns true if the packet is marked here and was not before.
    fn marked(&self) -> bool {
        let mark = match self.verdict {
            Verdict::Enqueue { mark } | Verdict::Detour { mark, .. } => mark,
            _ => false,
        };
        mark && self.packet.ect() && !self.packet.ce()
    }

    /// Returns the packet as a frame. Its destination address also encodes the port by which the simulator
    /// wants to send it: hardware and simulator hash differently, so each port of a group is a separate
    /// destination.
    fn frame(&self, flows: &[Hosts]) -> Vec<u8> {
        let Packet {
            flow, dst, wire, ..
        } = self.packet;
        let (a, b) = flows[flow.0 as usize];
        let from = if dst.0 == a { b } else { a };
        let ip = |host: u32| [10, 77, (host >> 8) as u8, host as u8].into();
        Sample {
            macs: (mac(dst.0, self.wanted), mac(from, PortId(0))),
            addresses: (ip(from), ip(dst.0)),
            ports: (flow.0 as u16, self.packet.kind() as u16),
            seq: self.packet.seq() as u32,
            ttl: self.packet.ttl + 1,
            tos: match (self.packet.ect(), self.packet.ce()) {
                (_, true) => 3,
                (true, false) => 2,
                (false, false) => 0,
            },
            // 24 bytes of preamble, FCS and gap.
            payload: vec![0; usize::from(wire) - 24 - HEADERS],
            ..Sample::tcp(0, 0, 0)
        }
        .bytes()
    }
}

/// Returns an address that encodes the wanted port in four bits above the hosts' of a small network; the
/// hardware's table tells destinations apart by them.
fn mac(host: u32, wanted: PortId) -> Mac {
    let port = (wanted.0 as u8) << 4;
    Mac([2, 0, 0, port, (host >> 8) as u8, host as u8])
}

type Rows = Arc<Mutex<Vec<Row>>>;

/// Policy of the scenario, and a record of its inputs and verdicts.
struct Recorded {
    switch: u32,
    ports: u16,
    inner: AnyBuffer,
    rows: Rows,
}

impl Buffer for Recorded {
    fn admit(&mut self, pkt: &Packet, want: Want, q: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        let depths = (0..self.ports)
            .map(|p| q.depth(PortId(p)).packets)
            .collect();
        let mut before = rng.clone();
        let verdict = self.inner.admit(pkt, want, q, rng);
        let draw = (before != *rng).then(|| before.draw());
        assert!(before == *rng, "one draw at most is replayed");
        let row = Row {
            at: q.now(),
            switch: self.switch,
            ingress: q.ingress().expect("it came by a port"),
            wanted: want.port,
            packet: *pkt,
            verdict,
            draw,
            depths,
        };
        self.rows.lock().expect("one thread").push(row);
        verdict
    }
}

struct Cabled {
    far: End,
    far_port: PortId,
    rate: BitRate,
}

/// Returns the ports of each switch, in the order in which the simulator numbers them.
fn ports(network: &Network) -> Vec<Vec<Cabled>> {
    let mut all: Vec<Vec<Cabled>> = network.switches.iter().map(|_| Vec::new()).collect();
    for cable in &network.cables {
        let next = |end: End| match end {
            End::Switch(s) => PortId(all[s.0 as usize].len() as u16),
            End::Host(_) => PortId(0),
        };
        let ends = [
            (cable.a, cable.b, next(cable.b)),
            (cable.b, cable.a, next(cable.a)),
        ];
        for (near, far, far_port) in ends {
            if let End::Switch(s) = near {
                let rate = cable.rate;
                all[s.0 as usize].push(Cabled {
                    far,
                    far_port,
                    rate,
                });
            }
        }
    }
    all
}

fn to_switch(ports: &[Cabled]) -> PortSet {
    let leads = |(_, cabled): &(u16, &Cabled)| matches!(cabled.far, End::Switch(_));
    let numbered = (0..).zip(ports).filter(leads);
    numbered.map(|(p, _)| PortId(p)).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, sets @ ..] = &args[..] else {
        return Err("expected SCENARIO [KEY=VALUE]...".into());
    };
    let text = std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))?;
    let scenario = Scenario::read(file, &text, sets, &NoFiles).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let ports = ports(&scenario.network);
    let (flows, mut rows) = simulate(&scenario, &ports)?;
    // Stable: decisions of one instant keep their order.
    rows.sort_by_key(|row| row.switch);

    let config = &scenario.schemes[0].config.switch;
    let mut out = std::io::stdout().lock();
    for rows in rows.chunk_by(|a, b| a.switch == b.switch) {
        let me = rows[0].switch;
        let ports = &ports[me as usize];
        let set: u64 = to_switch(ports).iter().map(|p| 1 << p.0).sum();
        writeln!(out, "switch,{me},{},{set}", ports.len())?;
        for line in beside(me, ports, (config, scenario.seeds[0]), &flows, rows) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Hosts of a flow, its sender and its receiver.
type Hosts = (u32, u32);

/// Simulates the scenario. Returns the two hosts of each flow, and every decision of every switch.
fn simulate(
    scenario: &Scenario,
    ports: &[Vec<Cabled>],
) -> Result<(Vec<Hosts>, Vec<Row>), Box<dyn Error>> {
    let seed = Seed(scenario.seeds[0]);
    let plan = Arc::new(scenario.plan(seed.0)?);
    let trace = TraceFilter::Flows((0..plan.flows.len() as u32).collect());
    let config = scenario.schemes[0].config.world(&plan, seed, trace);
    let plain: World = World::new(&scenario.network, plan.clone(), config.clone())?;
    let mut world: World = World::new(&scenario.network, plan.clone(), config.clone())?;
    let rows = Rows::default();
    world.set_buffers(|switch| {
        let many = ports[switch.0 as usize].len() as u16;
        let salt = sidestep_sim::policy_salt(seed, switch.0);
        AnyBuffer::Custom(Box::new(Recorded {
            switch: switch.0,
            ports: many,
            inner: (config.switch.buffer.build(many, salt)).expect("the scenario's policy"),
            rows: rows.clone(),
        }))
    });
    let [plain, outcome] = [plain, world].map(|mut world| {
        world.run_until(scenario.duration + scenario.drain);
        world.finish()
    });
    let (hash, expected) = (outcome.trajectory_hash, plain.trajectory_hash);
    assert_eq!(
        hash, expected,
        "to write down what is decided changes nothing"
    );
    let mut rows = std::mem::take(&mut *rows.lock().expect("one thread"));
    let expired = check(&rows, &outcome.traces, ports);
    let ttl = outcome.totals.drops[DropReason::Ttl as usize];
    assert_eq!(
        expired.len() as u64,
        ttl,
        "each drop by time to live is there"
    );
    for row in expired {
        let place = rows.iter().position(|other| other.at > row.at);
        rows.insert(place.unwrap_or(rows.len()), row);
    }
    let ends = plan.flows.iter().map(|flow| (flow.src.0, flow.dst.0));
    Ok((ends.collect(), rows))
}

/// Checks the recorded decisions against the paths that the simulator traced. Returns decisions for which the
/// policy is not called: each packet whose time to live ended. They change nothing, so their place among the
/// decisions of their instant does not count.
fn check(rows: &[Row], traces: &[PacketTrace], ports: &[Vec<Cabled>]) -> Vec<Row> {
    let key = |row: &Row| {
        let ack = row.packet.kind() == Kind::Ack;
        (row.switch, row.at, row.packet.flow, row.packet.seq(), ack)
    };
    let by_key: BTreeMap<_, _> = rows.iter().map(|row| (key(row), row)).collect();
    assert_eq!(
        by_key.len(),
        rows.len(),
        "no packet is decided about twice at one instant"
    );
    let (mut seen, mut expired) = (0, Vec::new());
    for trace in traces {
        let mut last: Option<&Row> = None;
        for step in &trace.steps {
            let row = |switch: u32| by_key[&(switch, step.at, trace.flow, trace.seq, trace.ack)];
            match step.what {
                TraceEvent::At(
                    End::Switch(switch),
                    Event::Enqueue(joined) | Event::Move(joined),
                ) => {
                    let row = row(switch.0);
                    assert_eq!((row.wanted, row.port()), (joined.wanted, Some(joined.port)));
                    assert_eq!(row.depths[joined.port.index()], joined.ahead.packets);
                    (last, seen) = (Some(row), seen + 1);
                }
                TraceEvent::At(
                    End::Switch(switch),
                    Event::Drop {
                        port: wanted,
                        reason: DropReason::Ttl,
                    },
                ) => {
                    let last = last.expect("more than one hop");
                    let way =
                        &ports[last.switch as usize][last.port().expect("it went on").index()];
                    let mut packet = last.packet;
                    packet.set_ce(packet.ce() || last.marked());
                    packet.ttl -= 1;
                    let verdict = Verdict::Drop(DropReason::Ttl);
                    let (at, switch, ingress) = (step.at, switch.0, way.far_port);
                    let (draw, depths) = (None, Vec::new());
                    expired.push(Row {
                        at,
                        switch,
                        ingress,
                        wanted,
                        packet,
                        verdict,
                        draw,
                        depths,
                    });
                }
                TraceEvent::At(
                    End::Switch(switch),
                    Event::Drop {
                        port: wanted,
                        reason,
                    }
                    | Event::Evict {
                        port: wanted,
                        reason,
                    },
                ) => {
                    let row = row(switch.0);
                    assert_eq!((row.wanted, row.verdict), (wanted, Verdict::Drop(reason)));
                    seen += 1;
                }
                _ => {}
            }
        }
    }
    assert_eq!(seen, rows.len(), "each decision is in a path");
    expired
}

/// Fate of a frame, and the frame.
type Heard = (FrameAction, Vec<u8>);

/// Runs the software switch in place of switch `me`, and panics if it decides otherwise. Returns the lines to
/// print.
fn beside(
    me: u32,
    ports: &[Cabled],
    (config, seed): (&SwitchConfig, u64),
    flows: &[Hosts],
    rows: &[Row],
) -> Vec<String> {
    let mut machine =
        Machine::numbered(&setup(me, ports, config, seed, rows), u64::from(me)).expect("a switch");
    let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
    let hears = heard.clone();
    machine.watch(Some(Box::new(move |event: &FrameEvent<'_>| {
        if !matches!(event.what, FrameAction::Left { .. }) {
            hears
                .lock()
                .expect("one thread")
                .push((event.what, event.frame.to_vec()));
        }
    })));
    let mut lines = Vec::new();
    let mut queues = vec![Vec::new(); ports.len()];
    let mut left = vec![0; ports.len()];
    for row in rows {
        while let Some(departure) = machine.poll_send(row.at) {
            let port = departure.port.index();
            assert_eq!(
                machine.frame(departure.handle),
                queues[port].remove(0),
                "first in, first out"
            );
            machine.release(departure.handle);
            left[port] += 1;
        }
        let looked = !row.depths.is_empty();
        let depths: Vec<u32> = queues
            .iter()
            .map(|queue: &Vec<Vec<u8>>| queue.len() as u32)
            .collect();
        assert!(
            !looked || row.depths == depths,
            "switch {me} at {}: queues {depths:?}, simulated {:?}",
            row.at,
            row.depths
        );
        let frame = row.frame(flows);
        machine.receive(row.at, row.ingress, &frame);
        let (what, leaves) = heard
            .lock()
            .expect("one thread")
            .pop()
            .expect("something became of it");
        let said = match what {
            FrameAction::Switched(Event::Enqueue(joined) | Event::Move(joined)) => {
                (joined.wanted, Some(joined.port), "")
            }
            FrameAction::Switched(Event::Drop { port, reason }) => (port, None, reason.name()),
            other => panic!("switch {me} at {}: {other:?}", row.at),
        };
        let reason = row.port().map_or(row.word(), |_| "");
        assert_eq!(
            said,
            (row.wanted, row.port(), reason),
            "switch {me} at {}",
            row.at
        );
        let mut expected = row.packet;
        expected.set_ce(expected.ce() || row.marked());
        let mut out = String::new();
        if let Some(port) = row.port() {
            let as_simulated = Row {
                packet: expected,
                ..row.clone()
            }
            .frame(flows);
            assert_eq!(
                leaves[15] & 3,
                as_simulated[15] & 3,
                "switch {me} at {}: the mark",
                row.at
            );
            assert_eq!(
                leaves[22], row.packet.ttl,
                "switch {me} at {}: the time to live",
                row.at
            );
            out = hex(&leaves[..HEADERS]);
            queues[port.index()].push(leaves);
        }
        let draw = row.draw.map_or(String::new(), |draw| draw.to_string());
        let port = row.port().map_or(String::new(), |port| port.0.to_string());
        let list = |numbers: &[u32]| {
            numbers
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let gone = if looked {
            std::mem::replace(&mut left, vec![0; ports.len()])
        } else {
            Vec::new()
        };
        lines.push(format!(
            "{me},{},{},{},{port},{},{draw},{},{},{},{},{out}",
            row.ingress.0,
            row.wanted.0,
            row.word(),
            u8::from(row.marked()),
            list(&row.depths),
            list(&gone),
            frame.len(),
            hex(&frame[..HEADERS]),
        ));
    }
    lines
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn setup(me: u32, ports: &[Cabled], config: &SwitchConfig, seed: u64, rows: &[Row]) -> Setup {
    let leads = to_switch(ports);
    let port = |(index, cabled): (u16, &Cabled)| PortSetup {
        name: format!("p{index}"),
        interface: format!("p{index}"),
        rate: cabled.rate,
        // No delay: a frame arrives when its last bit leaves the queue.
        delay: Time::ZERO,
        to_switch: leads.has(PortId(index)),
        flood: true,
        xdp: false,
        shims: Vec::new(),
        bridge: PortBridge::default(),
        vlan: None,
    };
    let stations: BTreeSet<(u32, u16)> = rows
        .iter()
        .map(|row| (row.packet.dst.0, row.wanted.0))
        .collect();
    let station = |(host, wanted): (u32, u16)| Station {
        mac: mac(host, PortId(wanted)),
        addresses: vec![],
        ports: vec![PortId(wanted)],
        vlan: NO_VLAN,
    };
    Setup {
        name: format!("s{me}"),
        seed,
        decision: Decision {
            route: config.route.clone(),
            buffer: config.buffer.clone(),
            sched: config.sched.clone(),
            capacity: config.capacity,
        },
        rank: Rank::Dscp,
        rank_gap: Time::MAX,
        services: None,
        tags: None,
        forwarding: Forwarding::Static,
        mtu: DEFAULT_MTU,
        probe: None,
        process: ProcessSetup::default(),
        ports: (0..).zip(ports).map(port).collect(),
        stations: stations.into_iter().map(station).collect(),
        router: None,
        networks: vec![],
    }
}
