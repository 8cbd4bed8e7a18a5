//! The software switch's arm: a machine for each switch, and frames carried between them.

use crate::scenario::{END, Flow, Scenario};
use crate::{Paths, Step, reason};
use sidestep_sim::{End, Network};
use sidestep_softswitch::frame::{self, What, sample::Sample};
use sidestep_softswitch::machine::{Event, Happened, Machine};
use sidestep_softswitch::setup::{Forwarding, Mac, PortSetup, ProcessSetup, Rank, Setup, Station};
use sidestep_switch::{
    AnyBuffer, AnyRoute, Buffer, Changes, DropReason, Hops, Queues, Route, Verdict, Want,
};
use sidestep_types::{BitRate, FlowId, HostId, Packet, PortId, Rng, Seed, Time, mix64};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// Runs the scenario; with `turned`, one verdict of each switch is another.
pub fn run(scenario: &Scenario, turned: Option<u64>) -> Paths {
    run_with(scenario, scenario, turned)
}

/// The same with the hashes of another scenario.
pub fn run_with(scenario: &Scenario, hashes: &Scenario, turned: Option<u64>) -> Paths {
    let ports = ports(&scenario.network);
    let paths = Arc::new(Mutex::new(Paths::new()));
    let drawn = drawn(hashes);
    let mut machines = Vec::new();
    for switch in 0..ports.len() {
        let setup = setup(scenario, &ports, switch);
        let mut machine = Machine::numbered(&setup, switch as u64).expect("a switch");
        rehash(&mut machine, scenario, switch, &drawn, turned);
        note(&mut machine, scenario, switch as u32, paths.clone());
        machines.push(machine);
    }
    carry(scenario, &ports, &mut machines, &paths);
    drop(machines);
    Arc::into_inner(paths)
        .expect("nobody else")
        .into_inner()
        .expect("whole")
}

/// Per switch, per port: the far end with its port, the rate and the delay.
type Ports = Vec<Vec<Cabled>>;

struct Cabled {
    far: End,
    far_port: PortId,
    rate: BitRate,
    delay: Time,
}

fn ports(network: &Network) -> Ports {
    let mut all: Ports = network.switches.iter().map(|_| Vec::new()).collect();
    for cable in &network.cables {
        // The port that each end gets, which the other end is told.
        let next = |end: End| match end {
            End::Switch(s) => PortId(all[s.0 as usize].len() as u16),
            End::Host(_) => PortId(0),
        };
        for (near, far, far_port) in [
            (cable.a, cable.b, next(cable.b)),
            (cable.b, cable.a, next(cable.a)),
        ] {
            if let End::Switch(s) = near {
                let (rate, delay) = (cable.rate, cable.delay);
                all[s.0 as usize].push(Cabled {
                    far,
                    far_port,
                    rate,
                    delay,
                });
            }
        }
    }
    all
}

fn mac(host: u32) -> Mac {
    let [.., a, b] = host.to_be_bytes();
    Mac([2, 0, 0, 0, a, b])
}

fn setup(scenario: &Scenario, ports: &Ports, me: usize) -> Setup {
    let port = |(index, cabled): (usize, &Cabled)| PortSetup {
        name: format!("p{index}"),
        interface: format!("p{index}"),
        rate: cabled.rate,
        delay: cabled.delay,
        to_switch: matches!(cabled.far, End::Switch(_)),
        flood: true,
        xdp: false,
        shims: Vec::new(),
    };
    let station = |host: u32| Station {
        mac: mac(host),
        addresses: vec![],
        ports: toward(ports, me, host),
    };
    Setup {
        name: format!("s{me}"),
        seed: scenario.seed,
        decision: scenario.decisions[me].clone(),
        rank: Rank::Dscp,
        forwarding: Forwarding::Static,
        process: ProcessSetup::default(),
        ports: ports[me].iter().enumerate().map(port).collect(),
        stations: (0..scenario.network.hosts).map(station).collect(),
        router: None,
        networks: vec![],
    }
}

/// The ports of switch `me` on shortest paths to `host`.
fn toward(ports: &Ports, me: usize, host: u32) -> Vec<PortId> {
    let is_host = |cabled: &Cabled| matches!(cabled.far, End::Host(h) if h.0 == host);
    let home = ports
        .iter()
        .position(|p| p.iter().any(is_host))
        .expect("a cabled host");
    let mut distance = vec![usize::MAX; ports.len()];
    distance[home] = 0;
    let mut queue = VecDeque::from([home]);
    while let Some(at) = queue.pop_front() {
        for cabled in &ports[at] {
            if let End::Switch(next) = cabled.far
                && distance[next.0 as usize] == usize::MAX
            {
                distance[next.0 as usize] = distance[at] + 1;
                queue.push_back(next.0 as usize);
            }
        }
    }
    let leads = |cabled: &Cabled| match cabled.far {
        End::Host(h) => h.0 == host,
        End::Switch(next) => me != home && distance[next.0 as usize] + 1 == distance[me],
    };
    let found = ports[me]
        .iter()
        .enumerate()
        .filter(|(_, cabled)| leads(cabled));
    found.map(|(index, _)| PortId(index as u16)).collect()
}

