//! Limits of a port's rate.

use sidestep_types::BitRate;

/// Slowest rate: a lower one is a typing error, and would let queues reach past the end of the clock. Assumed.
const SLOWEST: BitRate = BitRate::bps(1_000);

/// Refuses a rate that is too slow.
pub fn check_rate(rate: BitRate) -> Result<(), String> {
    match rate < SLOWEST {
        false => Ok(()),
        true => Err(format!(
            "expected at least {SLOWEST}, got {rate}: a full frame would take more than 12 s"
        )),
    }
}
