//! What a plug-in and the program that loads it share: the traits of a policy, and how one is handed over.
//!
//! **Decision**  a plug-in is a shared library with one policy. It is called as any policy in Rust is, through the
//!               traits of `sidestep-switch`. That is sound where both sides have one layout of everything: so
//!               [`STAMP`] names the sources and the compiler, and a library with another stamp is never opened.
//! **Panics**    a policy that panics is caught in the library, whose standard library is another copy than the
//!               program's: no panic crosses from one into the other. [`Report`] tells the program.
//! **Memory**    what the library makes the library drops ([`Make`]): the two may have different allocators.
//!
//! ```
//! use sidestep_plugin::switch::{Buffer, DropReason, Place, Queues, Verdict, Want};
//! use sidestep_plugin::types::{Packet, Rng};
//! use sidestep_plugin::ForSwitch;
//!
//! /// Keeps what fits.
//! struct Mine;
//!
//! impl ForSwitch for Mine {
//!     fn for_switch(_: &Place) -> Mine {
//!         Mine
//!     }
//! }
//!
//! impl Buffer for Mine {
//!     fn admit(&mut self, _: &Packet, want: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
//!         match want.fits {
//!             true => Verdict::Enqueue { mark: want.depth.packets >= 20 },
//!             false => Verdict::Drop(DropReason::Full),
//!         }
//!     }
//! }
//!
//! sidestep_plugin::export!(buffer: Mine, extends: "dctcp");
//! ```

#![forbid(unsafe_code)]

#[cfg(not(panic = "unwind"))]
compile_error!(
    "a plug-in must be built with panic = \"unwind\": a policy that panics ends its run, and not the program"
);

mod guarded;

pub use guarded::Guarded;
pub use sidestep_switch as switch;
pub use sidestep_types as types;

use sidestep_switch::{Buffer, Place, Route, Sched};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first line of every stamp.
pub const MAGIC: &str = "sidestep plug-in 1\n";

/// The last one.
pub const END: &str = "end of stamp\n";

/// What both sides must have been built from, byte for byte.
pub const STAMP: &str = concat!(
    "sidestep plug-in 1\n",
    "version ",
    env!("CARGO_PKG_VERSION"),
    "\nsources ",
    env!("SIDESTEP_PLUGIN_SOURCES"),
    "\ncompiler ",
    env!("SIDESTEP_PLUGIN_COMPILER"),
    "\nend of stamp\n",
);

/// [`STAMP`] as bytes, to stand in the library's file.
pub const fn stamp<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = STAMP.as_bytes()[i];
        i += 1;
    }
    bytes
}

/// A policy that can be made for a switch. Of a scheduler each port gets one.
pub trait ForSwitch {
    /// The policy of the switch at `place`.
    fn for_switch(place: &Place) -> Self;
}

/// Where a policy in a library says that it has stopped, and why. It is the program's.
pub struct Report {
    stopped: AtomicBool,
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Report {
    /// One whose words `tell` takes.
    pub fn new(tell: Box<dyn Fn(&str) + Send + Sync>) -> Report {
        Report {
            stopped: AtomicBool::new(false),
            tell,
        }
    }

    /// The policy has stopped. What it answers from now on counts for nothing.
    pub fn stop(&self, why: &str) {
        if !self.stopped.swap(true, Ordering::Relaxed) {
            (self.tell)(why);
        }
    }

    /// Has it?
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Makes and drops policies of one seam, inside the library.
pub struct Maker<P: ?Sized> {
    /// Makes one; `None` when that panicked, which the report tells.
    pub make: fn(&Place, &Arc<Report>) -> Option<Box<P>>,
    /// Drops it.
    pub drop: fn(Box<P>),
}

/// What a library has.
pub enum Make {
    /// A route.
    Route(Maker<dyn Route + Send>),
    /// A buffer policy.
    Buffer(Maker<dyn Buffer + Send>),
    /// A scheduler.
    Sched(Maker<dyn Sched + Send>),
}

/// What a library exports under the name `SIDESTEP_PLUGIN`.
pub struct Plugin {
    /// What its crate is called, and so its scheme.
    pub name: &'static str,
    /// The scheme that its scheme is but for the policy.
    pub extends: &'static str,
    /// Its policy.
    pub make: Make,
}

/// Exports a policy from a library: `export!(route: Mine, extends: "dctcp")`, of `route`, `buffer` and `sched`.
#[macro_export]
macro_rules! export {
    ($seam:ident: $policy:ty, extends: $extends:literal) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub static SIDESTEP_STAMP: [u8; $crate::STAMP.len()] = $crate::stamp();

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub static SIDESTEP_PLUGIN: $crate::Plugin = $crate::Plugin {
            name: env!("CARGO_PKG_NAME"),
            extends: $extends,
    make: $crate::make!($seam $policy),
        };
    };
}

/// [`Make`] of a policy.
#[doc(hidden)]
#[macro_export]
macro_rules! make {
    (route $policy:ty) => {
        $crate::Make::Route($crate::make!(@ $policy))
    };
    (buffer $policy:ty) => {
        $crate::Make::Buffer($crate::make!(@ $policy))
    };
    (sched $policy:ty) => {
        $crate::Make::Sched($crate::make!(@ $policy))
    };
    (@ $policy:ty) => {
        $crate::Maker {
            make: |place, report| Some(Box::new($crate::Guarded::<$policy>::make(place, report)?)),
            drop: |policy| $crate::drop_quietly(policy),
        }
    };
}

/// Drops a policy, or what a panic said; should that panic, the panic ends here.
#[doc(hidden)]
pub fn drop_quietly<P: ?Sized>(policy: Box<P>) {
    let mut dropped = catch_unwind(AssertUnwindSafe(|| drop(policy)));
    // What a panic says may panic as it is dropped, and what that one says, too.
    for _ in 0..4 {
        match dropped {
            Ok(()) => return,
            Err(said) => dropped = catch_unwind(AssertUnwindSafe(|| drop(said))),
        }
    }
    dropped.unwrap_or_else(std::mem::forget);
}
