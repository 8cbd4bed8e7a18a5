//! DCTCP (RFC 8257) of a host's kernel, against a peer that is played frame by frame: ours, and the kernel's own where it has
//! one. What is asserted is which frames come and what stands in them; no frame is ever early or late here.

mod bed;
mod receives;
mod sends;
