use super::*;
use crate::Closing;

/// Returns a sender whose two segments are all acknowledged after 100 us, and the segments it sends then, as
/// first byte and length.
fn acknowledged(fin: bool, how: Closing) -> (TcpSender, Vec<(u64, u32)>) {
    let config = TcpConfig { fin, ..tcp() };
    let mut tx = flow(config, 2000).closing(how);
    tx.sends(0);
    tx.hears_of(100, 2000);
    let sent = tx.empties(100);
    (tx, sent)
}

impl TcpSender {
    fn hears_of(&mut self, at: u64, ack: u64) {
        let ack = Ack {
            ack,
            ece: false,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        };
        self.on_ack(us(at), ack);
    }

    fn empties(&mut self, at: u64) -> Vec<(u64, u32)> {
        let sent = self.segments(at);
        sent.iter().map(|s| (s.seq, s.len)).collect()
    }
}

#[test]
fn a_fin_follows_the_last_acknowledgement_and_its_answer_is_acknowledged_once() {
    let (mut tx, sent) = acknowledged(true, Closing::Both);
    assert_eq!(sent, [(2000, 0)]);
    // A repeated acknowledgement of the data does not answer the FIN.
    tx.hears_of(110, 2000);
    assert_eq!((tx.empties(110), tx.is_done()), (vec![], false));
    assert!(tx.deadline().is_some());
    tx.hears_of(120, 2001);
    assert_eq!(tx.empties(120), [(2001, 0)]);
    assert_eq!((tx.is_done(), tx.deadline()), (true, None));
    tx.hears_of(130, 2001);
    assert_eq!(tx.empties(130), []);
}

#[test]
fn who_closes_its_own_side_alone_acknowledges_nothing() {
    let (mut tx, sent) = acknowledged(true, Closing::Half);
    assert_eq!(sent, [(2000, 0)]);
    tx.hears_of(120, 2001);
    assert_eq!((tx.empties(120), tx.deadline()), (vec![], None));
}

#[test]
fn a_lost_fin_is_sent_again_and_says_so() {
    let (mut tx, _) = acknowledged(true, Closing::Both);
    let due = tx.deadline().expect("it waits for an answer");
    tx.on_timeout(due);
    let again = tx.segments(due.as_ns() / 1000);
    let said: Vec<(u64, u32, bool)> = again.iter().map(|s| (s.seq, s.len, s.retransmit)).collect();
    assert_eq!(said, [(2000, 0, true)]);
}

#[test]
fn nobody_closes_who_is_not_to_or_carried_nothing() {
    assert_eq!(acknowledged(false, Closing::Both).1, []);
    assert_eq!(acknowledged(true, Closing::Never).1, []);
    let config = TcpConfig { fin: true, ..tcp() };
    let mut empty = flow(config, 0).closing(Closing::Both);
    assert_eq!(empty.empties(0), []);
}
