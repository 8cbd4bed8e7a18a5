//! Hostile input to one end alone.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_sequence_of_acknowledgements_breaks_a_sender(
        config in config(),
        size in proptest::option::of(0..200_000u64),
        moves in proptest::collection::vec(
            (0..40_000u64, any::<[u8; 4]>(), 0..400u64, proptest::array::uniform6(0..30_000u32)),
            0..120,
        ),
    ) {
        let window = config.receive_window;
        let pfabric = PfabricConfig {
            mss: config.mss,
            window: config.initial_window,
            rto: config.rto.min,
            probe_after: config.dupack_threshold.unwrap_or(2),
            slow_start: config.limited_transmit,
            receive_window: window,
            ranking: config.ranking,
        };
        let mut tx = if config.idle_restart {
            AnySender::Tcp(TcpSender::new(Arc::new(config), size))
        } else {
            TransportConfig::from(pfabric).sender(size)
        };
        let (mut now, mut sent, mut heard) = (Time::ZERO, 0, 0);
        for (ack, how, wait, edges) in moves {
            now += Time::from_us(wait);
            let mut sack = sidestep_types::SackBlocks::NONE;
            for pair in edges.chunks(2).take(usize::from(how[0] % 4)) {
                if pair[0] < pair[1] {
                    sack.push(pair[0], pair[1]);
                }
            }
            // Mostly plausible, sometimes absurd.
            let ack = match how[1] {
                0..3 => u64::MAX - ack,
                3..20 => ack * 50,
                _ => ack,
            };
            match how[2] % 5 {
                0 => tx.on_timeout(now),
                1 => tx.on_timeout(tx.deadline().map_or(now, |d| d.min(now))),
                _ => {
                    if ack <= sent && how[3] % 16 != 0 {
                        heard = heard.max(ack);
                    }
                    tx.on_ack(now, Ack { ack, ece: how[3] & 1 == 1, syn: how[3] % 16 == 0, sack, cut: how[3] & 6 == 2, below: how[3] & 10 == 8, hops: how[2] });
                }
            }
            for _ in 0..300 {
                let Some(s) = tx.poll_send(now) else { break };
                let end = s.seq + u64::from(s.len);
                prop_assert!(s.len == 0 || end <= size.unwrap_or(u64::MAX));
                prop_assert!(s.len == 0 || end <= heard + window, "{:?} with {} acknowledged", s, heard);
                sent = sent.max(end);
            }
            prop_assert_eq!(tx.poll_send(now), None);
        }
    }

    #[test]
    fn a_receiver_delivers_what_a_bitmap_would(
        config in config(),
        segments in proptest::collection::vec((0..300u64, 0..60u32, any::<[bool; 4]>()), 0..150),
    ) {
        const SPAN: usize = 1000;
        let window = config.receive_window.min(100);
        let sack = config.recovery == Recovery::Sack;
        let config = TcpConfig { receive_window: window, ..config };
        let mut rx = TcpReceiver::new(Arc::new(config.clone()));
        let mut seen = [false; SPAN];
        let mut next = 0usize;
        for (i, (seq, len, how)) in segments.into_iter().enumerate() {
            let now = Time::from_us(i as u64 * 20);
            let syn = how[0] && how[1] && how[2];
            let trimmed = how[1] && how[3];
            rx.on_segment(now, Arrival { seq, len, syn, ce: how[3], cwr: how[2], trimmed, hops: 0 });
            let whole = !syn && !trimmed;
            let known = |b: &usize| seen[*b];
            let again: Vec<usize> = (seq as usize..seq as usize + len as usize)
                .skip_while(|b| !known(b))
                .take_while(known)
                .collect();
            let again = again.first().map(|from| (*from as u64, (from + again.len()) as u64));
            let again = again.filter(|_| whole && sack && config.reordering.dsack);
            let mut told = None;
            if whole {
                let limit = next + window as usize;
                let end = (seq as usize + len as usize).min(limit);
                (seq as usize..end).for_each(|b| seen[b] = true);
                next += seen[next..].iter().take_while(|b| **b).count();
            }
            prop_assert_eq!(rx.delivered(), next as u64);
            while let Some(ack) = rx.poll_ack(now) {
                let fin = u64::from(len == 0 && !syn && !trimmed && seq > 0 && seq == next as u64);
                prop_assert!(ack.ack <= next as u64 + fin);
                prop_assert!(sack || ack.arrived().next().is_none());
                if let Some((from, to)) = ack.cut_off() {
                    prop_assert!(trimmed && from >= next as u64);
                    prop_assert_eq!(to, seq + u64::from(len));
                }
                told = told.or(ack.duplicate());
                let within = ack.duplicate().is_some() && !ack.below;
                for (from, to) in ack.arrived().skip(usize::from(within)) {
                    let block = from as usize..to as usize;
                    prop_assert!(!seen[block.start - 1] && !seen[block.end]);
                    prop_assert!(seen[block].iter().all(|b| *b));
                }
            }
            prop_assert_eq!(told, again);
            if how[0] {
                rx.on_timeout(now);
            }
        }
    }
}
