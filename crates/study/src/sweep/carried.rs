//! Experiment sent to a worker on another machine, and the worker.
//!
//! **Decision**   an experiment is sent as its text, with the user's files that it refers to; shipped files are
//!                in every worker of the same code. A worker reads the text once, and only the points it is
//!                asked for. It computes the key of each run itself: a worker that reads a different scenario
//!                from the same text does not compute it.
//! **State**      the text, read; no state of runs.
//! **Units**      a record is the bytes that a [cache](super::Cache) stores, with a digest of them.
//! **Errors**     code other than this worker's, before anything is read; a point or scheme that does not
//!                exist; a key that differs here.

use super::{CODE, Key, cache, one};
use crate::Error;
use serde::{Deserialize, Serialize};
use sidestep_lab::{Outline, Point};
use sidestep_sim::Files;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Experiment in the form in which it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// Code of the sender: [`CODE`].
    pub code: String,
    /// Name of the file in messages.
    pub name: String,
    /// Text of the file.
    pub text: String,
    /// Settings, each `key=value`.
    pub sets: Vec<String>,
    /// True if its `[quick]` is applied.
    pub quick: bool,
    /// Files that it refers to, by path, except the shipped ones.
    pub files: BTreeMap<String, String>,
}

impl Carried {
    /// Serialises it as JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts are always JSON")
    }
}

impl Files for Carried {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = self.files.get(path).cloned();
        text.ok_or_else(|| "it was not sent with the experiment".into())
    }
}

/// Reads each file once, and stores its text.
pub(super) struct Remembered<'a> {
    pub files: &'a dyn Files,
    pub read: RefCell<BTreeMap<String, String>>,
}

impl Files for Remembered<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        if let Some(text) = self.read.borrow().get(path) {
            return Ok(text.clone());
        }
        let text = self.files.read(path)?;
        self.read.borrow_mut().insert(path.into(), text.clone());
        Ok(text)
    }
}

/// Worker that computes runs of one experiment sent to it.
pub struct Worker {
    carried: Carried,
    outline: Outline,
    /// Point used last: requests for its schemes and seeds come one after another.
    last: Mutex<Option<(usize, std::sync::Arc<Point>)>>,
}

impl Worker {
    /// Reads an experiment that was sent.
    pub fn open(bytes: &[u8]) -> Result<Worker, Error> {
        let carried: Carried = serde_json::from_slice(bytes).map_err(|e| {
            Error::Input(format!(
                "expected an experiment as Sidestep {CODE} sends it: {e}"
            ))
        })?;
        if carried.code != CODE {
            return Err(Error::Input(format!(
                "this worker runs another version of Sidestep: expected {}, got {CODE}; install \
                 the same version on both machines",
                carried.code
            )));
        }
        let Carried {
            name,
            text,
            sets,
            quick,
            ..
        } = &carried;
        let outline = Outline::read(name, text, sets, *quick, &carried).map_err(Error::Wrong)?;
        Ok(Worker {
            outline,
            carried,
            last: Mutex::new(None),
        })
    }

    /// Runs `scheme` with `seed` at `point`. Refuses a run whose key is not `key`. Returns its packed record
    /// and its packet-hops, or `None` if `stop` became true meanwhile.
    pub fn compute(
        &self,
        key: &str,
        point: usize,
        scheme: usize,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Option<(Vec<u8>, u64)>, Error> {
        let point = self.point(point)?;
        let schemes = &point.scenario.schemes;
        if scheme >= schemes.len() {
            let message = format!("scheme {scheme}: expected less than {}", schemes.len());
            return Err(Error::Input(message));
        }
        let own = Key::of(&point.scenario, scheme, seed);
        if own.digits() != key {
            return Err(Error::Input(format!(
                "{}: this worker reads a different scenario from the same text (key {}, expected \
                 {key}): its shipped files differ",
                self.carried.name,
                own.digits(),
            )));
        }
        let mut told = |_: f64, _: u64| stop.load(Ordering::Relaxed);
        let record = one(&self.carried.name, &point, scheme, seed, &mut told)?;
        Ok(record.map(|record| (cache::pack(&record), record.counts.packet_hops)))
    }

    fn point(&self, n: usize) -> Result<std::sync::Arc<Point>, Error> {
        if let Some((last, point)) = &*self.last.lock().expect("no holder panics")
            && *last == n
        {
            return Ok(point.clone());
        }
        let Some(read) = self.outline.point(n, &self.carried) else {
            let points = self.outline.points();
            return Err(Error::Input(format!(
                "point {n}: expected less than {points}"
            )));
        };
        let point = std::sync::Arc::new(read.map_err(Error::Wrong)?);
        *self.last.lock().expect("no holder panics") = Some((n, point.clone()));
        Ok(point)
    }
}
