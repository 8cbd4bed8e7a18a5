//! Arm of the software switch: a machine for each switch, and frames carried between them.

use crate::scenario::{ANSWERS, Answer, END, Flow, Scenario, tags};
use crate::{Paths, Step, WITHHELD};
use sidestep_sim::{End, Network};
use sidestep_softswitch::frame::{self, Carry, FrameContent, Ip, sample::Sample};
use sidestep_softswitch::machine::{FrameAction, FrameEvent, Machine};
use sidestep_softswitch::setup::{
    DEFAULT_MTU, Forwarding, Mac, NO_VLAN, PortBridge, PortSetup, ProcessSetup, Rank, Setup,
    Station,
};
use sidestep_softswitch::trial::still::{Became, Still};
use sidestep_switch::{
    AnyBuffer, AnyRoute, Buffer, Changes, DropReason, Hops, Queues, Route, Verdict, Want,
};
use sidestep_transport::shim::{AnyShim, Shim, Stack, Up};
use sidestep_types::{BitRate, FlowId, HostId, Packet, PortId, Rng, Seed, Tag, Time, mix64};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// Runs the scenario; with `turned`, one verdict of each switch is reversed.
pub fn run(scenario: &Scenario, turned: Option<u64>) -> Paths {
    run_with(scenario, scenario, turned)
}

/// Runs the scenario as [`run`] does, with the hashes of another scenario.
pub fn run_with(scenario: &Scenario, hashes: &Scenario, turned: Option<u64>) -> Paths {
    let ports = ports(&scenario.network);
    let paths = Arc::new(Mutex::new(Paths::new()));
    let drawn = drawn(hashes);
    let mut machines = Vec::new();
    for switch in 0..ports.len() {
        let setup = setup(scenario, &ports, switch);
        let mut machine = Machine::numbered(&setup, switch as u64).expect("a switch");
        tell_sizes(&mut machine, scenario);
        rehash(&mut machine, scenario, switch, &drawn, turned);
        note(&mut machine, scenario, switch as u32, paths.clone());
        machines.push(machine);
    }
    carry(scenario, &ports, &mut machines, &paths, &mut |_, _| {});
    let dropped = shim_drops(&mut machines);
    drop(machines);
    let paths = Arc::into_inner(paths).expect("nobody else");
    let mut paths = paths.into_inner().expect("whole");
    let mut withheld = 0;
    for path in paths.values_mut() {
        // No packet is queued in a switch any more.
        if let Some((_, Step::Queued { .. })) = path.last() {
            path.push((WITHHELD, Step::Withheld));
            withheld += 1;
        }
    }
    assert_eq!(
        withheld, dropped,
        "{}: by the shims' own count",
        scenario.name
    );
    paths
}

/// Runs the scenario with machines, with the frames' own hashes, and beside each a program in the kernel, which
/// must do the same with every frame at every instant. Returns the number of frames; an error lists the
/// settings that the program cannot do.
pub fn beside(scenario: &Scenario) -> Result<u64, String> {
    let ports = ports(&scenario.network);
    let paths = Arc::new(Mutex::new(Paths::new()));
    let (mut machines, mut stills) = (Vec::new(), Vec::new());
    for switch in 0..ports.len() {
        let setup = setup(scenario, &ports, switch);
        let mut alike = setup.clone();
        for port in &mut alike.ports {
            // The delay belongs to the link, not to the decision: the program has none.
            port.delay = Time::ZERO;
        }
        stills.push(Still::new(&alike, Some(switch as u64))?);
        let mut machine = Machine::numbered(&setup, switch as u64).expect("a switch");
        note(&mut machine, scenario, switch as u32, paths.clone());
        machines.push(machine);
    }
    let mut frames = 0;
    carry(
        scenario,
        &ports,
        &mut machines,
        &paths,
        &mut |arrived, paths| {
            let id = identity(arrived.bytes, &ip(arrived.bytes, None));
            let last = paths[&id].last().expect("something happened to it");
            let still = &mut stills[arrived.switch];
            let (became, _) =
                (still.receive(arrived.now, arrived.port, arrived.bytes)).expect("a test run");
            let said = match became {
                Became::Queued {
                    wanted,
                    port,
                    ahead,
                    marked,
                    ..
                } => (wanted, Ok((port, ahead, marked))),
                Became::Dropped { wanted, reason } => (wanted, Err(crate::reason(reason))),
                other => panic!("{}: {other:?}", scenario.name),
            };
            let expected = match last.1 {
                Step::Queued { joined, .. } => {
                    let marked = joined.changes.has(Changes::MARKED);
                    (
                        joined.wanted,
                        Ok((joined.port, joined.ahead.packets, marked)),
                    )
                }
                Step::Dropped { wanted, reason, .. } => (wanted, Err(reason)),
                other => panic!("{}: {other:?}", scenario.name),
            };
            assert_eq!(
                said, expected,
                "{}: packet {id:?} at {}",
                scenario.name, arrived.now
            );
            frames += 1;
        },
    );
    Ok(frames)
}

