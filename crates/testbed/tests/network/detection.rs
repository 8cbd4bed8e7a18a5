//! Tests of a plain kernel's loss detection against a peer played frame by frame: mechanisms that can be
//! switched off are off, and the kernel behaves as it describes itself.

use crate::common::{Bed, star, within};
use crate::needs_namespaces;
use crate::wire::{HERE, Wire, introduce, sack};
use sidestep_testbed::network::blueprint::{HostSettings, Kernel};
use sidestep_testbed::network::features::{Rack, rack};
use std::io::Write;
use std::net::{SocketAddrV4, TcpStream};
use std::time::Duration;

/// Payload of a full segment.
const MSS: u32 = 1460;

/// Segments of the initial window.
const FIRST: u32 = 10;

/// Timeout that never expires in a test, in microseconds: a minute.
const NEVER_US: u64 = 60_000_000;

/// Longest wait for an expected frame: a quarter of a round trip of a millisecond, on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// Wait for a frame that must not arrive.
const A_WHILE: Duration = Duration::from_millis(700);

/// Plain host that has sent its initial window to a peer, and the number of its first byte.
struct Sender {
    wire: Wire,
    first: u32,
    /// Keeps the connection and its hosts until the test ends.
    _stream: TcpStream,
    _bed: Bed,
}

/// Starts a plain host with this threshold of duplicates, and waits for its initial window.
fn sender(name: &str, sack: bool, threshold: u32) -> Sender {
    let mut print = star(name, 2);
    print.settings = HostSettings {
        sack,
        fast_retransmit: Some(threshold),
        rto_min_us: NEVER_US,
        kernel: Kernel::Plain,
        ..print.settings
    };
    let bed = Bed::up(print);
    let space = bed.0.host_space(0);
    introduce(&space);
    let mut wire = within(&bed.0.host_space(1), || Wire::new().unwrap());
    let to = SocketAddrV4::new(HERE, wire.port());
    let mut stream = std::thread::scope(|scope| {
        let opens = scope.spawn(|| within(&space, || TcpStream::connect(to).unwrap()));
        wire.accept(0);
        opens.join().unwrap()
    });
    // The window of a SYN is not scaled, so the first acknowledgement of data would change the window and be no
    // duplicate.
    let first = wire.frame(|frame| frame.bytes == 0).seq;
    wire.acknowledge(first, 0, &[]);
    stream
        .write_all(&vec![0; (2 * FIRST * MSS) as usize])
        .unwrap();
    for n in 0..FIRST {
        let frame = wire.frame(|frame| frame.bytes > 0);
        assert_eq!(frame.seq, first.wrapping_add(n * MSS));
    }
    Sender {
        wire,
        first,
        _stream: stream,
        _bed: bed,
    }
}

impl Sender {
    /// Returns the sequence number of segment `n`.
    fn at(&self, n: u32) -> u32 {
        self.first.wrapping_add(n * MSS)
    }

    /// Acknowledges segments 1 to `n` one by one, as if the first segment were lost.
    fn lose_the_first(&mut self, n: u32, sacks: bool) {
        for last in 1..=n {
            let block = [(self.at(1), self.at(last + 1))];
            let options = match sacks {
                true => sack(&block),
                false => Vec::new(),
            };
            self.wire.acknowledge(self.first, 0, &options);
        }
    }

    /// Waits for the first segment's retransmission.
    fn sends_again(&mut self, span: Duration) -> bool {
        while let Some(frame) = self.wire.within(span) {
            if frame.seq == self.first && frame.bytes > 0 {
                return true;
            }
        }
        false
    }
}

#[test]
fn without_sack_a_plain_kernel_counts_duplicates_and_nothing_else() {
    needs_namespaces!();
    let mut host = sender("nrn", false, 6);
    host.lose_the_first(5, false);
    assert!(!host.sends_again(A_WHILE), "five duplicates of six");
    host.lose_the_first(1, false);
    assert!(host.sends_again(SOON), "six duplicates");
}

/// Below the threshold only RACK's timer detects the loss: a kernel described as without RACK must not detect
/// it.
#[test]
fn with_sack_a_plain_kernel_finds_losses_as_it_says_of_itself() {
    needs_namespaces!();
    let mut host = sender("rck", true, 9);
    host.lose_the_first(5, true);
    let (stays, span) = match rack() {
        Rack::Fixed => (true, SOON),
        _ => (false, A_WHILE),
    };
    assert_eq!(host.sends_again(span), stays, "{:?}", rack());
}
