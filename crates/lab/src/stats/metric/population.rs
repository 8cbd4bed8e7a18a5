//! Populations that numbers are taken over.

use crate::stats::Summary;

/// Population that a metric or a sample is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population {
    /// Queries that began.
    Queries,
    /// Planned queries, begun or not.
    PlannedQueries,
    /// Flows of queries that began.
    Responses,
    /// Planned responses, begun or not.
    PlannedResponses,
    /// Responses that began, without requests.
    Answers,
    /// All finite flows, without requests.
    EndingFlows,
    /// Background flows of 1 to 10 kB.
    ShortFlows,
    /// Finite background flows.
    BackgroundFlows,
    /// Background flows of more than 1 MB.
    LongFlows,
    /// Endless flows.
    EndlessFlows,
    /// All flows.
    Flows,
    /// Groups of flows.
    Groups,
    /// Groups of the flows of one class.
    GroupsOfClass,
    /// Packets: data, acknowledgements and handshakes.
    Packets,
    /// Data packets.
    DataPackets,
    /// Data packets that were detoured.
    DetouredPackets,
    /// Data packets that arrived after one sent later.
    ReorderedPackets,
    /// Loops of data packets.
    Loops,
    /// Links out of switches.
    Links,
    /// Ports of switches.
    Ports,
    /// Windows of a probe.
    Windows,
    /// Hot links, at the end of each window in which they are hot.
    HotLinks,
    /// Flows that are all active at once, in each draw of hashes.
    DrawnFlows,
    /// Draws of hashes.
    Draws,
}

impl Population {
    /// Returns the words for the population.
    pub const fn words(self) -> &'static str {
        match self {
            Population::Queries | Population::PlannedQueries => "queries",
            Population::Responses | Population::PlannedResponses | Population::Answers => {
                "responses"
            }
            Population::EndingFlows => "finite flows",
            Population::ShortFlows => "short flows",
            Population::BackgroundFlows => "background flows",
            Population::LongFlows => "long flows",
            Population::EndlessFlows => "endless flows",
            Population::Flows => "flows",
            Population::Groups | Population::GroupsOfClass => "groups",
            Population::Packets => "packets",
            Population::DataPackets => "data packets",
            Population::DetouredPackets => "detoured packets",
            Population::ReorderedPackets => "reordered packets",
            Population::Loops => "loops",
            Population::Links => "links",
            Population::Ports => "ports",
            Population::Windows => "windows",
            Population::HotLinks => "hot links and instants",
            Population::DrawnFlows => "active flows and draws",
            Population::Draws => "draws of hashes",
        }
    }

    /// Returns the size of the population, where figures show it beside their numbers.
    pub fn size(self, summary: &Summary) -> Option<u64> {
        match self {
            Population::Queries => Some(summary.qct_ms.n),
            Population::Responses => Some(summary.fct_query_ms.n),
            Population::Answers => Some(summary.fct_response_ms.n),
            Population::EndingFlows => Some(summary.fct_all_ms.n),
            Population::ShortFlows => Some(summary.fct_short_ms.n),
            Population::Groups => Some(summary.group_ms.n),
            _ => None,
        }
    }

    /// True if figures show the size of the population.
    pub const fn has_size(self) -> bool {
        matches!(
            self,
            Population::Queries
                | Population::Responses
                | Population::Answers
                | Population::EndingFlows
                | Population::ShortFlows
                | Population::Groups
        )
    }
}