/// The frame of packet `number` of flow `index`; its source port is the flow, its sequence number
/// the packet.
fn sample(scenario: &Scenario, index: usize, number: u64) -> Sample {
    let flow: &Flow = &scenario.flows[index];
    let ip = |host: u32| {
        let [.., a, b] = host.to_be_bytes();
        [10, 77, a, b].into()
    };
    Sample {
        macs: (mac(flow.to), mac(flow.from)),
        addresses: (ip(flow.from), ip(flow.to)),
        ports: (index as u16, 80),
        seq: number as u32,
        ttl: scenario.ttl,
        tos: (flow.rank as u8) << 2 | if flow.ect { 2 } else { 0 },
        ..Sample::tcp(0, 0, flow.bytes as usize)
    }
}

fn identity(bytes: &[u8]) -> (u32, u64) {
    let port = u16::from_be_bytes([bytes[34], bytes[35]]);
    let seq = u32::from_be_bytes(bytes[38..42].try_into().expect("four bytes"));
    (u32::from(port), u64::from(seq))
}

/// The hash that the simulator draws for each flow, and the host it goes to, by the hash of its frames.
fn drawn(scenario: &Scenario) -> Drawn {
    let salt = Seed(scenario.seed).salt("flow hash");
    let pair = |index: usize| {
        let frame = frame::read(&sample(scenario, index, 0).bytes()).expect("a sound frame");
        let to = HostId(scenario.flows[index].to);
        (frame.hash, (mix64(salt ^ index as u64) as u32, to))
    };
    (0..scenario.flows.len()).map(pair).collect()
}

type Drawn = HashMap<u32, (u32, HostId)>;

/// Hands the machine's policies packets with the simulator's hashes and hosts, and turns one verdict.
fn rehash(
    machine: &mut Machine,
    scenario: &Scenario,
    switch: usize,
    drawn: &Drawn,
    turned: Option<u64>,
) {
    let salt = Seed(scenario.seed).salt(("ecmp", switch as u64));
    let many = machine.setup().ports.len() as u16;
    let decision = &scenario.decisions[switch];
    let (route, buffer) = (&decision.route, &decision.buffer);
    machine.set_route(AnyRoute::Custom(Box::new(Rehashed {
        inner: AnyRoute::build(&route.0, &route.1, many, salt).expect("a route"),
        drawn: drawn.clone(),
        left: None,
    })));
    machine.set_buffer(AnyBuffer::Custom(Box::new(Rehashed {
        inner: AnyBuffer::build(&buffer.0, &buffer.1, many, salt).expect("a buffer"),
        drawn: drawn.clone(),
        left: turned,
    })));
}

struct Rehashed<T> {
    inner: T,
    drawn: Drawn,
    /// Verdicts until one is turned.
    left: Option<u64>,
}

impl<T> Rehashed<T> {
    fn packet(&self, pkt: &Packet) -> Packet {
        let mut pkt = *pkt;
        (pkt.hash, pkt.dst) = self.drawn[&pkt.hash];
        pkt.flow = FlowId(pkt.hash);
        pkt
    }
}

impl Route for Rehashed<AnyRoute> {
    fn pick(&mut self, pkt: &Packet, hops: Hops<'_>, q: &mut dyn Queues, rng: &mut Rng) -> PortId {
        let pkt = self.packet(pkt);
        self.inner.pick(&pkt, hops, q, rng)
    }
}

impl Buffer for Rehashed<AnyBuffer> {
    fn admit(&mut self, pkt: &Packet, want: Want, q: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        let pkt = self.packet(pkt);
        let verdict = self.inner.admit(&pkt, want, q, rng);
        self.left = match self.left {
            Some(0) => None,
            left => return self.count(left, verdict),
        };
        match verdict {
            Verdict::Drop(_) => Verdict::Enqueue { mark: false },
            _ => Verdict::Drop(DropReason::Early),
        }
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        q: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        self.inner.displaced(&self.packet(pkt), from, q, rng)
    }
}

impl Rehashed<AnyBuffer> {
    fn count(&mut self, left: Option<u64>, verdict: Verdict) -> Verdict {
        self.left = left.map(|left| left - 1);
        verdict
    }
}

