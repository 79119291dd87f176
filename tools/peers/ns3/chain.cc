// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A chain of bottlenecks with DropTail queues, for ns-3.37; with one bottleneck it is the dumbbell. Written from ns-3's
// public API; run.py builds and runs it.
//
//   chain rate=400 buffer=1333 duration=100 measure_from=20 measure_to=100 cubic:40:0.01 newreno:40:0.05
//   chain rate=100 buffer=333 hops=3 hop_ms=10 ... cubic:80:0.01:0-3 cubic:40:0.02:0-1
//
// A flow is CC:RTT_MS:START_S[:FROM-TO]: round trip time without queueing and serialisation, and the routers (0 ... hops)
// where it enters and leaves. Rates count IP bits, packets are 1500 bytes of IP with 1448 of payload, as everywhere in
// this project; ns-3 puts two bytes of PPP on top, so its links are made that much faster. The one line on stdout is the
// result, JSON.
//
//   sender i --access, rest of RTT/2, 10x rate--> router FROM --rate, hop_ms, buffer--> ... --> router TO (the receiver)

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace {

constexpr double kWire = 1500;     // bytes of IP of a full packet
constexpr double kPpp = 2;         // bytes that the device adds
constexpr uint32_t kPayload = 1448;
constexpr uint16_t kPort = 5000;

[[noreturn]] void Fail(const std::string& message) {
    std::cerr << "chain: " << message << '\n';
    std::exit(2);
}

double Number(const std::string& text, const std::string& where) {
    try {
        size_t used = 0;
        double value = std::stod(text, &used);
        if (used == text.size()) return value;
    } catch (const std::exception&) {
    }
    Fail("not a number: " + where);
}

// The algorithms by the names that ns-2's script and ours use for the same rules. ns-3's NewReno adds to the window once
// per acknowledgement, its LinuxReno once per acknowledged segment; whether losses are repaired with SACK is `sack=`.
const std::map<std::string, std::string> kAlgorithms = {
    {"cubic", "ns3::TcpCubic"},         {"sack", "ns3::TcpNewReno"},         {"linux-reno", "ns3::TcpLinuxReno"},
    {"bic", "ns3::TcpBic"},             {"highspeed", "ns3::TcpHighSpeed"},  {"htcp", "ns3::TcpHtcp"},
    {"hybla", "ns3::TcpHybla"},         {"illinois", "ns3::TcpIllinois"},    {"scalable", "ns3::TcpScalable"},
    {"vegas", "ns3::TcpVegas"},         {"veno", "ns3::TcpVeno"},            {"yeah", "ns3::TcpYeah"},
};

struct Flow {
    std::string cc;
    double rttMs = 0;
    double startS = 0;
    uint32_t from = 0;
    uint32_t to = 0;

    // Counters: packets that reached the receiver (retransmissions and duplicates too), departures from the sender.
    uint64_t delivered = 0;
    uint64_t deliveredFrom = 0;
    uint64_t deliveredTo = 0;
    uint64_t sent = 0;
    uint64_t timeouts = 0;
    uint32_t window = 0;
    Ptr<BulkSendApplication> source;
};

struct Bottleneck {
    Ptr<PointToPointNetDevice> device;
    uint64_t drops = 0;
    uint64_t dropsFrom = 0;
    uint64_t dropsTo = 0;
    uint32_t queued = 0;
    double changedS = 0;
    double area = 0;  // packets × seconds
    double areaFrom = 0;
    double areaTo = 0;

    void Integrate() {
        double now = Simulator::Now().GetSeconds();
        area += queued * (now - changedS);
        changedS = now;
    }
};

std::map<std::string, double> options = {
    {"rate", 100},        {"buffer", 100},   {"duration", 60},    {"measure_from", 0}, {"measure_to", -1},
    {"hops", 1},          {"hop_ms", 0},     {"ack_every", 2},    {"delack_s", 0.04},  {"initial_ssthresh", 0},
    {"iw", 10},           {"min_rto", 0.2},  {"sack", 1},         {"prr", 1},          {"hystart", 0},
    {"cubic_beta", 0.8},  {"cubic_c", 0.4},  {"access_factor", 10}, {"sample", 0},     {"fq_codel", 0},
    {"limited_transmit", 1},
};
std::vector<std::unique_ptr<Flow>> flows;
std::vector<std::unique_ptr<Bottleneck>> bottlenecks;
std::vector<uint32_t> windows;

void ParseFlow(const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
    if (parts.size() < 3 || parts.size() > 4) Fail("neither key=value nor cc:rtt_ms:start_s[:from-to]: " + text);
    auto flow = std::make_unique<Flow>();
    flow->cc = parts[0];
    if (kAlgorithms.count(flow->cc) == 0) Fail("unknown congestion control: " + flow->cc);
    flow->rttMs = Number(parts[1], text);
    flow->startS = Number(parts[2], text);
    flow->to = static_cast<uint32_t>(options["hops"]);
    if (parts.size() == 4) {
        size_t dash = parts[3].find('-');
        if (dash == std::string::npos) Fail("not FROM-TO: " + text);
        flow->from = static_cast<uint32_t>(Number(parts[3].substr(0, dash), text));
        flow->to = static_cast<uint32_t>(Number(parts[3].substr(dash + 1), text));
    }
    if (flow->from >= flow->to || flow->to > options["hops"]) Fail("no such way: " + text);
    if (flow->rttMs < 2 * (flow->to - flow->from) * options["hop_ms"]) Fail("the way alone takes longer: " + text);
    flows.push_back(std::move(flow));
}

void Parse(int argc, char** argv) {
    std::vector<std::string> later;
    for (int i = 1; i < argc; i++) {
        std::string text = argv[i];
        size_t equals = text.find('=');
        if (equals == std::string::npos) {
            later.push_back(text);
            continue;
        }
        auto found = options.find(text.substr(0, equals));
        if (found == options.end()) Fail("unknown option: " + text);
        found->second = Number(text.substr(equals + 1), text);
    }
    if (options["measure_to"] < 0) options["measure_to"] = options["duration"];
    if (options["measure_from"] >= options["measure_to"] || options["measure_to"] > options["duration"])
        Fail("need measure_from < measure_to <= duration");
    if (options["hops"] < 1) Fail("need at least one bottleneck");
    for (const auto& text : later) ParseFlow(text);
    if (flows.empty()) Fail("no flows");
}

DataRate Rate(double mbps) {
    return DataRate(static_cast<uint64_t>(mbps * 1e6 * (kWire + kPpp) / kWire));
}

// What every socket takes when it is made.
void Defaults() {
    double longest = 0;
    for (const auto& flow : flows) longest = std::max(longest, flow->rttMs);
    // The window is never limited by a host: twice what the path and all its queues hold, twice over for a recovery.
    double bytes = options["rate"] * 125 * longest + options["hops"] * options["buffer"] * kWire;
    auto host = static_cast<uint32_t>(std::min(4 * bytes + 1e6, double(1 << 30) - 1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(host));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(host));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kPayload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(uint32_t(options["iw"])));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(uint32_t(options["ack_every"])));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(options["delack_s"])));
    if (options["initial_ssthresh"] > 0) {
        auto threshold = static_cast<uint32_t>(options["initial_ssthresh"]) * kPayload;
        Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(threshold));
    }
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(options["min_rto"])));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(options["sack"] != 0));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(options["limited_transmit"] != 0));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(options["hystart"] != 0));
    Config::SetDefault("ns3::TcpCubic::Beta", DoubleValue(options["cubic_beta"]));
    Config::SetDefault("ns3::TcpCubic::C", DoubleValue(options["cubic_c"]));
    const char* recovery = options["prr"] != 0 ? "ns3::TcpPrrRecovery" : "ns3::TcpClassicRecovery";
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TypeId::LookupByName(recovery)));
}

