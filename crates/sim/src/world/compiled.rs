//! Worlds over the agendas that runs and tests use, compiled with this crate.
//!
//! A generic method is compiled where it is used. At the levels of optimisation that tests have, a crate takes the
//! compiled methods of the crates below it, so that what is named here is compiled once instead of once in each
//! program of tests.

use super::World;
use crate::agenda::{Agenda, HeapAgenda, WheelAgenda};

/// Returns the addresses of the methods of worlds, which nobody calls.
#[doc(hidden)]
pub fn compiled() -> [[*const (); 22]; 2] {
    [methods::<WheelAgenda>(), methods::<HeapAgenda>()]
}

fn methods<A: Agenda>() -> [*const (); 22] {
    [
        World::<A>::new as *const (),
        World::<A>::run_until as *const (),
        World::<A>::finish as *const (),
        World::<A>::finish_watched as *const (),
        World::<A>::plan_every_end as *const (),
        World::<A>::watch as *const (),
        World::<A>::now as *const (),
        World::<A>::unfinished as *const (),
        World::<A>::packet_hops as *const (),
        World::<A>::queue_lengths as *const (),
        World::<A>::queue_depths as *const (),
        World::<A>::link_bytes as *const (),
        World::<A>::delivered as *const (),
        World::<A>::drops as *const (),
        World::<A>::record as *const (),
        World::<A>::end_recording as *const (),
        World::<A>::recorded as *const (),
        World::<A>::go_on as *const (),
        World::<A>::explain as *const (),
        World::<A>::remember_deciding as *const (),
        World::<A>::deciding as *const (),
        World::<A>::explained as *const (),
    ]
}
