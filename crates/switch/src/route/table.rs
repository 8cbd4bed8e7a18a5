//! Tables of stated size that routes index by a hash: what has the same place shares what is there.

use sidestep_types::{Param, ParamUnit, Refusal, Values};

/// Most places. A route keeps at most 16 bytes for each.
const MOST: u64 = 1 << 16;

/// The parameter that says how many there are.
pub(super) const TABLE: Param = Param::with_default(
    "table",
    ParamUnit::Count,
    "1024",
    "places, a power of two up to 65536; what has the same place shares it; assumed",
);

/// Its value.
pub(super) fn read_table(values: &Values) -> Result<usize, Refusal> {
    let places = values.count("table");
    if places > MOST || !places.is_power_of_two() {
        let expected = format!("must be a power of two from 1 to {MOST}");
        return Err(Refusal::of("table", expected).got(places));
    }
    Ok(places as usize)
}
