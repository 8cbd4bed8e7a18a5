//! Checkpoints as bytes: the run they belong to, its state, and a session that continues from it.
//!
//! ```text
//! sidestep checkpoint 1\n   kind of file, and version of this format
//! SHA-256 of the rest       32 bytes
//! length of the head        4 bytes, little-endian
//! head, body                postcard: the run it belongs to; the state of the run
//! ```
//!
//! **Errors**  a truncated or damaged file is torn; for another version of the format the error reports that
//!             version.

use crate::session::{Saved, Session};
use postcard::from_bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// First bytes of a checkpoint of any version.
const KIND: &[u8] = b"sidestep checkpoint ";

/// Version of the format written here.
const VERSION: &str = "1";

/// Identity of the run that a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Version of Sidestep: that of the package, and a digest of the code that decides a run.
    pub code: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Seed of the run.
    pub seed: u64,
    /// Digest of all values of the scenario, the code and the seed.
    pub identity: String,
    /// Filter of traced packets.
    pub trace: String,
    /// Number of earlier checkpoints of this run.
    pub number: u64,
    /// Processor time of the run so far, including its interrupted attempts, µs.
    pub cpu_us: u64,
    /// Elapsed time of the run so far, including its interrupted attempts, µs.
    pub wall_us: u64,
}

/// Reason why a file is not a usable checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadError {
    /// File is truncated or damaged: the reason.
    Torn(String),
    /// File has another version of the format.
    Version {
        /// Version read here.
        expected: String,
        /// Version of the file.
        got: String,
    },
}

/// Returns the bytes of a checkpoint.
pub fn sealed(head: &Head, body: &[u8]) -> Vec<u8> {
    let head = postcard::to_stdvec(head).expect("a head has no part that cannot be written");
    let length = u32::try_from(head.len()).expect("names are short");
    let rest = [&length.to_le_bytes()[..], &head, body].concat();
    let digest = Sha256::digest(&rest);
    [KIND, VERSION.as_bytes(), b"\n", &digest, &rest].concat()
}

/// Splits a checkpoint into head and body. Errors report a torn file or another version of the format.
pub fn read_head(bytes: &[u8]) -> Result<(Head, &[u8]), HeadError> {
    let torn = |why: &str| HeadError::Torn(why.to_string());
    let rest = bytes.strip_prefix(KIND);
    let rest = rest.ok_or_else(|| torn("it does not start with the header of a checkpoint"))?;
    let end = rest.iter().take(20).position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| torn("its version is cut short"))?;
    let version = String::from_utf8_lossy(&rest[..end]);
    if version != VERSION {
        return Err(HeadError::Version {
            expected: VERSION.to_string(),
            got: version.into_owned(),
        });
    }
    let (digest, rest) =
        (rest[end + 1..].split_at_checked(32)).ok_or_else(|| torn("it is cut short"))?;
    if Sha256::digest(rest).as_slice() != digest {
        return Err(torn("its checksum is wrong: it is cut short or damaged"));
    }
    let (length, rest) = (rest.split_first_chunk()).ok_or_else(|| torn("it has no head"))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (head, body) =
        (rest.split_at_checked(length)).ok_or_else(|| torn("its head is cut short"))?;
    match from_bytes(head) {
        Ok(head) => Ok((head, body)),
        Err(why) => Err(torn(&format!("its head cannot be read: {why}"))),
    }
}

/// Returns the state of a session as bytes, the body of a checkpoint. Errors name the part that cannot be kept.
///
/// ```
/// use sidestep_lab::{Scenario, Session, checkpoint};
/// use sidestep_sim::{NoFiles, TraceFilter};
/// use sidestep_types::Time;
///
/// let text = "duration = \"1 ms\"\nschemes = [\"dibs\"]\n\
///     [topology]\nkind = \"fat_tree\"\nk = 4\n\
///     [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";
/// let scenario = Scenario::read("t.toml", text, &[], &NoFiles).unwrap();
/// let begin = || -> Session { Session::new(&scenario, 0, 1, TraceFilter::None).unwrap() };
///
/// let mut first = begin();
/// first.run_until(Time::from_us(500));
/// let body = checkpoint::body_of(&first)?;
/// first.run_until(Time::MAX);
///
/// let mut second = checkpoint::go_on(begin(), &body)?;
/// second.run_until(Time::MAX);
/// assert_eq!(second.finish().outcome, first.finish().outcome);
/// # Ok::<(), String>(())
/// ```
pub fn body_of(session: &Session) -> Result<Vec<u8>, String> {
    let state = session.state()?;
    postcard::to_stdvec(&state).map_err(|e| format!("its state cannot be written: {e}"))
}

/// Continues a session that has not begun from the body of a checkpoint of the same run.
///
/// Errors name what cannot be read or does not fit the run.
pub fn go_on(fresh: Session, body: &[u8]) -> Result<Session, String> {
    let (saved, rest) = postcard::take_from_bytes::<Saved>(body)
        .map_err(|e| format!("its state cannot be read: {e}"))?;
    if !rest.is_empty() {
        return Err(format!("its state has {} bytes too many", rest.len()));
    }
    fresh.go_on(saved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            code: "0.1.0-abc".into(),
            scenario: "s".into(),
            scheme: "dibs".into(),
            seed: 3,
            identity: "00".into(),
            trace: "None".into(),
            number: 7,
            cpu_us: 5,
            wall_us: 6,
        }
    }

    #[test]
    fn what_is_sealed_is_read_back() {
        let bytes = sealed(&head(), b"body");
        assert_eq!(read_head(&bytes), Ok((head(), &b"body"[..])));
    }

    #[test]
    fn a_file_cut_anywhere_or_with_a_wrong_bit_anywhere_is_torn_or_of_another_version() {
        let bytes = sealed(&head(), b"body");
        for cut in 0..bytes.len() {
            assert!(
                matches!(read_head(&bytes[..cut]), Err(HeadError::Torn(_))),
                "cut at {cut}"
            );
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut wrong = bytes.clone();
                wrong[at] ^= 1 << bit;
                assert!(read_head(&wrong).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn another_version_of_the_format_says_which() {
        let mut bytes = sealed(&head(), b"body");
        bytes[KIND.len()] = b'2';
        let (expected, got) = ("1".to_string(), "2".to_string());
        assert_eq!(read_head(&bytes), Err(HeadError::Version { expected, got }));
    }
}
