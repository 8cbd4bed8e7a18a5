//! Recordings in a browser: served on this machine only, or as one file that needs no network.
//!
//! **Decision**     the files to show ([`PageContents::gather`]), and the requests to answer ([`Server`]).
//! **State**        the recordings, open from the start; no path is opened later, whatever a browser requests.
//! **Units**        bytes.
//! **Errors**       a place that is no result directory or recording, or leads out of it, and a file that
//!                  cannot be written.
//!
//! This crate does not interpret policies or events: the page (`web/`) reads recordings by itself.

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
pub use gather::{Choice, PageContents, Recording};
pub use html::{LARGE, write_html};
pub use page::Page;
pub use server::{Limits, Server};
