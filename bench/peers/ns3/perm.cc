// perm128 in ns-3: a fat-tree in which every host sends one endless DCTCP flow.
//
// Decision     next hops in closed form; among equal ones, a salted hash of the 5-tuple.
// Units        rates in bits per second, queues in packets, simulated time in seconds.
// Output       one JSON line: packet_hops, cpu_s, hops_per_cpu_s, simulated_s, goodput_gbps,
//              events, events_per_hop, drops, marks.
// Errors       ns-3's own: a message and an abort.
// Source       ns-3 3.37 as packaged by Debian (libns3-dev); RFC 8257 for DCTCP.
// Deviations   from Sidestep's own perm128, listed in ../README.md.
//
// A packet-hop is one packet, data or ACK, delivered over one link. CPU time is that of
// Simulator::Run alone: building the network is not counted.

#include "fat_tree.h"

#include "ns3/applications-module.h"

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr uint16_t SINK_PORT = 5000;

struct Options {
    uint32_t k = 8;
    double ms = 10;
    uint64_t seed = 1;
};

/// Configures the transport as `sidestep check perm128` prints it; the README lists the differences.
void SetDefaults() {
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(128 << 10));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(128 << 10));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    // Without scaling, a window of 128 KiB could not be advertised.
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(10)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    // One segment at a time, so that a segment is never pieced together from two writes.
    Config::SetDefault("ns3::BulkSendApplication::SendSize", UintegerValue(1460));
}

/// Returns a permutation of 0..n without a fixed point, by repeated shuffles.
std::vector<uint32_t> Permutation(uint32_t n, uint64_t seed) {
    std::vector<uint32_t> to(n);
    std::iota(to.begin(), to.end(), 0);
    uint64_t draw = Mix(seed);
    for (bool fixed = true; fixed;) {
        for (uint32_t i = n - 1; i > 0; --i) {
            draw = Mix(draw);
            std::swap(to[i], to[((draw >> 32) * (i + 1)) >> 32]);
        }
        fixed = false;
        for (uint32_t i = 0; i < n; ++i) {
            fixed |= to[i] == i;
        }
    }
    return to;
}

/// Starts one endless flow from every host; returns the sinks.
ApplicationContainer StartFlows(const FatTree& tree, uint64_t seed) {
    const std::vector<uint32_t> to = Permutation(tree.Hosts(), seed);
    ApplicationContainer sinks;
    PacketSinkHelper sink("ns3::TcpSocketFactory",
                          InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
    for (uint32_t host = 0; host < tree.Hosts(); ++host) {
        sinks.Add(sink.Install(tree.Host(host)));
        BulkSendHelper bulk("ns3::TcpSocketFactory",
                            InetSocketAddress(HostAddress(to[host]), SINK_PORT));
        bulk.Install(tree.Host(host));
    }
    return sinks;
}

/// Returns user and system time of this process so far.
double CpuSeconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) { return t.tv_sec + t.tv_usec * 1e-6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CommandLine line(__FILE__);
    line.AddValue("k", "switch ports: k^3/4 hosts; even", options.k);
    line.AddValue("ms", "simulated time, in milliseconds", options.ms);
    line.AddValue("seed", "of the permutation and of the hash salts", options.seed);
    line.Parse(argc, argv);
    NS_ABORT_MSG_IF(options.k < 4 || options.k % 2 != 0, "k must be even and at least 4");
    NS_ABORT_MSG_IF(!(options.ms > 0), "ms must be above 0");

    SetDefaults();
    FatTree tree(options.k, FatTreeRoutingHelper(options.k, options.seed), 100);
    const ApplicationContainer sinks = StartFlows(tree, options.seed);

    Simulator::Stop(Seconds(options.ms * 1e-3));
    const double before = CpuSeconds();
    Simulator::Run();
    const double cpu = CpuSeconds() - before;

    const double simulated = Simulator::Now().GetSeconds();
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sinks.GetN(); ++i) {
        bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    const double hops = static_cast<double>(g_counts.hops);
    const uint64_t events = Simulator::GetEventCount();
    std::printf("{\"packet_hops\": %llu, \"cpu_s\": %.6f, \"hops_per_cpu_s\": %.1f, "
                "\"simulated_s\": %.9f, \"goodput_gbps\": %.4f, \"events\": %llu, "
                "\"events_per_hop\": %.3f, \"drops\": %llu, \"marks\": %llu}\n",
                static_cast<unsigned long long>(g_counts.hops), cpu, hops / cpu, simulated,
                static_cast<double>(bytes) * 8e-9 / simulated,
                static_cast<unsigned long long>(events), static_cast<double>(events) / hops,
                static_cast<unsigned long long>(g_counts.drops),
                static_cast<unsigned long long>(g_counts.marks));
    Simulator::Destroy();
    return 0;
}
