//! Facts about a network for drawings: ports, and the height of switches.

use sidestep_sim::{End, Network};

/// Returns, for each switch, the directed links that its ports feed, and true for each that leads to a host.
pub fn ports_of(network: &Network) -> Vec<Vec<(usize, bool)>> {
    let mut ports = vec![Vec::new(); network.switches.len()];
    for (c, cable) in network.cables.iter().enumerate() {
        for (from, to, link) in [(cable.a, cable.b, 2 * c), (cable.b, cable.a, 2 * c + 1)] {
            if let End::Switch(switch) = from {
                ports[switch.0 as usize].push((link, matches!(to, End::Host(_))));
            }
        }
    }
    ports
}

/// Returns the distance of each switch from the nearest host, in cables.
pub fn heights(network: &Network) -> Vec<u32> {
    let mut height = vec![u32::MAX; network.switches.len()];
    let of = |end: End, height: &[u32]| match end {
        End::Host(_) => 0,
        End::Switch(s) => height[s.0 as usize],
    };
    loop {
        let mut moved = false;
        for cable in &network.cables {
            for (from, to) in [(cable.a, cable.b), (cable.b, cable.a)] {
                let below = of(from, &height);
                if let End::Switch(s) = to
                    && below < u32::MAX
                    && below + 1 < height[s.0 as usize]
                {
                    height[s.0 as usize] = below + 1;
                    moved = true;
                }
            }
        }
        if !moved {
            return height;
        }
    }
}
