//! Tests of DCTCP (RFC 8257) in a host's kernel against a peer played frame by frame: our program, and the
//! kernel's own module if available. The tests check the frames and their contents, never their times.

mod bed;
mod receives;
mod sends;
