//! Crew: runs the parts.

use super::{Mail, Part, Step, Windows};
use sidestep_types::Time;

/// Runs the parts of a run through their windows, and carries mail between them.
///
/// [`SequentialCrew`] is the reference. An implementation with several threads lets each part report, serve and post in
/// its own thread, and synchronises where `SequentialCrew` goes from part to part.
pub trait Crew: Send {
    /// Serves all `windows`, delivers all mail, and returns the parts, with the instant at which the run ended,
    /// if it did.
    fn serve(&mut self, parts: Vec<Box<Part>>, windows: Windows) -> (Vec<Box<Part>>, Option<Time>);
}

/// Crew that runs one part after the other.
#[derive(Debug, Default)]
pub struct SequentialCrew;

impl Crew for SequentialCrew {
    fn serve(
        &mut self,
        mut parts: Vec<Box<Part>>,
        windows: Windows,
    ) -> (Vec<Box<Part>>, Option<Time>) {
        let mut end = None;
        let mut mail: Vec<Vec<Mail>> = vec![Vec::new(); parts.len()];
        while end.is_none() {
            let said: Vec<_> = parts.iter_mut().map(|part| part.said()).collect();
            let step = windows.step(said.iter().copied());
            for (part, mail) in parts.iter_mut().zip(&mut mail) {
                part.accept(mail);
            }
            let until = match step {
                Step::Done => break,
                Step::All { until } => until,
                Step::Holders { until } => {
                    for part in &mut parts {
                        part.serve_own(until);
                    }
                    let said: Vec<_> = parts.iter_mut().map(|part| part.said()).collect();
                    let after = windows.after(until, said.iter().copied());
                    end = after.ends.then_some(after.until);
                    after.until
                }
            };
            for part in &mut parts {
                part.serve(until);
                for (to, mail) in mail.iter_mut().enumerate() {
                    mail.append(part.mail_to(to));
                }
            }
        }
        for (part, mail) in parts.iter_mut().zip(&mut mail) {
            part.accept(mail);
        }
        (parts, end)
    }
}
