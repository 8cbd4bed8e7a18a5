// The incast of docs/explanation/ns3-reference.md in ns-3: 40 hosts of a fat-tree of k = 8 send 20 kB each to
// host 0 at one instant, under DCTCP.
//
// Decision     --route=ecmp: by a salted hash of the 5-tuple. --route=spray: ns-3's own global
//              routing with RandomEcmpRouting, which draws a next hop for every packet.
//              --route=spray-data: the same draw for data, the hash for acknowledgements.
// Units        times in microseconds, queues in packets.
// Output       one JSON line. A completion time runs from the SYN to the last byte at host 0.
//              marks: ns-3's RED counts one before it finds that the queue is full.
//              reordered: data, sent for the first time, after data that was sent later.
// Errors       ns-3's own: a message and an abort; one where a flow does not complete.
// Source       ns-3 3.37 as packaged by Debian (libns3-dev); RFC 8257 for DCTCP.
// Deviations   from ns-3 as it is: none without --floor or --recover-in-cwr.

#include "fat_tree.h"

#include "ns3/applications-module.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace {

constexpr uint16_t SINK_PORT = 5000;
constexpr uint32_t SENDERS = 40;
constexpr uint32_t SIZE = 20000;
const Time START = MilliSeconds(1);

struct Options {
    uint64_t seed = 1;
    uint32_t queue = 100;
    std::string route = "ecmp";
    bool sack = true;
    bool fast_retransmit = true;
    bool limited_transmit = true;
    bool prr = true;
    bool floor = false;
    bool close = false;
    bool recover_in_cwr = false;
    uint32_t delayed_ack_us = 0;
    uint32_t min_rto_ms = 10;
};

struct Flows {
    uint64_t timeouts = 0;
    uint64_t fast_retransmits = 0;
    uint64_t retransmits = 0;
    uint64_t reordered = 0;
    std::map<Ipv4Address, uint32_t> received;
    std::vector<double> fct_us;
} g_flows;

/// DCTCP that counts, and with `Floor` never asks for less than two segments, as in Linux.
///
/// While a window comes down from an echo (CA_CWR), ns-3's socket counts duplicates and does
/// nothing about the third. With `BeforeAck` as the socket's "Rx" it meets a duplicate in
/// CA_DISORDER, where the third begins a recovery, and is in CA_CWR again afterwards.
class CountingDctcp : public TcpDctcp {
  public:
    static TypeId GetTypeId() {
        static TypeId tid = TypeId("CountingDctcp")
                                .SetParent<TcpDctcp>()
                                .AddConstructor<CountingDctcp>()
                                .AddAttribute("Floor", "never below two segments",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&CountingDctcp::m_floor),
                                              MakeBooleanChecker());
        return tid;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t flight) override {
        const uint32_t least = m_floor ? 2 * tcb->m_segmentSize : 0;
        return std::max(least, TcpDctcp::GetSsThresh(tcb, flight));
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override {
        g_flows.timeouts += state == TcpSocketState::CA_LOSS;
        g_flows.fast_retransmits += state == TcpSocketState::CA_RECOVERY;
        TcpDctcp::CongestionStateSet(tcb, state);
    }

    /// Passes the state of the socket to its congestion control, which cannot read it otherwise.
    void Init(Ptr<TcpSocketState> tcb) override {
        m_tcb = tcb;
        s_newest = this;
        TcpDctcp::Init(tcb);
    }

    static void BeforeAck(CountingDctcp* self, Ptr<const Packet>, const TcpHeader& header,
                          Ptr<const TcpSocketBase>) {
        TcpSocketState& tcb = *self->m_tcb;
        self->m_disordered = tcb.m_congState == TcpSocketState::CA_CWR &&
                             header.GetAckNumber() == tcb.m_lastAckedSeq &&
                             header.GetAckNumber() < tcb.m_highTxMark;
        if (self->m_disordered) {
            tcb.m_congState = TcpSocketState::CA_DISORDER;
        }
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segments, const Time& rtt) override {
        if (m_disordered && tcb->m_congState == TcpSocketState::CA_DISORDER) {
            tcb->m_congState = TcpSocketState::CA_CWR;
        }
        TcpDctcp::PktsAcked(tcb, segments, rtt);
    }

    static CountingDctcp* s_newest;

    Ptr<TcpCongestionOps> Fork() override {
        return CopyObject<CountingDctcp>(this);
    }

  private:
    bool m_floor = false;
    bool m_disordered = false;
    Ptr<TcpSocketState> m_tcb;
};

