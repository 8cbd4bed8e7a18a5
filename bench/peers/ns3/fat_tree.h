// A fat-tree of 1 Gbps and 1 us in ns-3, with flow-level ECMP, as perm.cc and incast.cc use it.
//
// Decision     next hops in closed form; among equal ones, a salted hash of the 5-tuple. With
//              `spray`, for segments with data a draw instead.
// State        the routes, made once; what is counted is in `g_counts`.
// Units        queues in packets.
// Errors       ns-3's own: a message and an abort.
// Source       ns-3 3.37 as packaged by Debian (libns3-dev).
// Deviations   none known.

#pragma once

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <utility>
#include <vector>

using namespace ns3;

namespace {

/// Counts of deliveries, and of drops and marks in the switches' queues.
struct Counts {
    uint64_t hops = 0;
    uint64_t drops = 0;
    uint64_t marks = 0;
} g_counts;

void CountHop(Ptr<const Packet>) {
    ++g_counts.hops;
}

void CountDrop(Ptr<const QueueDiscItem>, const char*) {
    ++g_counts.drops;
}

void CountMark(Ptr<const QueueDiscItem>, const char*) {
    ++g_counts.marks;
}

/// The finaliser of splitmix64.
uint64_t Mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

Ipv4Address HostAddress(uint32_t host) {
    return Ipv4Address(0x0a000001 + host);
}

uint32_t HostOf(Ipv4Address address) {
    return address.Get() - 0x0a000001;
}

/// Position of a node. Hosts are numbered edge by edge and pod by pod, edges and aggregations
/// pod by pod, cores by the aggregation they hang from.
///
/// Interface 0 is the loopback. At an edge or an aggregation 1..=k/2 lead down and the next k/2
/// lead up; interface 1 + p of a core leads to pod p; a host has interface 1 alone.
struct Place {
    enum Tier { HOST, EDGE, AGGREGATION, CORE } tier;
    uint32_t index; // within the tier
    uint32_t half;  // k / 2

    /// Returns the interface towards `host`; `hash` chooses among equal ones.
    uint32_t Towards(uint32_t host, uint64_t hash) const {
        const uint32_t edge = host / half;
        const uint32_t pod = edge / half;
        switch (tier) {
        case EDGE:
            return edge == index ? 1 + host % half : Up(hash);
        case AGGREGATION:
            return pod == index / half ? 1 + edge % half : Up(hash);
        case CORE:
            return 1 + pod;
        default:
            return 1;
        }
    }

  private:
    uint32_t Up(uint64_t hash) const {
        return 1 + half + static_cast<uint32_t>(((hash >> 32) * half) >> 32);
    }
};

/// Flow-level ECMP, which 3.37 does not have: its global routing takes the first of the equal
/// paths, or a random one for each packet.
///
/// The routes are made once and shared by all packets, so that this costs ns-3 as little as
/// it can.
class FatTreeRouting : public Ipv4RoutingProtocol {
  public:
    FatTreeRouting(Place place, uint64_t salt, bool spray)
        : m_place(place), m_salt(salt), m_spray(spray), m_draw(salt) {}

    /// Builds the routes; call it once every interface exists.
    void MakeRoutes() {
        for (uint32_t i = 0; i < m_ipv4->GetNInterfaces(); ++i) {
            Ptr<Ipv4Route> route = Create<Ipv4Route>();
            route->SetOutputDevice(m_ipv4->GetNetDevice(i));
            route->SetGateway(Ipv4Address::GetZero()); // on a cable, the destination will do
            if (m_place.tier == Place::HOST) {
                route->SetSource(HostAddress(m_place.index));
            }
            m_routes.push_back(route);
        }
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>,
                               const Ipv4Header&,
                               Ptr<NetDevice>,
                               Socket::SocketErrno& error) override {
        NS_ABORT_MSG_IF(m_place.tier != Place::HOST, "a switch sends nothing of its own");
        error = Socket::ERROR_NOTERROR;
        return m_routes[1];
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice>,
                    UnicastForwardCallback forward,
                    MulticastForwardCallback,
                    LocalDeliverCallback deliver,
                    ErrorCallback) override {
        const uint32_t host = HostOf(header.GetDestination());
        if (m_place.tier == Place::HOST) {
            NS_ABORT_MSG_IF(host != m_place.index, "a packet came to the wrong host");
            deliver(packet, header, 1);
            return true;
        }
        const bool draw = m_spray && packet->GetSize() > 60; // the longest TCP header
        const uint64_t hash = draw ? m_draw = Mix(m_draw) : Hash(*packet, header);
        forward(m_routes[m_place.Towards(host, hash)], packet, header);
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override {}
    void NotifyInterfaceDown(uint32_t) override {}
    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override {}
    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override {}

    void SetIpv4(Ptr<Ipv4> ipv4) override {
        m_ipv4 = ipv4;
    }

  protected:
    void DoDispose() override {
        m_ipv4 = nullptr;
        m_routes.clear();
        Ipv4RoutingProtocol::DoDispose();
    }

  private:
    /// Returns the hash of the addresses, the protocol and the ports (the first four bytes after IP).
    uint64_t Hash(const Packet& packet, const Ipv4Header& header) const {
        uint8_t p[4] = {};
        packet.CopyData(p, sizeof p);
        const uint64_t ports = uint64_t(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3];
        const uint64_t addresses =
            uint64_t(header.GetSource().Get()) << 32 | header.GetDestination().Get();
        return Mix(m_salt ^ Mix(addresses ^ Mix(ports << 8 | header.GetProtocol())));
    }

    Place m_place;
    uint64_t m_salt; // different for each switch, else flows that meet would stay together (polarisation)
    bool m_spray;
    uint64_t m_draw;
    Ptr<Ipv4> m_ipv4;
    std::vector<Ptr<Ipv4Route>> m_routes; // by interface
};

/// Factory required by the internet stack helper, which calls `Create` for each node.
class FatTreeRoutingHelper : public Ipv4RoutingHelper {
  public:
    FatTreeRoutingHelper(uint32_t k, uint64_t seed, bool spray = false)
        : m_k(k), m_seed(seed), m_spray(spray) {}

