//! Recordings in a browser: served on this machine alone, or as one file that needs no network.
//!
//! **Decision**     which files are shown ([`Shown::gather`]), and which questions are answered ([`Server`]).
//! **State**        the recordings, open since the start; after that no path is opened, whatever a browser asks for.
//! **Units**        bytes.
//! **Errors**       what is no result directory or recording, or leads out of it, and what cannot be written.
//!
//! It knows no policy and no event: the page (`web/`) reads recordings by itself.

#![forbid(unsafe_code)]

mod answer;
mod bundle;
mod error;
mod gather;
mod html;
mod page;
mod question;
mod server;

pub use error::Error;
pub use gather::{Choice, Recording, Shown};
pub use html::{LARGE, write_html};
pub use page::Page;
pub use server::{Limits, Server};
