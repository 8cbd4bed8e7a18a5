//! Any run: settings and plans drawn at random.

use super::*;
use proptest::prelude::*;

pub fn any_config() -> impl Strategy<Value = WorldConfig> {
    // Every policy, with the scheduler that it needs or with any.
    let buffers =
        proptest::sample::select(buffer::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>());
    let capacities = prop_oneof![
        (1u64..60).prop_map(|n| Capacity::PerPort(Size::Packets(n))),
        (1600u64..60_000).prop_map(|b| Capacity::PerPort(Size::Bytes(Bytes(b)))),
        (20_000u64..200_000, 1u64..4).prop_map(|(m, a)| Capacity::Shared {
            memory: Bytes(m),
            alpha: (a, 2)
        }),
        Just(Capacity::Unlimited),
    ];
    // Half of those that may have any have FIFO.
    let scheds = prop_oneof![
        Just("fifo"),
        proptest::sample::select(sched::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>()),
    ];
    (
        (buffers, scheds),
        capacities,
        any::<[bool; 2]>(),
        any::<u64>(),
        4u8..40,
    )
        .prop_map(|((name, sched), capacity, [ip, fabric], seed, ttl)| {
            let nature = buffer::nature(name);
            let mut config = config(name, 1, seed);
            if nature.detours {
                config.transport = dibs(1, seed).transport;
            }
            let sched = match nature.works_beside(sched) {
                true => sched,
                false => nature.sched[0],
            };
            config.switch.sched = values(sched::ENTRIES, sched, &[]);
            config.switch.capacity = capacity;
            config.framing = if ip { Framing::Ip } else { Framing::Ethernet };
            config.ttl = ttl;
            if fabric {
                config.transport = pfabric().into();
            }
            config
        })
}

/// The same, or with pauses, or with a fabric between inputs and outputs.
pub fn any_switches() -> impl Strategy<Value = WorldConfig> {
    let pfc = (1u64..40_000, proptest::option::of(1_538u64..10_000));
    let pfc = pfc.prop_map(|(xoff, headroom)| PfcConfig {
        xoff: Bytes(xoff),
        xon: None,
        headroom: headroom.map(Bytes),
    });
    let sizes = prop_oneof![
        (1u64..20).prop_map(Size::Packets),
        (1600u64..20_000).prop_map(|b| Size::Bytes(Bytes(b))),
    ];
    let cioq = ((1u64..5, 1u64..3), proptest::option::of(sizes));
    let cioq = cioq.prop_map(|((times, over), input_capacity)| CioqConfig {
        speedup: (times * over, over),
        input_capacity,
    });
    (any_config(), 0..3, pfc, cioq).prop_map(|(mut config, kind, pfc, cioq)| {
        config.switch.pfc =
            (kind == 1 && !buffer::nature(&config.switch.buffer.0).detours).then_some(pfc);
        config.switch.cioq = (kind == 2).then_some(cioq);
        config
    })
}

pub fn any_plan(hosts: u32) -> impl Strategy<Value = Arc<Plan>> {
    let one = (0..hosts, 1..hosts, 1u64..60_000, 0u64..3_000);
    proptest::collection::vec(one, 1..40).prop_map(move |list| {
        let make = |(src, step, size, us): (u32, u32, u64, u64)| {
            flow(src, (src + step) % hosts, size, Time::from_us(us))
        };
        plan(list.into_iter().map(make).collect())
    })
}
