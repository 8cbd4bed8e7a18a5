//! Pure choices of the policies, for inputs that the bench makes.
//!
//! Masks hold bit `p` for port `p`. Every function returns the port, or -1 if the packet is dropped.

use sidestep_switch::buffer::{dibs, dibs_first_open, dibs_flow, dibs_load_aware};
use sidestep_types::{PortId, PortSet, mix64};

/// Returns the ports of a mask.
pub(crate) fn ports(mask: u64) -> PortSet {
    let set = |p: &u16| mask >> p & 1 == 1;
    (0..64).filter(set).map(PortId).collect()
}

fn answer(port: Option<PortId>) -> i32 {
    port.map_or(-1, |p| i32::from(p.0))
}

/// Returns the choice of `dibs`: the wanted port if the packet fits there, else one of the open ports with
/// equal probability.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_pick_dibs(want: u16, fits: u64, to_switch: u64, draw: u32) -> i32 {
    answer(dibs::pick(
        PortId(want),
        ports(fits),
        ports(to_switch),
        draw,
    ))
}

/// Returns the choice of `dibs-first-open` for a packet that does not fit, on a switch of `n` ports.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_pick_first_open(open: u64, n: u16, draw: u32) -> i32 {
    answer(dibs_first_open::pick(ports(open), n, draw))
}

/// Returns the choice of `dibs-load-aware` for a packet that does not fit; `bytes` has the depth of each of `n`
/// ports.
///
/// # Safety
///
/// `bytes` points to `n` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_pick_load_aware(
    open: u64,
    bytes: *const u32,
    n: u16,
    draw: u32,
) -> i32 {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, usize::from(n)) };
    answer(dibs_load_aware::pick(
        ports(open),
        |p| bytes[p.index()],
        draw,
    ))
}

/// Returns the choice of `dibs-flow` for a packet that does not fit, of a flow with `hash`, at the switch with
/// `salt`.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_pick_flow(to_switch: u64, open: u64, salt: u64, hash: u32) -> i32 {
    // `DibsFlow` mixes in the same way; the vectors check it.
    let mixed = mix64(!salt ^ u64::from(hash));
    answer(dibs_flow::pick(ports(to_switch), ports(open), mixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_answers_mean_what_they_say() {
        assert_eq!(sidestep_pick_dibs(2, 0b0100, 0, 0), 2);
        assert_eq!(sidestep_pick_dibs(2, 0b1011, 0b1010, 0), 1);
        assert_eq!(sidestep_pick_dibs(2, 0b1011, 0b1010, u32::MAX), 3);
        assert_eq!(sidestep_pick_dibs(2, 0b0001, 0b1110, 0), -1);
        assert_eq!(sidestep_pick_first_open(0b0010_0010, 8, 0x4000_0000), 5);
        let bytes = [9, 5, 0, 5];
        // SAFETY: four numbers.
        let load_aware =
            |draw| unsafe { sidestep_pick_load_aware(0b1011, bytes.as_ptr(), 4, draw) };
        assert_eq!((load_aware(0), load_aware(u32::MAX)), (1, 3));
    }
}
