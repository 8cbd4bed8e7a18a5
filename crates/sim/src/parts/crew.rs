//! Who lets the parts run.

use super::{Mail, Part, Step, Windows};
use sidestep_types::Time;

/// Lets the parts of a run serve windows, and takes their mail to each other.
///
/// What it has to do is what [`InTurn`] does, which is all there is to it; whoever does it on several threads lets
/// each part say, serve and post by itself, and waits for the others where this one goes from part to part.
pub trait Crew: Send {
    /// Serves `windows` to the end, takes in all mail, and gives the parts back. Says with which instant the run ended, if it
    /// did.
    fn serve(&mut self, parts: Vec<Box<Part>>, windows: Windows) -> (Vec<Box<Part>>, Option<Time>);
}

/// One part after the other.
#[derive(Debug, Default)]
pub struct InTurn;

impl Crew for InTurn {
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