NetDeviceContainer Connect(Ptr<Node> a, Ptr<Node> b, double mbps, double backMbps, double ms, uint64_t packets) {
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(Rate(mbps)));
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(static_cast<int64_t>(ms * 1e6 + 0.5))));
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, packets)));
    NetDeviceContainer devices = helper.Install(a, b);
    auto back = DynamicCast<PointToPointNetDevice>(devices.Get(1));
    back->SetDataRate(Rate(backMbps));
    back->GetQueue()->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, 1000000));
    return devices;
}

// A full device queue stops its device, and what comes then is dropped above it, by the router's traffic control. Only the
// bottleneck's queue can be full there.
void Watch(Bottleneck& one) {
    auto queue = one.device->GetQueue();
    Callback<void, Ptr<const Packet>> dropped([&one](Ptr<const Packet>) { one.drops++; });
    queue->TraceConnectWithoutContext("Drop", dropped);
    one.device->GetNode()->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", dropped);
    queue->TraceConnectWithoutContext("PacketsInQueue",
                                      Callback<void, uint32_t, uint32_t>([&one](uint32_t, uint32_t now) {
                                          one.Integrate();
                                          one.queued = now;
                                      }));
}

// A receiver that reads everything at once and counts what came through.
void Listen(Ptr<Node> node, uint16_t port, Flow& flow) {
    Ptr<Socket> listener = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    listener->Listen();
    listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([&flow](Ptr<Socket> socket, const Address&) {
            socket->TraceConnectWithoutContext(
                "Rx", Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(
                          [&flow](Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>) {
                              if (packet->GetSize() > 0) flow.delivered++;
                          }));
            socket->SetRecvCallback(Callback<void, Ptr<Socket>>([](Ptr<Socket> ready) {
                while (ready->GetRxAvailable() > 0) ready->Recv();
            }));
        }));
}

