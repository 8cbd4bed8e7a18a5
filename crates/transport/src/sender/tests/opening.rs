use super::*;

fn opening() -> TcpConfig {
    let mut config = tcp();
    config.handshake = true;
    config.rto.initial = us(1000);
    config
}

fn syn_ack() -> Ack {
    Ack {
        ack: 0,
        ece: false,
        syn: true,
        sack: SackBlocks::NONE,
        cut: false,
        below: false,
        hops: 0,
    }
}

impl TcpSender {
    /// Checks that the answer to the SYN is acknowledged; returns the segments sent after that.
    fn confirms_and_sends(&mut self, at: u64) -> Vec<u64> {
        let confirm = self.poll_send(us(at)).expect("an acknowledgement");
        assert_eq!((confirm.seq, confirm.len), (0, 0));
        assert!(!confirm.syn && !confirm.ect && !confirm.retransmit);
        self.sends(at)
    }
}

#[test]
fn data_follows_the_answer_to_a_syn() {
    let mut tx = flow(opening(), 3000);
    let syn = tx.poll_send(us(0)).expect("a SYN");
    assert!(syn.syn && syn.len == 0 && !syn.ect && !syn.retransmit);
    assert_eq!(tx.poll_send(us(0)), None);
    tx.on_ack(us(100), syn_ack());
    assert_eq!(tx.rto(), us(300)); // the SYN was a round-trip sample
    assert_eq!(tx.confirms_and_sends(100), [0, 1, 2]);
    assert_eq!(tx.deadline(), Some(us(400)));
    tx.on_ack(us(110), syn_ack()); // a copy
    assert_eq!(tx.acked(200, 3), NOTHING);
    assert!(tx.is_done());
    assert_eq!(tx.counters().segments, 3);
}

#[test]
fn a_lost_syn_is_sent_again_and_costs_the_first_window() {
    let mut tx = endless(opening());
    assert!(tx.poll_send(us(0)).expect("a SYN").syn);
    tx.on_timeout(us(1000));
    let again = tx.poll_send(us(1000)).expect("a SYN");
    assert!(again.syn && again.retransmit);
    assert_eq!(tx.deadline(), Some(us(3000)));
    tx.on_ack(us(1100), syn_ack());
    assert_eq!(tx.confirms_and_sends(1100), [0]);
    assert_eq!(tx.rto(), us(1000)); // no sample, and the back-off was the SYN's alone
}

#[test]
fn nothing_but_a_syn_ack_opens_the_connection() {
    let mut tx = endless(opening());
    tx.on_ack(us(0), syn_ack()); // to a SYN not yet sent
    assert!(tx.poll_send(us(0)).expect("a SYN").syn);
    assert_eq!(tx.acked(50, 0), NOTHING);
    assert_eq!(tx.acked(50, 1), NOTHING);
    tx.on_ack(us(100), syn_ack());
    assert_eq!(tx.confirms_and_sends(100), [0, 1, 2, 3]);
}

#[test]
fn an_empty_flow_opens_nothing_until_it_has_data() {
    let mut tx = flow(opening(), 0);
    assert_eq!(tx.poll_send(us(0)), None);
    tx.push(500);
    assert!(tx.poll_send(us(10)).expect("a SYN").syn);
}

/// Initial state of a sender on a connection that the other end has opened.
#[test]
fn who_answers_opens_nothing_and_knows_the_round_trip_that_was_seen() {
    let answering = |opened| flow(opening(), 3000).answering(opened);
    let mut tx = answering(Opened::Took(us(80)));
    assert_eq!((tx.rto(), tx.sends(0)), (us(240), vec![0, 1, 2]));
    let mut tx = answering(Opened::Unseen);
    assert_eq!((tx.rto(), tx.sends(0)), (us(1000), vec![0, 1, 2]));
    // RFC 5681 3.1: a packet of the handshake was lost.
    let mut tx = answering(Opened::Again(us(80)));
    assert_eq!((tx.rto(), tx.sends(0)), (us(1000), vec![0]));
}

#[test]
fn with_timestamps_what_was_answered_twice_is_a_sample() {
    let config = TcpConfig {
        timestamps: true,
        ..opening()
    };
    let answering = |opened| flow(config.clone(), 3000).answering(opened);
    let mut tx = answering(Opened::Again(us(80)));
    assert_eq!((tx.rto(), tx.sends(0)), (us(240), vec![0]));
    let mut tx = answering(Opened::Again(Time::MAX));
    assert_eq!((tx.rto(), tx.sends(0)), (us(1000), vec![0]));
    // The end that opens behaves alike.
    let mut tx = endless(config);
    assert!(tx.poll_send(us(0)).expect("a SYN").syn);
    tx.on_timeout(us(1000));
    assert!(tx.poll_send(us(1000)).expect("a SYN").retransmit);
    tx.on_ack(us(1100), syn_ack());
    assert_eq!(tx.confirms_and_sends(1100), [0]);
    assert_eq!(tx.rto(), us(300)); // 100 + 4 * 50
}

#[test]
fn without_syn_sample_who_opens_knows_nothing_of_the_path_and_who_answers_does() {
    let config = TcpConfig {
        syn_sample: false,
        ..opening()
    };
    let mut tx = endless(config.clone());
    assert!(tx.poll_send(us(0)).expect("a SYN").syn);
    tx.on_ack(us(100), syn_ack());
    assert_eq!(tx.rto(), us(1000));
    assert_eq!(tx.confirms_and_sends(100), [0, 1, 2, 3]);
    assert_eq!(tx.deadline(), Some(us(1100)));
    let tx = flow(config, 3000).answering(Opened::Took(us(80)));
    assert_eq!(tx.rto(), us(240));
}

#[test]
fn a_standing_connection_that_has_measured_its_path_begins_with_that_timeout() {
    let config = TcpConfig {
        measured_round_trip: Some(us(100)),
        ..tcp()
    };
    let mut tx = endless(config);
    assert_eq!(tx.rto(), us(300)); // RFC 6298 2.2: R + 4 R/2
    tx.sends(5);
    assert_eq!(tx.deadline(), Some(us(305)));
}