CountingDctcp* CountingDctcp::s_newest = nullptr;
NS_OBJECT_ENSURE_REGISTERED(CountingDctcp);

void SetDefaults(const Options& options) {
    const auto socket = [](const char* name, const AttributeValue& value) {
        Config::SetDefault(std::string("ns3::TcpSocketBase::") + name, value);
    };
    Config::SetDefault("CountingDctcp::Floor", BooleanValue(options.floor));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(CountingDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(options.prr ? TcpPrrRecovery::GetTypeId()
                                               : TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    const bool delayed = options.delayed_ack_us > 0;
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delayed ? 2 : 1));
    if (delayed) {
        Config::SetDefault("ns3::TcpSocket::DelAckTimeout",
                           TimeValue(MicroSeconds(options.delayed_ack_us)));
    }
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    socket("Timestamp", BooleanValue(false)); // its 12 bytes do not fit beside 1460
    socket("WindowScaling", BooleanValue(true));
    socket("Sack", BooleanValue(options.sack));
    socket("LimitedTransmit", BooleanValue(options.limited_transmit));
    socket("ReTxThreshold", UintegerValue(options.fast_retransmit ? 3 : 1000000));
    socket("MinRto", TimeValue(MilliSeconds(options.min_rto_ms)));
    socket("ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::Ipv4GlobalRouting::RandomEcmpRouting", BooleanValue(true));
}

/// The headers of a packet on a cable.
struct Seen {
    Ipv4Header ip;
    TcpHeader tcp;
    uint32_t payload;

    explicit Seen(Ptr<const Packet> packet) {
        Ptr<Packet> rest = packet->Copy();
        PppHeader ppp;
        rest->RemoveHeader(ppp);
        rest->RemoveHeader(ip);
        rest->RemoveHeader(tcp);
        payload = rest->GetSize();
    }

    std::pair<Ipv4Address, uint16_t> Id() const {
        return {ip.GetSource(), ip.GetIdentification()};
    }
};

std::map<Ipv4Address, SequenceNumber32> g_sent, g_highest; // of data, by source
std::set<std::pair<Ipv4Address, uint16_t>> g_sent_again;

void SeeSent(Ptr<const Packet> packet) {
    const Seen seen(packet);
    SequenceNumber32& last = g_sent[seen.ip.GetSource()];
    if (seen.payload > 0 && seen.tcp.GetSequenceNumber() <= last) {
        ++g_flows.retransmits;
        g_sent_again.insert(seen.Id());
    } else if (seen.payload > 0) {
        last = seen.tcp.GetSequenceNumber();
    }
}

void SeeArrived(Ptr<const Packet> packet) {
    const Seen seen(packet);
    SequenceNumber32& last = g_highest[seen.ip.GetSource()];
    if (seen.payload > 0 && g_sent_again.count(seen.Id()) == 0) {
        g_flows.reordered += seen.tcp.GetSequenceNumber() < last;
        last = std::max(last, seen.tcp.GetSequenceNumber());
    }
}

void CountBytes(Ptr<const Packet> packet, const Address& from) {
    const Ipv4Address sender = InetSocketAddress::ConvertFrom(from).GetIpv4();
    uint32_t& received = g_flows.received[sender];
    received += packet->GetSize();
    if (received == SIZE) {
        g_flows.fct_us.push_back((Simulator::Now() - START).GetNanoSeconds() * 1e-3);
    }
}