/// Writes down what a switch does with each packet.
fn note(machine: &mut Machine, scenario: &Scenario, switch: u32, paths: Arc<Mutex<Paths>>) {
    let bytes: Vec<u32> = scenario.flows.iter().map(|flow| flow.bytes).collect();
    machine.watch(Some(Box::new(move |event: &Event<'_>| {
        let id = identity(event.frame);
        let payload = match frame::read(event.frame).expect("a sound frame").what {
            What::Ip(ip) => u32::from(ip.payload),
            other => panic!("{other:?}"),
        };
        let cut = payload < bytes[id.0 as usize];
        let dropped = |wanted, why| Step::Dropped {
            switch,
            wanted,
            reason: reason(why),
        };
        let step = match event.what {
            Happened::Queued(joined) => {
                assert!(cut || !joined.changes.has(Changes::TRIMMED), "all is there");
                Step::Queued { switch, joined }
            }
            Happened::Dropped { wanted, reason } => dropped(wanted, reason),
            Happened::Evicted { port, reason } => dropped(port, reason),
            other => panic!("{other:?}"),
        };
        paths
            .lock()
            .expect("one thread")
            .entry(id)
            .or_default()
            .push((event.at, step));
    })));
}

/// Lets hosts send, and carries frames from switch to switch until nothing is left.
fn carry(scenario: &Scenario, ports: &Ports, machines: &mut [Machine], paths: &Mutex<Paths>) {
    let mut coming = coming(scenario, ports);
    loop {
        let first = coming.first_key_value().map(|(key, _)| key.0);
        let leaves = machines.iter().filter_map(Machine::next_departure).min();
        let Some(now) = first.into_iter().chain(leaves).min() else {
            return;
        };
        assert!(now <= END, "{}: all is over by then", scenario.name);
        for switch in 0..machines.len() {
            while let Some(departure) = machines[switch].poll_send(now) {
                assert_eq!(
                    departure.due, now,
                    "polled at each instant, nothing is late"
                );
                let bytes = machines[switch].frame(departure.handle).to_vec();
                machines[switch].release(departure.handle);
                let cabled = &ports[switch][departure.port.index()];
                match cabled.far {
                    End::Switch(next) => {
                        let key = (now, next.0, cabled.far_port);
                        assert!(
                            coming.insert(key, bytes).is_none(),
                            "two at once by one cable"
                        );
                    }
                    End::Host(host) => {
                        assert_eq!(bytes[..6], mac(host.0).0, "a host gets what is its own");
                        let mut paths = paths.lock().expect("one thread");
                        let path = paths.get_mut(&identity(&bytes)).expect("a known packet");
                        path.push((now, Step::Delivered));
                    }
                }
            }
        }
        while let Some(entry) = coming.first_entry()
            && entry.key().0 == now
        {
            let ((_, switch, port), bytes) = entry.remove_entry();
            let tie = coming
                .first_key_value()
                .is_some_and(|(key, _)| (key.0, key.1) == (now, switch));
            assert!(
                !tie,
                "{}: two arrivals at switch {switch} at {now}, which either arm may order",
                scenario.name
            );
            machines[switch as usize].receive(now, port, &bytes);
        }
    }
}

/// What arrives when, at which switch, by which port.
type Coming = BTreeMap<(Time, u32, PortId), Vec<u8>>;

/// What hosts send, as it arrives at their switches: each NIC sends one frame after the other.
fn coming(scenario: &Scenario, ports: &Ports) -> Coming {
    let mut sends: Vec<(u32, Time, usize, u64)> = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        let at = |n| flow.start + flow.every * n;
        sends.extend((0..flow.packets).map(|n| (flow.from, at(n), index, n)));
    }
    sends.sort_unstable();
    let mut free = vec![Time::ZERO; scenario.network.hosts as usize];
    let mut coming = Coming::new();
    for pair in sends.windows(2) {
        let ((a, at, ..), (b, then, ..)) = (pair[0], pair[1]);
        assert!(
            (a, at) != (b, then),
            "{}: host {a} sends two at once",
            scenario.name
        );
    }
    for (host, at, index, number) in sends {
        let bytes = sample(scenario, index, number).bytes();
        let (switch, port, cabled) = attached(ports, host);
        let wire = (bytes.len() as u64 + 24).max(84);
        let left =
            free[host as usize].max(at) + cabled.rate.time_to_send(sidestep_types::Bytes(wire));
        free[host as usize] = left;
        let before = coming.insert((left + cabled.delay, switch, port), bytes);
        assert!(before.is_none(), "two at once by one cable");
    }
    coming
}

fn attached(ports: &Ports, host: u32) -> (u32, PortId, &Cabled) {
    for (switch, list) in ports.iter().enumerate() {
        for (port, cabled) in list.iter().enumerate() {
            if cabled.far == End::Host(HostId(host)) {
                return (switch as u32, PortId(port as u16), cabled);
            }
        }
    }
    panic!("host {host} has no cable")
}
