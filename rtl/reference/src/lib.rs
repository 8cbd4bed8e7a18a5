//! What hardware must decide, for test benches: the decisions of `crates/switch` behind a C ABI.
//!
//! Nothing of the switch is written a second time here. [`vectors`] yields the rows that
//! `sidestep vectors` prints, made by `crates/vectors` and decided by the same policies; [`pick`]
//! asks the policies' pure functions about inputs of the bench's own, [`queue`] the scheduler
//! `srpt`, [`classes`] the schedulers `ps` and `wps`, [`spray`] the routes that count and take turns, [`limits`] the
//! buffer `mulbuff`, [`deflect`] the buffer `vertigo`, whose verdicts `sidestep_switch::Decider` carries out.
//! Only what `crates/switch` does not have is modelled here, as plainly as can be: the register
//! that hardware draws from in [`lfsr`].
//!
//! Loaded as a shared library by the Python benches, linked as a static one into the C++ benches
//! (`include/sidestep_rtl_reference.h`).

pub mod classes;
pub mod deflect;
mod driver;
pub mod lfsr;
pub mod limits;
pub mod pick;
pub mod queue;
pub mod spray;
pub mod vectors;