void Send(Ptr<Socket> socket) {
    NS_ABORT_MSG_IF(socket->Send(Create<Packet>(SIZE)) != int(SIZE), "the buffer took not all");
}

/// Sends and closes. The sink closes its side too, acknowledged through the queues of the data.
void SendAndClose(Ptr<Socket> socket) {
    Send(socket);
    socket->Close();
}

/// Starts the flows of 40 senders spread over hosts 1 to 127, as in scenarios/incast-ns3.toml.
void StartFlows(const FatTree& tree, const Options& options) {
    PacketSinkHelper sink("ns3::TcpSocketFactory",
                          InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
    sink.Install(tree.Host(0)).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&CountBytes));
    tree.Host(0)->GetDevice(1)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&SeeArrived));
    for (uint32_t i = 0; i < SENDERS; ++i) {
        Ptr<Node> node = tree.Host(1 + i * 127 / SENDERS);
        Ptr<Socket> socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
        node->GetDevice(1)->TraceConnectWithoutContext("MacTx", MakeCallback(&SeeSent));
        if (options.recover_in_cwr) {
            socket->TraceConnectWithoutContext(
                "Rx", MakeBoundCallback(&CountingDctcp::BeforeAck, CountingDctcp::s_newest));
        }
        socket->SetConnectCallback(MakeCallback(options.close ? &SendAndClose : &Send), {});
        Simulator::ScheduleWithContext(node->GetId(), START, [socket] {
            socket->Connect(InetSocketAddress(HostAddress(0), SINK_PORT));
        });
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("seed", "of the hash salts and of the draws", options.seed);
    line.AddValue("queue", "of a switch port, in packets", options.queue);
    line.AddValue("route", "ecmp, spray or spray-data", options.route);
    line.AddValue("sack", "0: NewReno", options.sack);
    line.AddValue("fast-retransmit", "0: none", options.fast_retransmit);
    line.AddValue("limited-transmit", "0: none", options.limited_transmit);
    line.AddValue("prr", "0: a cut at once", options.prr);
    line.AddValue("floor", "1: a window of two segments at least", options.floor);
    line.AddValue("recover-in-cwr", "1: the third duplicate counts then, too",
                  options.recover_in_cwr);
    line.AddValue("delayed-ack-us", "an acknowledgement waits so long for a second segment",
                  options.delayed_ack_us);
    line.AddValue("min-rto-ms", "the least retransmission timeout", options.min_rto_ms);
    line.AddValue("close", "1: connections close when all is sent", options.close);
    line.Parse(argc, argv);
    const bool global = options.route == "spray";
    NS_ABORT_MSG_IF(!global && options.route != "ecmp" && options.route != "spray-data",
                    "route: expected ecmp, spray or spray-data, got " << options.route);

    RngSeedManager::SetRun(options.seed);
    SetDefaults(options);
    const FatTreeRoutingHelper ours(8, options.seed, options.route == "spray-data");
    const Ipv4GlobalRoutingHelper theirs;
    const Ipv4RoutingHelper* routing = &ours;
    if (global) {
        routing = &theirs;
    }
    FatTree tree(8, *routing, options.queue);
    if (global) {
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }
    StartFlows(tree, options);
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    Simulator::Destroy();

    NS_ABORT_MSG_IF(g_flows.fct_us.size() != SENDERS, "a flow did not complete");
    double sum = 0;
    for (double fct : g_flows.fct_us) {
        sum += fct;
    }
    const auto count = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf("{\"mean_us\": %.1f, \"max_us\": %.1f, \"drops\": %llu, \"marks\": %llu, "
                "\"timeouts\": %llu, \"fast_retransmits\": %llu, \"retransmits\": %llu, "
                "\"reordered\": %llu}\n",
                sum / SENDERS, g_flows.fct_us.back(), count(g_counts.drops),
                count(g_counts.marks), count(g_flows.timeouts), count(g_flows.fast_retransmits),
                count(g_flows.retransmits), count(g_flows.reordered));
    return 0;
}
