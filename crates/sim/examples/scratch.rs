use sidestep_sim::agenda::*;
use sidestep_sim::*;
use sidestep_switch::Capacity;
use sidestep_transport::{Congestion, Estimator, Recovery, RtoConfig, TcpConfig};
use sidestep_types::*;
use std::sync::Arc;

fn fat_tree(k: u32, rate: BitRate, delay: Time) -> Network {
    let h = k / 2;
    let (edges, aggs) = (k * h, k * h);
    let sw = |s: u32| End::Switch(SwitchId(s));
    let mut cables = vec![];
    let cable = |a, b| Cable { a, b, rate, delay };
    for e in 0..edges {
        for i in 0..h {
            cables.push(cable(End::Host(HostId(e * h + i)), sw(e)));
        }
    }
    for p in 0..k {
        for e in 0..h {
            for a in 0..h {
                cables.push(cable(sw(p * h + e), sw(edges + p * h + a)));
            }
        }
    }
    for p in 0..k {
        for a in 0..h {
            for c in 0..h {
                cables.push(cable(sw(edges + p * h + a), sw(edges + aggs + a * h + c)));
            }
        }
    }
    Network {
        hosts: k * h * h,
        switches: (0..edges + aggs + h * h).map(|s| format!("s{s}")).collect(),
        cables,
    }
}

fn defaults(e: &'static [Entry], name: &str) -> (String, Values) {
    let entry = e.iter().find(|x| x.name == name).unwrap();
    (name.to_string(), Values::defaults(entry.params))
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let k: u32 = args[1].parse().unwrap();
    let ms: u64 = args[2].parse().unwrap();
    let which = args.get(3).map(|s| s.as_str()).unwrap_or("wheel");
    let rwnd: u64 = args.get(4).map(|s| s.parse().unwrap()).unwrap_or(131072);
    let net = fat_tree(k, BitRate::gbps(1), Time::from_us(1));
    let mut rng = Seed(1).stream("perm");
    let n = net.hosts;
    let mut perm: Vec<u32> = (0..n).collect();
    loop {
        for i in (1..n).rev() {
            let j = rng.below(i as u64 + 1) as u32;
            perm.swap(i as usize, j as usize);
        }
        if (0..n).all(|i| perm[i as usize] != i) {
            break;
        }
    }
    let flows = (0..n)
        .map(|i| FlowPlan {
            src: HostId(i),
            dst: HostId(perm[i as usize]),
            size: FlowPlan::ENDLESS,
            start: Start::At(Time::ZERO),
            class: 0,
            query: None,
            request: false,
        })
        .collect();
    let plan = Arc::new(Plan {
        classes: vec!["long".into()],
        flows,
        queries: vec![],
    });
    let config = WorldConfig {
        framing: Framing::Ip,
        ttl: 255,
        switch: SwitchConfig {
            route: defaults(sidestep_switch::route::ENTRIES, "ecmp"),
            buffer: defaults(sidestep_switch::buffer::ENTRIES, "ecn"),
            sched: defaults(sidestep_switch::sched::ENTRIES, "fifo"),
            capacity: Capacity::PerPort(Size::Packets(100)),
        },
        transport: Arc::new(TcpConfig {
            congestion: Congestion::Dctcp {
                gain: 1.0 / 16.0,
                initial_alpha: 1.0,
            },
            recovery: Recovery::Sack,
            mss: 1460,
            initial_window: 10,
            receive_window: rwnd,
            dupack_threshold: Some(3),
            limited_transmit: false,
            idle_restart: false,
            delayed_ack: None,
            rto: RtoConfig {
                estimator: Estimator::Rfc6298,
                min: Time::from_ms(10),
                initial: Time::from_ms(10),
                max: Time::from_s(60),
                granularity: Time::from_us(1),
                backoff: true,
            },
            handshake: false,
        }),
        seed: Seed(1),
        trace: TraceFilter::None,
    };
    match which {
        "heap" => go::<HeapAgenda>(&net, plan, config, ms),
        _ => go::<WheelAgenda>(&net, plan, config, ms),
    }
}

fn go<A: Agenda>(net: &Network, plan: Arc<Plan>, config: WorldConfig, ms: u64) {
    let mut w: World<A> = World::new(net, plan, config).unwrap();
    let t = std::time::Instant::now();
    w.run_until(Time::from_ms(ms));
    let el = t.elapsed().as_secs_f64();
    let t = w.totals();
    println!(
        "hops {} events {} {:.3} s: {:.2} M hops/s",
        t.packet_hops,
        t.events,
        el,
        t.packet_hops as f64 / el / 1e6
    );
    let o = w.finish();
    println!("{:?} hash {:x}", o.totals, o.trajectory_hash);
    println!(
        "goodput {:.2} Gbps",
        o.flows.iter().map(|f| f.delivered_bytes).sum::<u64>() as f64 * 8.0 / (ms as f64 * 1e6)
    );
    let rss = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", rss.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
