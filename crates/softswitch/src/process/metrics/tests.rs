use super::*;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Limits that never expire, with counters that are always queried again.
const PATIENT: Limits = Limits {
    question: Duration::from_secs(1 << 20),
    answer: Duration::from_secs(1 << 20),
    ending: Duration::from_secs(1 << 20),
    clients: 64,
    age: Duration::ZERO,
};

/// Runs an endpoint whose counters are `text` during `work`; returns how often they were queried.
fn serving(limits: Limits, text: &str, work: impl FnOnce(SocketAddr)) -> usize {
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let at = listener.local_addr().unwrap();
    let (done, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let text = || {
                asked.fetch_add(1, Ordering::SeqCst);
                Some(text.as_bytes().into())
            };
            let mut server = Server::new(&listener, limits, text);
            while !done.load(Ordering::SeqCst) {
                server.round();
            }
        });
        let _end = End(&done, at);
        work(at);
    });
    asked.load(Ordering::SeqCst)
}

/// Guard that ends the endpoint, also if its test fails.
struct End<'a>(&'a AtomicBool, SocketAddr);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        // Wakes the endpoint for its last round.
        drop(TcpStream::connect(self.1));
    }
}

/// Connects a client. Its read timeout is longer than any answer takes.
fn connect(at: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(at).unwrap();
    let patience = Some(Duration::from_secs(120));
    stream.set_read_timeout(patience).unwrap();
    stream
}

fn ask(at: SocketAddr, question: &str) -> String {
    let mut stream = connect(at);
    stream.write_all(question.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Returns true if the other end has neither sent anything nor closed.
fn is_open(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let said = stream.read(&mut [0; 1]);
    matches!(said, Err(e) if e.kind() == ErrorKind::WouldBlock)
}

#[test]
fn forty_silent_clients_do_not_delay_a_scrape() {
    serving(PATIENT, "all\n", |at| {
        let silent = || connect(at);
        let mut silent: Vec<TcpStream> = (0..40).map(|_| silent()).collect();
        // One of them has sent a part of its request.
        silent[7].write_all(b"GET /met").unwrap();
        let answer = ask(at, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nall\n"), "{answer}");
        assert!(
            silent.iter_mut().all(is_open),
            "they are waited for still: nobody hung up on them to answer"
        );
        silent[7].set_nonblocking(false).unwrap();
        silent[7].write_all(b"rics HTTP/1.0\r\n\r\n").unwrap();
        let mut late = String::new();
        silent[7].read_to_string(&mut late).unwrap();
        assert_eq!(late, answer, "and this one has asked now");
    });
}

#[test]
fn one_too_many_is_answered_and_who_has_asked_for_longest_makes_room() {
    let limits = Limits {
        clients: 3,
        ..PATIENT
    };
    serving(limits, "all\n", |at| {
        let mut silent: Vec<TcpStream> = Vec::new();
        for _ in 0..9 {
            silent.push(connect(at));
            // The client was accepted before the next one comes: an answer came after it.
            let answer = ask(at, "GET /metrics HTTP/1.1\r\n\r\n");
            assert!(answer.ends_with("\r\n\r\nall\n"), "{answer}");
        }
        // Its end of file shows that it was closed. Clients that were answered make room too, so more than six
        // may be closed.
        let mut first = silent.remove(0);
        assert_eq!(first.read(&mut [0; 1]).unwrap(), 0, "the first was closed");
    });
}

#[test]
fn a_client_that_asks_byte_by_byte_does_not_hold_the_endpoint() {
    let limits = Limits {
        question: Duration::from_millis(500),
        ..PATIENT
    };
    serving(limits, "all\n", |at| {
        let mut client = connect(at);
        // Each byte comes well within the time, but the request has no end: it goes on until the endpoint
        // closes.
        let endless = b"GET /metrics HTTP/1.1\r\nHost: "
            .iter()
            .chain(std::iter::repeat(&b'x'));
        let said = endless.take_while(|byte| {
            std::thread::sleep(Duration::from_millis(20));
            client.write_all(&[**byte]).is_ok()
        });
        assert!(said.count() < request::LONGEST, "not for being too long");
    });
}

#[test]
fn a_question_without_end_is_answered_with_its_limit() {
    serving(PATIENT, "all\n", |at| {
        let mut client = connect(at);
        let endless = [
            b"GET /metrics HTTP/1.1\r\nHost: ".as_slice(),
            &[b'x'; 1 << 16],
        ]
        .concat();
        client.write_all(&endless).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert!(
            answer.ends_with("at most 8192 bytes and 64 headers\n"),
            "{answer}"
        );
    });
}

#[test]
fn a_long_answer_arrives_whole_at_a_client_that_takes_its_time() {
    let text = "0123456789".repeat(1 << 20);
    serving(PATIENT, &text, |at| {
        let mut slow = connect(at);
        slow.write_all(b"GET /metrics?x HTTP/1.1\r\n\r\n").unwrap();
        // More than the sockets hold has to wait; another client is answered meanwhile.
        let head = ask(at, "HEAD /metrics HTTP/1.1\r\n\r\n");
        assert!(head.contains("Content-Length: 10485760\r\n"), "{head}");
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        let mut answer = String::new();
        slow.read_to_string(&mut answer).unwrap();
        assert!(answer == head + &text, "{} bytes", answer.len());
    });
}

#[test]
fn the_loop_is_asked_once_for_those_who_ask_together() {
    let limits = Limits {
        age: Duration::from_secs(1 << 20),
        ..PATIENT
    };
    let question = "GET /metrics HTTP/1.1\r\n\r\n";
    let twice = |at| assert_eq!(ask(at, question), ask(at, question));
    assert_eq!(serving(limits, "all\n", twice), 1);
    assert_eq!(serving(PATIENT, "all\n", twice), 2, "unless it is too old");
}

#[test]
fn an_address_of_another_machine_is_refused() {
    let error = listen("0.0.0.0:0".parse().unwrap()).unwrap_err();
    assert!(error.contains("expected a loopback address"), "{error}");
}
