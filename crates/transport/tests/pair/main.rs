//! Two endpoints over a tiny network that loses, trims, repeats, delays and marks: whatever it
//! does, every byte arrives, exactly once and in finite time.

mod arrives;
mod draws;
mod hostile;
mod net;
mod rack;
mod swift;
mod threshold;
mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use draws::{config, fates, one_of};
use net::{Fate, GOOD, Net};
use proptest::prelude::*;
use sidestep_transport::host::answer_late;
use sidestep_transport::{
    Ack, AckRule, AlphaMoves, AnyReceiver, AnySender, Arrival, BackoffEnds, Congestion, DelayedAck,
    ENTRIES, Endpoint, Estimator, Growth, PfabricConfig, RackConfig, Ranking, Receiver, Recovery,
    Reduction, ReorderingConfig, RtoConfig, Segment, Sender, SwiftConfig, TcpConfig, TcpReceiver,
    TcpSender, ThresholdRule, TransportConfig,
};
use sidestep_types::{Entry, Time, Words};