    FatTreeRoutingHelper* Copy() const override {
        return new FatTreeRoutingHelper(*this);
    }

    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override {
        const uint32_t id = node->GetId();
        return CreateObject<FatTreeRouting>(PlaceOf(id), Mix(m_seed ^ Mix(id)), m_spray);
    }

  private:
    Place PlaceOf(uint32_t id) const {
        const uint32_t half = m_k / 2;
        const uint32_t tiers[] = {m_k * half * half, m_k * half, m_k * half};
        for (uint32_t tier = 0; tier < 3; ++tier) {
            if (id < tiers[tier]) {
                return {static_cast<Place::Tier>(tier), id, half};
            }
            id -= tiers[tier];
        }
        return {Place::CORE, id, half};
    }

    uint32_t m_k;
    uint64_t m_seed;
    bool m_spray;
};

/// Hosts, then edges, aggregations and cores, cabled so that interfaces are numbered as in `Place`.
/// Switches queue `packets` and mark from 20 on.
class FatTree {
  public:
    FatTree(uint32_t k, const Ipv4RoutingHelper& routing, uint32_t packets)
        : m_k(k), m_half(k / 2) {
        m_nodes.Create(Hosts() + 2 * m_k * m_half + m_half * m_half);
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(routing);
        stack.Install(m_nodes);

        m_cable.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        m_cable.SetChannelAttribute("Delay", StringValue("1us"));
        m_cable.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
        // RED as a step: with a weight of 1 the average is the queue of this moment, and from
        // 20 packets on every ECN-capable packet is marked.
        m_red.SetRootQueueDisc("ns3::RedQueueDisc",
                               "MaxSize", QueueSizeValue({QueueSizeUnit::PACKETS, packets}),
                               "MinTh", DoubleValue(20),
                               "MaxTh", DoubleValue(20),
                               "QW", DoubleValue(1),
                               "Gentle", BooleanValue(false),
                               "UseEcn", BooleanValue(true),
                               "UseHardDrop", BooleanValue(false),
                               "MeanPktSize", UintegerValue(1500),
                               "LinkBandwidth", StringValue("1Gbps"),
                               "LinkDelay", StringValue("1us"));
        Cable();
        for (uint32_t i = 0; i < m_nodes.GetN(); ++i) {
            Ptr<Ipv4> ipv4 = m_nodes.Get(i)->GetObject<Ipv4>();
            if (auto own = DynamicCast<FatTreeRouting>(ipv4->GetRoutingProtocol())) {
                own->MakeRoutes();
            }
        }
    }

    uint32_t Hosts() const {
        return m_k * m_half * m_half;
    }

    Ptr<Node> Host(uint32_t host) const {
        return m_nodes.Get(host);
    }

  private:
    void Cable() {
        const uint32_t edges = Hosts();
        const uint32_t aggregations = edges + m_k * m_half;
        const uint32_t cores = aggregations + m_k * m_half;
        for (uint32_t host = 0; host < Hosts(); ++host) {
            Join(host, edges + host / m_half);
        }
        for (uint32_t edge = 0; edge < m_k * m_half; ++edge) {
            for (uint32_t a = 0; a < m_half; ++a) {
                Join(edges + edge, aggregations + edge / m_half * m_half + a);
            }
        }
        for (uint32_t aggregation = 0; aggregation < m_k * m_half; ++aggregation) {
            for (uint32_t c = 0; c < m_half; ++c) {
                Join(aggregations + aggregation, cores + aggregation % m_half * m_half + c);
            }
        }
    }

    void Join(uint32_t a, uint32_t b) {
        NetDeviceContainer ends = m_cable.Install(m_nodes.Get(a), m_nodes.Get(b));
        for (auto [node, end] : {std::pair(a, ends.Get(0)), std::pair(b, ends.Get(1))}) {
            end->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&CountHop));
            if (node < Hosts()) {
                // As in Sidestep: a host's NIC is a FIFO without a limit, and marks nothing.
                auto device = DynamicCast<PointToPointNetDevice>(end);
                device->GetQueue()->SetMaxSize(QueueSize("1000000p"));
            } else {
                Ptr<QueueDisc> queue = m_red.Install(end).Get(0);
                queue->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&CountDrop));
                queue->TraceConnectWithoutContext("Mark", MakeCallback(&CountMark));
            }
            Ptr<Ipv4> ipv4 = m_nodes.Get(node)->GetObject<Ipv4>();
            const uint32_t interface = ipv4->AddInterface(end);
            // ns-3's own routing names a cable by the addresses of its ends.
            const Ipv4Address address =
                node < Hosts() ? HostAddress(node) : Ipv4Address(0x14000001 + m_ends++);
            ipv4->AddAddress(interface, {address, Ipv4Mask::GetOnes()});
            ipv4->SetUp(interface);
        }
    }

    uint32_t m_k;
    uint32_t m_half;
    uint32_t m_ends = 0; // of cables, at switches
    NodeContainer m_nodes;
    PointToPointHelper m_cable;
    TrafficControlHelper m_red;
};

} // namespace
