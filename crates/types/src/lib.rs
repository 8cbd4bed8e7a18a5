//! Units, identifiers, packets and random streams: the words every other room speaks.
//!
//! Nothing here decides anything. Time is whole picoseconds, sizes are bytes, rates are
//! bits per second; mixing them is a compile error.

#![forbid(unsafe_code)]

mod chance;
mod chosen;
mod extra;
mod packet;
mod params;
mod ports;
mod quantity;
mod refusal;
pub mod settings;
mod units;

pub use chance::{Name, Rng, Seed, mix64, scale};
pub use chosen::Chosen;
pub use extra::{SackBlocks, Tag};
pub use packet::{
    FlowId, Framing, HEADER_BYTES, HostId, Kind, Longest, Packet, SwitchId, ack_packet_bytes,
};
pub use params::{Entry, Param, ParamUnit, Value, Values};
pub use ports::{PortId, PortSet};
pub use quantity::{
    ParseQuantityError, Quantity, Size, Unit, parse_fraction, parse_quantity, parse_size,
};
pub use refusal::Refusal;
pub use settings::{
    About, ByteRange, Counts, FileName, Fraction, PerMegasecond, Ranged, Setting, Settings, Words,
};
pub use sidestep_derive::{Settings, Words};
pub use units::{BitRate, Bytes, Time};
