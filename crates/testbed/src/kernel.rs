//! Kernel statistics of flows' senders, as rows of `kernel.parquet`: times are those of the emulated network.

use crate::setup::TestbedSetup;
use crate::traffic::{Answer, Ran};
use sidestep_study::KernelRow;

/// Returns a row for each answer, ordered by flow, then by time; `disturbed` is set if the run is marked.
pub fn rows(setup: &TestbedSetup, seed: u64, ran: &Ran, disturbed: bool) -> Vec<KernelRow> {
    let mut answers: Vec<&Answer> = ran.answers.list.iter().collect();
    answers.sort_by_key(|answer| (answer.flow, answer.at_ns, answer.subflow));
    answers
        .into_iter()
        .map(|answer| KernelRow {
            disturbed,
            ..row(setup, seed, answer)
        })
        .collect()
}

fn row(setup: &TestbedSetup, seed: u64, answer: &Answer) -> KernelRow {
    let there = |ns: u64| setup.scale.there(ns).as_us_f64();
    let us = |us: u32| there(u64::from(us) * 1_000);
    let info = &answer.info;
    KernelRow {
        scheme: setup.scenario.schemes[0].name.clone(),
        seed,
        // Set by `rows`.
        disturbed: false,
        flow: answer.flow as u64,
        subflow: answer.subflow.map(|number| number as u64),
        at_us: there(answer.at_ns),
        state: info.state.word(),
        window: info.snd_cwnd.into(),
        ssthresh: info.ssthresh.map(u64::from),
        unacked: info.unacked.into(),
        srtt_us: us(info.rtt_us),
        rttvar_us: us(info.rtt_var_us),
        min_rtt_us: info.rtt_min_us.map(us),
        rto_us: us(info.rto_us),
        reordering: info.reordering.into(),
        reordering_seen: info.reordering_seen.map(u64::from),
        retransmits: info.retransmits.into(),
        timeouts: info.total_rto.map(u64::from),
        dsacks: info.dsacks.map(u64::from),
        delivered: info.delivered.map(u64::from),
        marked: info.delivered_marked.map(u64::from),
        alpha: answer.alpha.map(share),
    }
}

/// Converts 1024ths to a fraction.
fn share(alpha: u32) -> f64 {
    f64::from(alpha) / f64::from(crate::traffic::ALPHA_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;
    use crate::traffic::{Answers, TcpInfo};

    #[test]
    fn times_are_shorter_there_and_rows_stand_by_flow() {
        let order = Order {
            scenario: "dibs-testbed".into(),
            scheme: "droptail".into(),
            sets: Vec::new(),
            quick: false,
            rate: "100 Mbps".into(),
            name: "k".into(),
        };
        let setup = order.read(None).unwrap();
        let answer = |flow, at_ns, alpha| Answer {
            flow,
            subflow: None,
            at_ns,
            info: TcpInfo {
                rtt_us: 300,
                snd_cwnd: 7,
                ..TcpInfo::default()
            },
            alpha,
        };
        let ran = Ran {
            answers: Answers {
                list: vec![
                    answer(2, 10_000_000, None),
                    answer(1, 20_000_000, Some(256)),
                ],
                left_out: 0,
            },
            ..Ran::default()
        };
        let rows = rows(&setup, 3, &ran, true);
        assert!(rows.iter().all(|row| row.disturbed));
        let brief: Vec<_> = rows
            .iter()
            .map(|r| (r.flow, r.seed, r.at_us, r.srtt_us, r.window, r.alpha))
            .collect();
        let first = (1, 3, 2_000.0, 30.0, 7, Some(0.25));
        assert_eq!(brief, [first, (2, 3, 1_000.0, 30.0, 7, None)]);
    }
}
