//! What the threads of a run share: what each part said, and the mail between every two.
//!
//! Everything stands twice. While the threads read what was written before they met, they write the other one; they meet again
//! before that is read.

use super::barrier::Barrier;
use sidestep_sim::parts::{Mail, Part, Said, Step, Windows};
use sidestep_types::Time;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one part said, on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Slot {
    next: AtomicU64,
    left: AtomicU64,
    finished: AtomicU64,
    bound: AtomicU64,
}

impl Slot {
    // The barrier orders what is written before it and read after it.
    fn write(&self, said: Said) {
        self.next.store(said.next.ps(), Ordering::Relaxed);
        self.left.store(said.left, Ordering::Relaxed);
        self.finished.store(said.finished.ps(), Ordering::Relaxed);
        self.bound.store(said.bound.ps(), Ordering::Relaxed);
    }

    fn read(&self) -> Said {
        let time = |at: &AtomicU64| Time::from_ps(at.load(Ordering::Relaxed));
        Said {
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
struct Letterbox(Mutex<Vec<Mail>>);

impl Letterbox {
    /// Takes what is there, or puts it there: whoever comes brings an empty one for a full one, or a full one for an empty one.
    fn swap(&self, mail: &mut Vec<Mail>) {
        let inside = self.0.lock();
        let mut inside = inside.expect("nothing panics at a letterbox");
        debug_assert!(inside.is_empty() || mail.is_empty(), "mail is taken first");
        std::mem::swap(&mut *inside, mail);
    }
}

/// What the threads share.
pub struct Shared {
    pub barrier: Barrier,
    said: [Vec<Slot>; 2],
    /// By sender, then by receiver.
    mail: [Vec<Vec<Letterbox>>; 2],
}

/// The barrier is broken: another thread has ended with a panic.
pub struct Broken;

impl Shared {
    /// For so many parts.
    pub fn new(parts: usize, barrier: Barrier) -> Shared {
        let said = || (0..parts).map(|_| Slot::default()).collect();
        let boxes = || (0..parts).map(|_| Letterbox::default()).collect();
        let mail = || (0..parts).map(|_| boxes()).collect();
        Shared {
            barrier,
            said: [said(), said()],
            mail: [mail(), mail()],
        }
    }

    /// Part `me` says what it has to, waits for the others, and hears them.
    fn meet(
        &self,
        me: usize,
        part: &mut Part,
        turn: &mut usize,
    ) -> Result<impl Iterator<Item = Said> + Clone + '_, Broken> {
        let said = &self.said[*turn];
        *turn ^= 1;
        said[me].write(part.said());
        match self.barrier.wait() {
            true => Ok(said.iter().map(Slot::read)),
            false => Err(Broken),
        }
    }

    /// Lets part `me` serve `windows` to the end, side by side with the others. Says with which instant the run ended, if it
    /// did. What it does is what [`sidestep_sim::parts::InTurn`] does for all.
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
