// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ns-3.37's CoDelQueueDisc behind a link of constant rate, fed with an arrival trace. Written from ns-3's public API; codel.py builds
// and runs it.
//
//   codel rate=12000000 target_us=5000 interval_us=100000 <arrivals
//
// A line of the arrivals is TIME_NS BYTES, in the order of time. The one line on stdout is the result, JSON: when packets were dropped
// after they had been queued, ns, and the sum of the sojourn times of those that were sent.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace {

class Item : public QueueDiscItem {
  public:
    explicit Item(uint32_t bytes) : QueueDiscItem(Create<Packet>(bytes), Address(), 0) {}
    void AddHeader() override {}
    bool Mark() override { return false; }
};

struct Server {
    Ptr<CoDelQueueDisc> queue;
    uint64_t rate = 0;
    bool busy = false;
    uint64_t sent = 0;
    uint64_t refused = 0;
    int64_t sojourn_ns = 0;

    void Arrive(uint32_t bytes) {
        if (!queue->Enqueue(Create<Item>(bytes))) ++refused;
        if (!busy) Next();
    }

    void Next() {
        busy = false;
        Ptr<QueueDiscItem> item = queue->Dequeue();
        if (!item) return;
        ++sent;
        sojourn_ns += (Simulator::Now() - item->GetTimeStamp()).GetNanoSeconds();
        busy = true;
        Simulator::Schedule(NanoSeconds(uint64_t{item->GetSize()} * 8'000'000'000 / rate), &Server::Next, this);
    }
};

}  // namespace

int main(int count, char** words) {
    std::map<std::string, uint64_t> settings;
    for (int n = 1; n < count; ++n) {
        std::string word = words[n];
        size_t at = word.find('=');
        if (at == std::string::npos) {
            std::cerr << "codel: expected KEY=NUMBER, not " << word << '\n';
            return 2;
        }
        settings[word.substr(0, at)] = std::stoull(word.substr(at + 1));
    }
    Server server;
    server.rate = settings.at("rate");
    server.queue = CreateObjectWithAttributes<CoDelQueueDisc>(
        "MaxSize", QueueSizeValue(QueueSize("1000000p")), "Target",
        TimeValue(MicroSeconds(settings.at("target_us"))), "Interval",
        TimeValue(MicroSeconds(settings.at("interval_us"))), "MinBytes", UintegerValue(1500));
    std::vector<int64_t> drops;
    server.queue->TraceConnectWithoutContext(
        "DropAfterDequeue",
        Callback<void, Ptr<const QueueDiscItem>, const char*>(
            [&drops](Ptr<const QueueDiscItem>, const char*) { drops.push_back(Simulator::Now().GetNanoSeconds()); }));
    server.queue->Initialize();

    uint64_t time = 0;
    uint32_t bytes = 0;
    // A departure of the same instant was scheduled later: the arrival is put one event behind it.
    while (std::cin >> time >> bytes)
        Simulator::Schedule(NanoSeconds(time), [&server, bytes] {
            Simulator::ScheduleNow(&Server::Arrive, &server, bytes);
        });
    Simulator::Run();
    std::cout << "{\"sent\": " << server.sent << ", \"refused\": " << server.refused
              << ", \"sojourn_ns\": " << server.sojourn_ns << ", \"drops\": [";
    for (size_t n = 0; n < drops.size(); ++n) std::cout << (n > 0 ? ", " : "") << drops[n];
    std::cout << "]}" << std::endl;
    Simulator::Destroy();
}