void Observe(Flow& flow) {
    Ptr<Socket> socket = flow.source->GetSocket();
    socket->TraceConnectWithoutContext(
        "CongState",
        Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(
            [&flow](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now) {
                if (now == TcpSocketState::CA_LOSS) flow.timeouts++;
            }));
    socket->TraceConnectWithoutContext(
        "CongestionWindow", Callback<void, uint32_t, uint32_t>([&flow](uint32_t, uint32_t now) { flow.window = now; }));
    socket->TraceConnectWithoutContext(
        "Tx", Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(
                  [&flow](Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>) {
                      if (packet->GetSize() > 0) flow.sent++;
                  }));
}

void Sample() {
    windows.push_back(flows[0]->window / kPayload);
    Simulator::Schedule(Seconds(options["sample"]), &Sample);
}

void Build() {
    auto hops = static_cast<uint32_t>(options["hops"]);
    double rate = options["rate"], access = rate * options["access_factor"];
    NodeContainer routers(hops + 1), hosts(flows.size());
    InternetStackHelper internet;
    internet.Install(routers);
    internet.Install(hosts);

    // Before the addresses: those who come without a queue discipline get FQ-CoDel with the first address. A device's
    // limit is what waits, so the one being sent comes on top; ns-2's counts it too, and ours is given one less as well.
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    std::vector<Ipv4Address> routerAddress(hops + 1);
    TrafficControlHelper traffic;
    for (uint32_t hop = 0; hop < hops; hop++) {
        auto devices = Connect(routers.Get(hop), routers.Get(hop + 1), rate, access, options["hop_ms"],
                               static_cast<uint64_t>(options["buffer"]) - 1);
        auto interfaces = addresses.Assign(devices);
        addresses.NewNetwork();
        if (options["fq_codel"] == 0) traffic.Uninstall(devices);
        routerAddress[hop + 1] = interfaces.GetAddress(1);
        auto one = std::make_unique<Bottleneck>();
        one->device = DynamicCast<PointToPointNetDevice>(devices.Get(0));
        Watch(*one);
        bottlenecks.push_back(std::move(one));
    }
    for (uint32_t i = 0; i < flows.size(); i++) {
        Flow& flow = *flows[i];
        Ptr<Node> host = hosts.Get(i);
        double ms = flow.rttMs / 2 - (flow.to - flow.from) * options["hop_ms"];
        auto devices = Connect(host, routers.Get(flow.from), access, access, ms, 1000000);
        addresses.Assign(devices);
        addresses.NewNetwork();
        traffic.Uninstall(devices);

        auto type = TypeId::LookupByName(kAlgorithms.at(flow.cc));
        host->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(type));
        auto port = static_cast<uint16_t>(kPort + i);
        Listen(routers.Get(flow.to), port, flow);
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(routerAddress[flow.to], port));
        bulk.SetAttribute("SendSize", UintegerValue(kPayload));
        ApplicationContainer application = bulk.Install(host);
        application.Start(Seconds(flow.startS));
        flow.source = DynamicCast<BulkSendApplication>(application.Get(0));
        // The socket is made by the start itself.
        Simulator::Schedule(Seconds(flow.startS) + NanoSeconds(1), [&flow] { Observe(flow); });
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

