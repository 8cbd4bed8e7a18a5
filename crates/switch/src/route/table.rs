//! Tables of fixed size that routes index by a hash. Keys with the same place share its entry.

use sidestep_types::{ParamUnit, Refusal, Setting, Value};

/// Most places. A route stores at most 16 bytes for each.
const MOST: usize = 1 << 16;

/// Number of places, a power of two.
#[derive(Clone, Copy)]
pub struct Places(pub(super) usize);

impl Setting for Places {
    const UNIT: ParamUnit = ParamUnit::Count;

    fn read(name: &'static str, value: &Value) -> Result<Places, Refusal> {
        let places = usize::read(name, value)?;
        if places > MOST || !places.is_power_of_two() {
            let expected = format!("must be a power of two from 1 to {MOST}");
            return Err(Refusal::of(name, expected).got(places));
        }
        Ok(Places(places))
    }
}
