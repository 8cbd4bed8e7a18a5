//! Interface of a plug-in and the program that loads it: the traits of a policy, and the exported symbols.
//!
//! **Decision**  a plug-in is a shared library with one policy. The program calls it through the traits of
//!               `sidestep-switch`, as any policy in Rust. That is sound if both sides have the same layout of
//!               all types: [`STAMP`] names the sources and the compiler, and a library with another stamp is
//!               never opened.
//! **Panics**    a policy's panic is caught in the library, whose standard library is another copy than the
//!               program's: no panic crosses from one into the other. [`Report`] tells the program.
//! **Memory**    the library drops what it made ([`PolicyFactory`]): the two may have different allocators.
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
    "build plug-ins with panic = \"unwind\": a policy's panic then ends its run, not the whole \
     program"
);

mod guarded;

pub use guarded::Guarded;
pub use sidestep_switch as switch;
pub use sidestep_types as types;

use sidestep_switch::{Buffer, Place, Route, Sched};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// First line of every stamp.
pub const MAGIC: &str = "sidestep plug-in 1\n";

/// Last line of every stamp.
pub const END: &str = "end of stamp\n";

/// Version, sources and compiler of this build. Both sides must have the same stamp, byte for byte.
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

/// Returns [`STAMP`] as bytes, for a static in the library's file.
pub const fn stamp<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = STAMP.as_bytes()[i];
        i += 1;
    }
    bytes
}

/// Policy that can be made for a switch. A scheduler is made once for each port.
pub trait ForSwitch {
    /// Makes the policy of the switch at `place`.
    fn for_switch(place: &Place) -> Self;
}

/// Reports to the program that a policy in a library has stopped, and why. The program creates it.
pub struct Report {
    stopped: AtomicBool,
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Report {
    /// Creates a report that passes the reason to `tell`.
    pub fn new(tell: Box<dyn Fn(&str) + Send + Sync>) -> Report {
        Report {
            stopped: AtomicBool::new(false),
            tell,
        }
    }

    /// Reports that the policy has stopped, the first time only. The policy's answers are ignored from then on.
    pub fn stop(&self, why: &str) {
        if !self.stopped.swap(true, Ordering::Relaxed) {
            (self.tell)(why);
        }
    }

    /// Returns true if the policy has stopped.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Makes and drops policies of one kind (route, buffer or scheduler) inside the library.
pub struct PolicyConstructor<P: ?Sized> {
    /// Makes a policy; `None` if that panicked, which the report tells.
    pub make: fn(&Place, &Arc<Report>) -> Option<Box<P>>,
    /// Drops a policy.
    pub drop: fn(Box<P>),
}

/// Constructor of a library's policy, by kind.
pub enum PolicyFactory {
    /// A route.
    Route(PolicyConstructor<dyn Route + Send>),
    /// A buffer policy.
    Buffer(PolicyConstructor<dyn Buffer + Send>),
    /// A scheduler.
    Sched(PolicyConstructor<dyn Sched + Send>),
}

/// Plug-in that a library exports under the name `SIDESTEP_PLUGIN`.
pub struct Plugin {
    /// Name of the library's crate, and of its scheme.
    pub name: &'static str,
    /// Scheme that the plug-in's scheme extends: equal but for the policy.
    pub extends: &'static str,
    /// Constructor of its policy.
    pub make: PolicyFactory,
}

/// Exports a policy from a library: `export!(route: Mine, extends: "dctcp")`; the kind is `route`, `buffer` or
/// `sched`. A policy that detours extends `dibs`, whose senders have fast retransmit off, since it takes reordered packets for
/// lost.
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

/// Builds the [`PolicyFactory`] of a policy.
#[doc(hidden)]
#[macro_export]
macro_rules! make {
    (route $policy:ty) => {
        $crate::PolicyFactory::Route($crate::make!(@ $policy))
    };
    (buffer $policy:ty) => {
        $crate::PolicyFactory::Buffer($crate::make!(@ $policy))
    };
    (sched $policy:ty) => {
        $crate::PolicyFactory::Sched($crate::make!(@ $policy))
    };
    (@ $policy:ty) => {
        $crate::PolicyConstructor {
            make: |place, report| Some(Box::new($crate::Guarded::<$policy>::make(place, report)?)),
            drop: |policy| $crate::drop_quietly(policy),
        }
    };
}

/// Drops a policy or a panic's payload; a panic while dropping ends here.
#[doc(hidden)]
pub fn drop_quietly<P: ?Sized>(policy: Box<P>) {
    let mut dropped = catch_unwind(AssertUnwindSafe(|| drop(policy)));
    // Dropping a panic's payload may panic as well, and so may the payload of that panic.
    for _ in 0..4 {
        match dropped {
            Ok(()) => return,
            Err(said) => dropped = catch_unwind(AssertUnwindSafe(|| drop(said))),
        }
    }
    dropped.unwrap_or_else(std::mem::forget);
}