void Snapshot(bool end) {
    for (auto& flow : flows) (end ? flow->deliveredTo : flow->deliveredFrom) = flow->delivered;
    for (auto& one : bottlenecks) {
        one->Integrate();
        (end ? one->dropsTo : one->dropsFrom) = one->drops;
        (end ? one->areaTo : one->areaFrom) = one->area;
    }
}

void Report() {
    double span = options["measure_to"] - options["measure_from"];
    std::vector<double> used(bottlenecks.size(), 0);
    uint64_t packets = 0;
    std::printf("{\"flows\": [");
    for (size_t i = 0; i < flows.size(); i++) {
        const Flow& flow = *flows[i];
        double mbps = 8e-6 * kWire * double(flow.deliveredTo - flow.deliveredFrom) / span;
        for (uint32_t hop = flow.from; hop < flow.to; hop++) {
            used[hop] += mbps;
            packets += flow.delivered;
        }
        std::printf("%s{\"cc\": \"%s\", \"rtt_ms\": %g, \"start_s\": %g, \"throughput_mbps\": %.6f, \"timeouts\": %lu, "
                    "\"sent\": %lu}",
                    i == 0 ? "" : ", ", flow.cc.c_str(), flow.rttMs, flow.startS, mbps, flow.timeouts, flow.sent);
    }
    std::printf("], \"cwnd\": [");
    for (size_t i = 0; i < windows.size(); i++) std::printf("%s%u", i == 0 ? "" : ", ", windows[i]);
    std::printf("], \"links\": [");
    for (size_t i = 0; i < bottlenecks.size(); i++) {
        const Bottleneck& one = *bottlenecks[i];
        std::printf("%s{\"utilization\": %.6f, \"drops\": %lu, \"drops_total\": %lu, \"queue_mean\": %.3f}",
                    i == 0 ? "" : ", ", used[i] / options["rate"], one.dropsTo - one.dropsFrom, one.drops,
                    (one.areaTo - one.areaFrom) / span);
    }
    std::printf("], \"packets\": %lu}\n", packets);
}

}  // namespace

int main(int argc, char** argv) {
    Parse(argc, argv);
    Defaults();
    Build();
    Simulator::Schedule(Seconds(options["measure_from"]), &Snapshot, false);
    Simulator::Schedule(Seconds(options["measure_to"]), &Snapshot, true);
    if (options["sample"] > 0) Simulator::ScheduleNow(&Sample);
    Simulator::Stop(Seconds(options["duration"]) + NanoSeconds(1));
    Simulator::Run();
    Report();
    Simulator::Destroy();
    return 0;
}
