//! State shared between the threads of a run: the report of each part, and the mail between every two parts.
//!
//! Everything exists twice. While the threads read one copy, written before they met, they write the other;
//! they meet again before that one is read.

use super::barrier::Barrier;
use sidestep_sim::parts::{Mail, Part, PartReport, Step, Windows};
use sidestep_types::Time;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Report of one part, on a separate cache line.
#[repr(align(128))]
#[derive(Default)]
struct Slot {
    next: AtomicU64,
    left: AtomicU64,
    finished: AtomicU64,
    bound: AtomicU64,
}

impl Slot {
    // The barrier orders the writes before it and the reads after it.
    fn write(&self, said: PartReport) {
        self.next.store(said.next.ps(), Ordering::Relaxed);
        self.left.store(said.left, Ordering::Relaxed);
        self.finished.store(said.finished.ps(), Ordering::Relaxed);
        self.bound.store(said.bound.ps(), Ordering::Relaxed);
    }

    fn read(&self) -> PartReport {
        let time = |at: &AtomicU64| Time::from_ps(at.load(Ordering::Relaxed));
        PartReport {
            next: time(&self.next),
            left: self.left.load(Ordering::Relaxed),
            finished: time(&self.finished),
            bound: time(&self.bound),
        }
    }
}

/// Mail from one part to another.
#[repr(align(128))]
#[derive(Default)]
struct Mailbox(Mutex<Vec<Mail>>);

impl Mailbox {
    /// Takes the mail out, or puts mail in: the caller swaps an empty list for a full one, or a full one for an
    /// empty one.
    fn swap(&self, mail: &mut Vec<Mail>) {
        let inside = self.0.lock();
        let mut inside = inside.expect("nothing panics at a letterbox");
        debug_assert!(inside.is_empty() || mail.is_empty(), "mail is taken first");
        std::mem::swap(&mut *inside, mail);
    }
}

/// State shared between the threads.
pub struct Shared {
    pub barrier: Barrier,
    said: [Vec<Slot>; 2],
    /// Mail by sender, then by receiver.
    mail: [Vec<Vec<Mailbox>>; 2],
}

/// Broken barrier: another thread has ended with a panic.
pub struct Broken;

impl Shared {
    /// Creates the state for `parts` parts.
    pub fn new(parts: usize, barrier: Barrier) -> Shared {
        let said = || (0..parts).map(|_| Slot::default()).collect();
        let boxes = || (0..parts).map(|_| Mailbox::default()).collect();
        let mail = || (0..parts).map(|_| boxes()).collect();
        Shared {
            barrier,
            said: [said(), said()],
            mail: [mail(), mail()],
        }
    }

    /// Publishes the report of part `me`, waits for the others, and returns all reports.
    fn meet(
        &self,
        me: usize,
        part: &mut Part,
        turn: &mut usize,
    ) -> Result<impl Iterator<Item = PartReport> + Clone + '_, Broken> {
        let said = &self.said[*turn];
        *turn ^= 1;
        said[me].write(part.said());
        match self.barrier.wait() {
            true => Ok(said.iter().map(Slot::read)),
            false => Err(Broken),
        }
    }

    /// Serves `windows` with part `me` to the end, in parallel with the others. Returns the instant at which
    /// the run ended, if it did. The result equals that of [`sidestep_sim::parts::SequentialCrew`] for all parts.
    pub fn serve(
        &self,
        me: usize,
        part: &mut Part,
        windows: &Windows,
    ) -> Result<Option<Time>, Broken> {
        let (mut turn, mut sent) = (0, 0);
        let mut spare = Vec::new();
        loop {
            let said = self.meet(me, part, &mut turn)?;
            let step = windows.step(said);
            for from in &self.mail[sent] {
                from[me].swap(&mut spare);
                part.accept(&mut spare);
            }
            sent ^= 1;
            let mut end = None;
            let until = match step {
                Step::Done => return Ok(None),
                Step::All { until } => until,
                Step::Holders { until } => {
                    part.serve_own(until);
                    let after = windows.after(until, self.meet(me, part, &mut turn)?);
                    end = after.ends.then_some(after.until);
                    after.until
                }
            };
            part.serve(until);
            for (to, letterbox) in self.mail[sent][me].iter().enumerate() {
                let mail = part.mail_to(to);
                if !mail.is_empty() {
                    letterbox.swap(mail);
                }
            }
            if end.is_some() {
                self.meet(me, part, &mut turn).map(drop)?;
                for from in &self.mail[sent] {
                    from[me].swap(&mut spare);
                    part.accept(&mut spare);
                }
                return Ok(end);
            }
        }
    }
}
