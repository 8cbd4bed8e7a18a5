// SPDX-License-Identifier: MIT OR Apache-2.0
// Holds the cells of MulBuff against the schedulers `ps` and `wps`, their exact count of flows, and the buffer policy
// `mulbuff`: the rows of `sidestep vectors` first, then packets of our own.
//
//   mulbuff COUNT SEED
//
// A line for each cell and source: what it was asked, its mismatches, what occurred. Exits 1 on a mismatch.

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

#include "Vmulbuff.h"
#include "sidestep_rtl_reference.h"

namespace {

using Number = unsigned long long;

void tick(Vmulbuff &cells) {
  cells.clk_i = 0;
  cells.eval();
  cells.clk_i = 1;
  cells.eval();
}

// How often what occurred.
struct Seen {
  Number asked = 0, bad = 0, ports = 0, nothing = 0, rounds = 0, most = 0, by[8] = {};
};

struct Counted {
  Number asked = 0, bad = 0, left_out = 0, fewer = 0, bare = 0, most = 0;
};

// What waits: who pushed it, its bytes, and its place in the table of its class, if it has one.
struct Waiting {
  uint32_t step, wire;
  int seat;
};

// A port: the queues that a switch has, and the cells that serve them.
struct Port {
  Vmulbuff &cells;
  Seen &served;
  Counted &counted;
  SidestepClassSettings settings = {};
  std::deque<Waiting> queues[8] = {};
  uint32_t flows[8] = {};

  Port(Vmulbuff &cells, Seen &served, Counted &counted) : cells(cells), served(served), counted(counted) {}

  // Nothing waits, and nothing is remembered.
  void renew(const SidestepClassSettings &to) {
    settings = to;
    for (auto &queue : queues) queue.clear();
    cells.rst_ni = 0;
    cells.step_i = cells.start_i = 0;
    cells.age_i = cells.see_i = cells.join_i = cells.leave_i = 0;
    tick(cells);
    cells.rst_ni = 1;
    cells.table_i = to.places != 2;
    cells.silence_i = to.silence;
    cells.quantum_i = to.quantum;
    cells.equal_i = to.weights[0] == 0;
    served.ports++;
  }

  // The step whose packet the cells send next.
  uint32_t pop() {
    int seat = -1;
    uint32_t klass = 0;
    cells.waits_i = cells.last_i = 0;
    for (uint32_t c = 0; c < 8; c++) {
      const auto &queue = queues[c];
      const uint32_t half = c % 2 * 16, keep = ~(0xffffu << half);
      const auto put = [&](auto &of, uint32_t value) { of[c / 2] = (of[c / 2] & keep) | value << half; };
      cells.waits_i |= (queue.size() > 0) << c;
      cells.last_i |= (queue.size() == 1) << c;
      put(cells.head_i, queue.empty() ? 0 : queue.front().wire);
      put(cells.flows_i, flows[c]);
      put(cells.weight_i, settings.weights[c]);
    }
    if (!cells.equal_i) {
      cells.start_i = 1;
      tick(cells);
      cells.start_i = 0;
      while (cells.busy_o) tick(cells);
    }
    cells.step_i = 1;
    cells.eval();
    Number rounds = 0;
    for (; cells.round_o; rounds++) {
      tick(cells);
      cells.eval();
    }
    uint32_t answer = SIDESTEP_NONE;
    if (cells.take_o) {
      auto &queue = queues[cells.class_o];
      if (queue.empty()) return 0xfffffffe;
      const Waiting leaves = queue.front();
      answer = leaves.step;
      queue.pop_front();
      if (leaves.seat >= 0) {
        seat = leaves.seat;
        klass = cells.class_o;
      }
      served.by[cells.class_o]++;
    } else {
      served.nothing++;
    }
    tick(cells);
    cells.step_i = 0;
    if (seat >= 0) {
      cells.seat_i = seat;
      cells.of_i = klass;
      cells.leave_i = 1;
      tick(cells);
      cells.leave_i = 0;
    }
    served.rounds += rounds;
    if (rounds > served.most) served.most = rounds;
    return answer;
  }

