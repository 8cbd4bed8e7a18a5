//! The rates that a port can have.

use sidestep_types::BitRate;

/// A rate below this is a slip of the pen, and would let queues reach past the end of the clock.
/// Assumed.
const SLOWEST: BitRate = BitRate::bps(1_000);

/// Refuses a rate that no port is meant to have.
pub fn check_rate(rate: BitRate) -> Result<(), String> {
    match rate < SLOWEST {
        false => Ok(()),
        true => Err(format!(
            "expected at least {SLOWEST}, got {rate}: a full frame would take more than 12 s"
        )),
    }
}