/// Returns the packets that the shims of all ports have dropped.
fn shim_drops(machines: &mut [Machine]) -> u64 {
    let of = |machine: &mut Machine| {
        let ports = machine.counters(END).ports;
        let shims = ports.iter().filter_map(|port| port.shims);
        shims.map(|shims| shims.dropped).sum::<u64>()
    };
    machines.iter_mut().map(of).sum()
}

/// For each switch and port: the far end with its port, the rate and the delay.
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
        // Number of the port that each end gets.
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
        shims: match cabled.far {
            End::Host(_) => scenario.shims.clone(),
            End::Switch(_) => Vec::new(),
        },
        bridge: PortBridge::default(),
        vlan: None,
    };
    let station = |host: u32| Station {
        mac: mac(host),
        addresses: vec![],
        ports: toward(ports, me, host),
        vlan: NO_VLAN,
    };
    Setup {
        name: format!("s{me}"),
        seed: scenario.seed,
        decision: scenario.decisions[me].clone(),
        rank: match (tags(&scenario.shims), scenario.sent) {
            (Some(_), _) => Rank::Tag,
            (None, Some(_)) => Rank::Sent,
            (None, None) => Rank::Dscp,
        },
        rank_gap: scenario.sent.unwrap_or(Time::MAX),
        services: None,
        tags: tags(&scenario.shims),
        forwarding: Forwarding::Static,
        mtu: DEFAULT_MTU,
        probe: None,
        process: ProcessSetup::default(),
        ports: ports[me].iter().enumerate().map(port).collect(),
        stations: (0..scenario.network.hosts).map(station).collect(),
        router: None,
        networks: vec![],
    }
}

/// Returns the ports of switch `me` on shortest paths to `host`.
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

/// Returns the frame of transmission `number` of flow `index`; its source port is the flow, its window the
/// transmission.
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
        seq: flow.seq(number) as u32,
        window: number as u16,
        flags: Some(if flow.ends_with(number) { 0x11 } else { 0x10 }),
        ttl: scenario.ttl,
        tos: (flow.rank as u8) << 2 | if flow.ect { 2 } else { 0 },
        ..Sample::tcp(0, 0, flow.bytes as usize)
    }
}

/// Returns the frame of answer `number` to flow `index`; its destination port is the flow, its own sequence
/// number, which no shim reads, the answer.
fn answer(scenario: &Scenario, index: usize, number: u64) -> Sample {
    let data = sample(scenario, index, 0);
    let Answer { ack, ece, .. } = scenario.flows[index].answers[number as usize];
    Sample {
        macs: (data.macs.1, data.macs.0),
        addresses: (data.addresses.1, data.addresses.0),
        ports: (data.ports.1, data.ports.0),
        seq: number as u32,
        ack: ack as u32,
        flags: Some(if ece { 0x50 } else { 0x10 }),
        tos: 0,
        payload: Vec::new(),
        ..data
    }
}

fn identity(bytes: &[u8], ip: &Ip) -> (u32, u64) {
    let at = usize::from(ip.at);
    let tcp = at + 4 * usize::from(bytes[at] & 15);
    let word = |at: usize| u32::from(u16::from_be_bytes([bytes[tcp + at], bytes[tcp + at + 1]]));
    match word(0) {
        80 => (word(2) + ANSWERS, u64::from(word(4) << 16 | word(6))),
        flow => (flow, u64::from(word(14))),
    }
}