  // A packet is counted, and takes a place if it joins.
  int count(const SidestepClassStep &step) {
    const bool brings = step.kind != SIDESTEP_ACK;
    cells.now_i = step.now;
    cells.key_i = step.key;
    cells.of_i = step.klass;
    cells.opens_i = step.kind == SIDESTEP_SYN;
    cells.data_i = brings;
    cells.ends_i = step.ends;
    cells.age_i = 1;
    tick(cells);
    cells.age_i = 0;
    cells.see_i = brings;
    tick(cells);
    cells.see_i = 0;
    if (step.operation == SIDESTEP_SEE || !(brings || step.ends)) return -1;
    cells.join_i = 1;
    cells.eval();
    const int seat = cells.seated_o ? static_cast<int>(cells.seat_o) : -1;
    tick(cells);
    cells.join_i = 0;
    counted.left_out += brings && seat < 0;
    counted.bare += !brings;
    return seat;
  }

  // An operation, and whether the cells say the same.
  void step(const SidestepClassStep &step) {
    if (step.operation == SIDESTEP_PUSH || step.operation == SIDESTEP_SEE) {
      const int seat = settings.exact ? count(step) : -1;
      if (step.operation == SIDESTEP_PUSH) queues[step.klass].push_back({step.step, step.wire, seat});
    }
    if (step.operation == SIDESTEP_POP) {
      const uint32_t answer = pop();
      served.asked++;
      if (answer != step.answer && served.bad++ < 3) {
        std::printf("drr step %u: packet %u, expected %u\n", step.step, answer, step.answer);
      }
    }
    bool differs = false;
    for (int klass = 0; klass < 8; klass++) {
      const uint32_t says = klass < 4 ? cells.counts_o >> klass * 8 & 0xff : 0;
      differs |= says != step.flows[klass];
      counted.fewer += settings.exact && step.flows[klass] < flows[klass];
      if (settings.exact && says > counted.most) counted.most = says;
      flows[klass] = step.flows[klass];
    }
    if (!settings.exact) return;
    counted.asked++;
    if (differs && counted.bad++ < 3) {
      std::printf("flow_count step %u: %08x, expected %u %u ... flows\n", step.step, cells.counts_o,
                  step.flows[0], step.flows[1]);
    }
  }
};

void print(const Seen &served, const Counted &counted, const char *source) {
  std::printf("drr %s: %llu packets, %llu mismatches; %llu ports, %llu times none waits, %llu rounds, up to %llu for a packet; by "
              "class",
              source, served.asked, served.bad, served.ports, served.nothing, served.rounds, served.most);
  for (Number by : served.by) std::printf(" %llu", by);
  std::puts("");
  std::printf("flow_count %s: %llu operations, %llu mismatches; %llu packets left out, %llu words of an end alone, %llu times a class "
              "lost flows, up to %llu in a class\n",
              source, counted.asked, counted.bad, counted.left_out, counted.bare, counted.fewer, counted.most);
}

Number rows(Vmulbuff &cells, const char *name, uint64_t count, uint64_t seed) {
  SidestepClassSteps *reading = sidestep_class_steps_open(name, seed);
  Seen served;
  Counted counted;
  Port port(cells, served, counted);
  for (uint64_t read = 0; read < count; read++) {
    SidestepClassStep step;
    sidestep_class_steps_next(reading, &step);
    if (step.step == 0) port.renew(step.settings);
    port.step(step);
  }
  sidestep_class_steps_close(reading);
  print(served, counted, (std::string("sched/") + name).c_str());
  return served.bad + counted.bad;
}

// Settings of our own.
std::string words(bool weighted, std::mt19937_64 &rng) {
  const auto one = [&rng](std::initializer_list<const char *> of) { return std::string(of.begin()[rng() % of.size()]); };
  // The bench has tables for four classes.
  const bool exact = rng() % 2;
  return "classes=" + (exact ? one({"2", "3", "4"}) : one({"2", "4", "8", "8"})) + "; quantum=" +
         one({"84 B", "700 B", "1538 B", "9 kB", "4 MB"}) + "; silence=" + one({"1 us", "20 us", "300 us"}) +
         (exact ? "; count=exact; places=" + one({"2", "16"}) : weighted ? "; count=approximate" : "; count=off") +
         (weighted ? "; weights=" + one({"1", "4 1", "1 2", "1 10000", "3"}) : "");
}

// Packets of our own, 2000 operations for each port.
Number own(Vmulbuff &cells, const char *name, uint64_t count, std::mt19937_64 &rng) {
  SidestepClassed *classed = nullptr;
  Seen served;
  Counted counted;
  Port port(cells, served, counted);
  uint64_t now = 0, pause = 1;
  uint32_t flows = 1, sizes = 0, pushes = 50, waiting = 0;
  for (uint64_t done = 0; done < count; done++) {
    SidestepClassStep step = {};
    const bool renewed = done % 2000 == 0;
    if (renewed) {
      if (classed) sidestep_classed_close(classed);
      const std::string set_to = words(name[0] == 'w', rng);
      classed = sidestep_classed_open(name, set_to.c_str());
      if (!classed) {
        std::printf("%s refuses %s\n", name, set_to.c_str());
        std::exit(1);
      }
      now = waiting = 0;
      flows = 1 + rng() % 24;
      sizes = rng() % 3;
    }
    // Queues fill and run empty.
    if (done % 250 == 0) {
      pushes = 30 + rng() % 50;
      pause = 1 + (rng() % 3 ? rng() % 2'000'000 : rng() % 40'000'000);
    }
    now += rng() % 4 ? rng() % pause : 0;
    step.now = now;
    step.step = done % 2000;
    const uint32_t what = rng() % 100;
    step.operation = what < pushes ? SIDESTEP_PUSH : what < pushes + 10 ? SIDESTEP_SEE : SIDESTEP_POP;
    if (step.operation == SIDESTEP_PUSH && waiting == 200) step.operation = SIDESTEP_POP;
    if (step.operation != SIDESTEP_POP) {
      const uint64_t flow = rng() % flows;
      step.key = flow << 32 | flow * 0x9e3779b9u % 7;
      step.service = rng() % 3 ? flow % 8 : rng() % 8;
      step.kind = rng() % 8 == 0 ? SIDESTEP_ACK : rng() % 10 == 0 ? SIDESTEP_SYN : SIDESTEP_DATA;
      step.ends = rng() % 5 == 0;
      step.wire = step.kind ? 84 : sizes == 0 ? 1538 : sizes == 1 ? 84 + rng() % 1455 : 1 + rng() % 65535;
    }
    sidestep_classed_step(classed, &step);
    if (renewed) port.renew(step.settings);
    waiting += step.operation == SIDESTEP_PUSH;
    waiting -= step.operation == SIDESTEP_POP && step.answer != SIDESTEP_NONE;
    port.step(step);
  }
  if (classed) sidestep_classed_close(classed);
  print(served, counted, (std::string("of our own by ") + name).c_str());
  return served.bad + counted.bad;
}

// What becomes of packets that come.
struct Limit {
  Number asked = 0, bad = 0, joined = 0, marked = 0, no_room = 0, bare = 0, dropped = 0;

