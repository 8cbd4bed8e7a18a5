//! Reference for hardware test benches: the decisions of `crates/switch` behind a C ABI.
//!
//! The switch is not implemented a second time here. [`vectors`] yields the rows of `sidestep vectors`,
//! drawn by `crates/vectors` and decided by the same policies. [`pick`] calls the policies' pure functions with
//! a bench's own inputs. [`queue`] calls the scheduler `srpt`, [`classes`] the schedulers `ps` and `wps`,
//! [`spray`] the routes that count and take turns, [`limits`] the buffer `mulbuff`, and [`deflect`] the buffer
//! `vertigo`, whose verdicts `sidestep_switch::Decider` carries out. Only a part that `crates/switch` lacks is
//! modelled here, as plainly as possible: the random register of the hardware, in [`lfsr`].
//!
//! The Python benches load this crate as a shared library; the C++ benches link it as a static library
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