/// Returns the IP packet in a valid frame.
fn ip(bytes: &[u8], carry: Option<Carry>) -> Ip {
    match frame::read_as(bytes, carry).expect("a sound frame").what {
        FrameContent::Ip(ip) => ip,
        other => panic!("{other:?}"),
    }
}

/// Announces message sizes to the shims that mark, as an application would.
fn tell_sizes(machine: &mut Machine, scenario: &Scenario) {
    if tags(&scenario.shims).is_none() {
        return;
    }
    let size = |index: usize, flow: &Flow| {
        let frame = frame::read(&sample(scenario, index, 0).bytes()).expect("a sound frame");
        (frame.hash, flow.size())
    };
    let flows = scenario.flows.iter().enumerate();
    let sizes: HashMap<u32, u64> = flows.map(|(index, flow)| size(index, flow)).collect();
    for port in 0..machine.setup().ports.len() {
        if machine.setup().ports[port].shims.is_empty() {
            continue;
        }
        let made = scenario.shims.iter().map(|shim| {
            let mut inner = shim.build().expect("a shim");
            inner.configure_for_stack(&scenario.shims);
            match shim.nature().tags {
                false => inner,
                true => AnyShim::Custom(Box::new(AnnouncingShim {
                    inner,
                    sizes: sizes.clone(),
                })),
            }
        });
        machine.set_shims(PortId(port as u16), Stack::of(made.collect()));
    }
}

/// Shim that receives the size of a message as its first data leaves.
struct AnnouncingShim {
    inner: AnyShim,
    sizes: HashMap<u32, u64>,
}

impl Shim for AnnouncingShim {
    fn open(&mut self, flow: FlowId, size: Option<u64>) {
        self.inner.open(flow, size);
    }
    fn close(&mut self, flow: FlowId) {
        self.inner.close(flow);
    }
    fn down(&mut self, now: Time, packet: &mut Packet) {
        if let Some(size) = self.sizes.get(&packet.hash) {
            self.inner.open_message(packet.flow, Some(*size), None);
        }
        self.inner.down(now, packet);
    }
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        self.inner.up(now, packet)
    }
    fn carried(&mut self, packet: &Packet) -> Option<u32> {
        self.inner.carried(packet)
    }
    fn restore(&self, tag: &mut Tag, number: u32) {
        self.inner.restore(tag, number);
    }
    fn acknowledged(&mut self, flow: FlowId, upto: u64) {
        self.inner.acknowledged(flow, upto);
    }
}

/// Returns the hash that the simulator draws for each flow, and the flow's destination host, by the hash of the
/// flow's frames.
fn drawn(scenario: &Scenario) -> Drawn {
    let salt = Seed(scenario.seed).salt("flow hash");
    let pair = |sample: Sample, hash: u64, host: u32| {
        let frame = frame::read(&sample.bytes()).expect("a sound frame");
        (frame.hash, (hash as u32, HostId(host)))
    };
    let mut drawn = Drawn::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        let hashes = mix64(salt ^ index as u64);
        drawn.extend([pair(sample(scenario, index, 0), hashes, flow.to)]);
        if !flow.answers.is_empty() {
            drawn.extend([pair(answer(scenario, index, 0), hashes >> 32, flow.from)]);
        }
    }
    drawn
}

type Drawn = HashMap<u32, (u32, HostId)>;

/// Wraps the machine's policies so that they receive packets with the simulator's hashes and hosts, and
/// reverses one verdict.
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
    let (route, buffered) = (&decision.route, &decision.buffer);
    machine.set_route(AnyRoute::Custom(Box::new(Rehashed {
        inner: route.build(many, salt).expect("a route"),
        drawn: Some(drawn.clone()),
        left: None,
    })));
    machine.set_buffer(AnyBuffer::Custom(Box::new(Rehashed {
        inner: buffered.build(many, salt).expect("a buffer"),
        // A policy that needs flows passes packets to a scheduler, which identifies them by the hash of their
        // frames.
        drawn: (buffered.nature().flows.is_none()).then(|| drawn.clone()),
        left: turned,
    })));
}

struct Rehashed<T> {
    inner: T,
    /// Drawn hashes and hosts; `None` leaves packets unchanged.
    drawn: Option<Drawn>,
    /// Verdicts before the one that is reversed.
    left: Option<u64>,
}