  void ask(Vmulbuff &cells, const SidestepLimited &row) {
    const SidestepLimitSettings &set = row.settings;
    cells.grows_i = set.grows;
    cells.sized_i = set.sized;
    cells.per_flow_i = set.per_flow;
    cells.cap_i = set.cap;
    cells.product_i = set.product;
    cells.long_i = set.long_from;
    cells.marks_i = set.marks;
    cells.mark_sized_i = set.mark_sized;
    cells.mark_at_i = set.mark_at;
    cells.service_i = row.service;
    cells.carries_i = row.data;
    cells.room_i = row.room;
    cells.bytes_i = row.bytes;
    cells.in_i = row.flows;
    cells.packets_i = row.packets;
    cells.depth_i = row.depth;
    cells.eval();
    asked++;
    joined += row.join;
    marked += row.mark;
    no_room += !row.room;
    bare += !row.data;
    dropped += row.room && !row.join;
    if ((cells.join_o != row.join || cells.mark_o != row.mark) && bad++ < 3) {
      std::printf("class_limit: joins %u, marked %u, expected %u, %u; %u flows, %u packets, %u bytes, class %u\n", cells.join_o,
                  cells.mark_o, row.join, row.mark, row.flows, row.packets, row.depth, row.service);
    }
  }

  Number print(const char *source) const {
    std::printf("class_limit %s: %llu packets, %llu mismatches; %llu joined, %llu marked, %llu dropped by a limit, %llu without "
                "room at the port, %llu without data\n",
                source, asked, bad, joined, marked, dropped, no_room, bare);
    return bad;
  }
};

Number limited(Vmulbuff &cells, uint64_t count, uint64_t seed) {
  SidestepLimitedRows *reading = sidestep_limited_open(seed);
  Limit limit;
  for (uint64_t read = 0; read < count; read++) {
    SidestepLimited row;
    sidestep_limited_next(reading, &row);
    limit.ask(cells, row);
  }
  sidestep_limited_close(reading);
  return limit.print("buffer/mulbuff");
}

// Packets of our own, 500 for each policy, of which most are near a limit.
Number own_limits(Vmulbuff &cells, uint64_t count, std::mt19937_64 &rng) {
  const auto one = [&rng](std::initializer_list<const char *> of) { return std::string(of.begin()[rng() % of.size()]); };
  SidestepLimits *limits = nullptr;
  Limit limit;
  SidestepLimited row = {};
  for (uint64_t done = 0; done < count; done++) {
    if (done % 500 == 0) {
      if (limits) sidestep_limits_close(limits);
      const std::string words = "sizes=" + one({"per-flow", "per-flow", "per-flow", "static"}) + "; per_flow=" +
                                one({"1 pkt", "3 pkt", "9 pkt", "1500 B", "4500 B", "60 kB"}) + "; total=" +
                                one({"50 kB", "250 kB", "9 MB"}) + "; product=" + one({"1500 B", "25 kB", "48500 B"}) + "; long=" +
                                one({"0", "1", "2", "8"}) + "; mark_at=" + one({"off", "1 pkt", "20 pkt", "12 kB"});
      limits = sidestep_limits_open(words.c_str());
      if (!limits) {
        std::printf("mulbuff refuses %s\n", words.c_str());
        std::exit(1);
      }
      sidestep_limits_ask(limits, &row);  // for the settings
    }
    const SidestepLimitSettings set = row.settings;
    row = {};
    row.service = rng() % 3 ? rng() % 2 : rng() % 8;
    row.data = rng() % 8 != 0;
    row.room = rng() % 8 != 0;
    row.bytes = rng() % 2 ? 1518 : 64 + rng() % 1455;
    row.flows = rng() % 3 ? rng() % 60 : rng() % 65536;
    const uint64_t most = row.service >= set.long_from ? set.product : set.cap;
    const uint64_t room = uint64_t(set.per_flow) * row.flows;
    const uint64_t near = most + rng() % 5 - 2 - (rng() % 3 ? row.bytes : 0), by_flow = room + rng() % 5 - 2;
    row.packets = (rng() % 4 ? by_flow : rng()) & 0xffff;
    row.depth = set.sized && rng() % 2 ? (by_flow - row.bytes) & 0xffffff : rng() % 4 ? near & 0xffffff : rng() % 16'000'000;
    if (rng() % 4 == 0) row.packets = rng() % 30, row.depth = rng() % 30'000;
    sidestep_limits_ask(limits, &row);
    limit.ask(cells, row);
  }
  if (limits) sidestep_limits_close(limits);
  return limit.print("of our own");
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::mt19937_64 rng(seed);
  Vmulbuff cells;
  Number bad = 0;
  for (const char *name : {"ps", "wps"}) {
    bad += rows(cells, name, count, seed);
    bad += own(cells, name, count, rng);
  }
  bad += limited(cells, count, seed);
  bad += own_limits(cells, count, rng);
  return bad != 0;
}