impl<T> Rehashed<T> {
    fn packet(&self, pkt: &Packet) -> Packet {
        let mut pkt = *pkt;
        if let Some(drawn) = &self.drawn {
            (pkt.hash, pkt.dst) = drawn[&pkt.hash];
            pkt.flow = FlowId(pkt.hash);
        }
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

/// Records the events of each packet at a switch.
fn note(machine: &mut Machine, scenario: &Scenario, switch: u32, paths: Arc<Mutex<Paths>>) {
    let carry = tags(&scenario.shims).map(|tags| tags.carry);
    let bytes: Vec<u32> = scenario.flows.iter().map(|flow| flow.bytes).collect();
    machine.watch(Some(Box::new(move |event: &FrameEvent<'_>| {
        let ip = ip(event.frame, carry);
        let (id, payload) = (identity(event.frame, &ip), u32::from(ip.payload));
        let whole = bytes.get(id.0 as usize).copied().unwrap_or(0);
        let cut = payload < whole;
        let what = match event.what {
            FrameAction::Switched(what) => what,
            FrameAction::Left { .. } => return,
            other => panic!("{other:?}"),
        };
        if let Some(joined) = what.joined() {
            assert!(cut || !joined.changes.has(Changes::TRIMMED), "all is there");
            assert!(
                ip.ecn == 3 || !joined.changes.has(Changes::MARKED),
                "a mark is in the frame"
            );
        }
        let step = Step::of(switch, what);
        paths
            .lock()
            .expect("one thread")
            .entry(id)
            .or_default()
            .push((event.at, step));
    })));
}

/// Sends the hosts' packets, and carries frames from switch to switch until none is left. `seen` receives each
/// frame that a switch has received.
fn carry(
    scenario: &Scenario,
    ports: &Ports,
    machines: &mut [Machine],
    paths: &Mutex<Paths>,
    seen: &mut dyn FnMut(Arrived<'_>, &Paths),
) {
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
                        let id = identity(&bytes, &ip(&bytes, None));
                        assert_eq!(&bytes[12..15], [8, 0, 0x45], "hosts see no tag");
                        let path = paths.get_mut(&id).expect("a known packet");
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
            let arrived = Arrived {
                switch: switch as usize,
                now,
                port,
                bytes: &bytes,
            };
            seen(arrived, &paths.lock().expect("one thread"));
        }
    }
}

/// Frame that a switch has received.
struct Arrived<'a> {
    switch: usize,
    now: Time,
    port: PortId,
    bytes: &'a [u8],
}

/// Frames under way, by arrival time, switch and port.
type Coming = BTreeMap<(Time, u32, PortId), Vec<u8>>;

/// Returns the frames that hosts send, as they arrive at their switches: each NIC sends one frame after the
/// other.
fn coming(scenario: &Scenario, ports: &Ports) -> Coming {
    let mut sends: Vec<(u32, Time, Vec<u8>)> = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate() {
        let at = |n| flow.start + flow.every * n;
        let frame = |n| sample(scenario, index, n).bytes();
        sends.extend((0..flow.packets).map(|n| (flow.from, at(n), frame(n))));
        let answers = (0..).zip(&flow.answers);
        let frame = |n| answer(scenario, index, n).bytes();
        sends.extend(answers.map(|(n, answer)| (flow.to, answer.at, frame(n))));
    }
    sends.sort_unstable();
    let mut free = vec![Time::ZERO; scenario.network.hosts as usize];
    let mut coming = Coming::new();
    for pair in sends.windows(2) {
        let ((a, at, _), (b, then, _)) = (&pair[0], &pair[1]);
        assert!(
            (a, at) != (b, then),
            "{}: host {a} sends two at once",
            scenario.name
        );
    }
    let carry = tags(&scenario.shims).map(|tags| tags.carry);
    for (host, at, bytes) in sends {
        let (switch, port, cabled) = attached(ports, host);
        // Shims of the simulator tag before the NIC, those of a switch behind it.
        let tagged = carry.filter(|_| ip(&bytes, None).payload > 0);
        let adds = tagged.map_or(0, Carry::adds);
        let wire = ((bytes.len() + adds) as u64 + 24).max(84);
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
