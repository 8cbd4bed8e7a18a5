// SPDX-License-Identifier: MIT OR Apache-2.0
// Holds the cells that spray against the routes `spray-counter`, `spray-rr` and `power-of-two`: the rows of `sidestep
// vectors` first, then packets of our own.
//
//   spray COUNT SEED
//
// A line for each cell and source: its packets, its mismatches, what occurred. Exits 1 on a mismatch.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "Vspray.h"
#include "sidestep_rtl_reference.h"

namespace {

enum Kind { COUNTER, ROBIN, TWO };
const char *const CELLS[] = {"spray_counter", "spray_rr", "shorter_of_two"};
const char *const ROUTES[] = {"spray-counter", "spray-rr", "power-of-two"};

void tick(Vspray &cells) {
  cells.clk_i = 0;
  cells.eval();
  cells.clk_i = 1;
  cells.eval();
}

// A route that remembers nothing yet, with these settings.
void renew(Vspray &cells, const SidestepSettings &settings) {
  cells.clear_i = 1;
  cells.count_i = cells.turn_i = 0;
  tick(cells);
  cells.clear_i = 0;
  cells.queued_i = settings.queued;
  cells.ties_i = settings.ties;
  cells.limit_i = settings.limit ? settings.limit : 1;
  cells.first_i = settings.first;
  cells.burst_i = settings.burst;
  cells.rounds_i = settings.rounds;
}

// How often what occurred.
struct Seen {
  uint64_t bad = 0, ecmp = 0, one = 0, queued = 0, drawn = 0, routes = 0, ports[8] = {};
  void print(const char *cell, const char *source, uint64_t count) const {
    std::printf("%s %s: %lu packets, %lu mismatches; %lu routes, %lu not asked, %lu with one hop, "
                "%lu by queues, %lu drawn; by port",
                cell, source, static_cast<unsigned long>(count), static_cast<unsigned long>(bad),
                static_cast<unsigned long>(routes), static_cast<unsigned long>(ecmp), static_cast<unsigned long>(one),
                static_cast<unsigned long>(queued), static_cast<unsigned long>(drawn));
    for (uint64_t taken : ports) std::printf(" %lu", static_cast<unsigned long>(taken));
    std::puts("");
  }
};

// One packet. One that goes by ECMP is shown to the cell, which must not take notice.
void packet(Vspray &cells, const SidestepHop &hop, Kind kind, Seen &seen) {
  cells.hops_i = hop.hops;
  cells.draw_i = hop.draw;
  cells.draw_2_i = hop.draw_2;
  cells.set_i = hop.set;
  cells.bytes_i = hop.bytes;
  for (int port = 0; port < 8; port++) cells.depth_i[port] = hop.depth[port];
  cells.place_i = hop.place;
  cells.begin_i = hop.begin;
  cells.count_i = kind == COUNTER && !hop.ecmp;
  cells.turn_i = kind == ROBIN && !hop.ecmp;
  cells.eval();
  const uint32_t taken = kind == TWO ? cells.shorter_o : kind == ROBIN ? cells.next_o : cells.least_o;
  const bool several = hop.hops & (hop.hops - 1);
  seen.one += !several;
  seen.queued += several && (kind == TWO || (kind == COUNTER && hop.settings.queued));
  seen.drawn += several && !hop.ecmp &&
                (kind == TWO || (kind == ROBIN ? cells.drawn_o : hop.settings.ties == SIDESTEP_RANDOM));
  seen.ports[hop.port]++;
  if (hop.ecmp && several) {
    seen.ecmp++;
  } else if (taken != hop.port && seen.bad++ < 3) {
    std::printf("%s step %u: port %u, expected %u\n", CELLS[kind], hop.step, taken, hop.port);
  }
  tick(cells);
}

uint64_t rows(Vspray &cells, Kind kind, uint64_t count, uint64_t seed) {
  const char *const name = ROUTES[kind];
  SidestepHops *reading = sidestep_hops_open(name, seed);
  Seen seen;
  for (uint64_t read = 0; read < count; read++) {
    SidestepHop hop;
    sidestep_hops_next(reading, &hop);
    if (hop.step == 0) {
      renew(cells, hop.settings);
      seen.routes++;
    }
    packet(cells, hop, kind, seen);
  }
  sidestep_hops_close(reading);
  seen.print(CELLS[kind], (std::string("route/") + name).c_str(), count);
  return seen.bad;
}

// Settings of our own.
std::string words(Kind kind, std::mt19937_64 &rng) {
  const auto one = [&rng](std::initializer_list<const char *> of) { return std::string(of.begin()[rng() % of.size()]); };
  const std::string acks = one({"acks=spray", "acks=ecmp"});
  if (kind == TWO) return "choices=2";
  if (kind == ROBIN) {
    return "per=" + one({"flow", "destination", "prefix", "switch"}) + "; table=" + one({"1", "4", "64", "1024"}) +
           "; start=" + one({"drawn", "first"}) + "; shuffle=" + one({"off", "1", "2", "7"}) +
           "; burst=" + one({"1", "1", "2", "5", "40"}) + "; " + acks;
  }
  return "by=" + one({"sent", "sent", "sent", "queued"}) + "; ties=" + one({"turn", "first", "random"}) +
         "; limit=" + one({"1 B", "700 B", "3 kB", "64 kB", "1 MB"}) + "; " + acks;
}

// Packets of our own, 2000 for each route, of a few flows by a few sets of hops that overlap.
uint64_t own(Vspray &cells, Kind kind, uint64_t count, std::mt19937_64 &rng) {
  const char *const name = ROUTES[kind];
  SidestepSpray *spray = nullptr;
  Seen seen;
  uint32_t hops[6], hashes[8], sizes = 1;
  for (uint64_t step = 0; step < count; step++) {
    SidestepHop hop = {};
    const bool renewed = step % 2000 == 0;
    if (renewed) {
      if (spray) sidestep_spray_close(spray);
      const std::string set_to = words(kind, rng);
      spray = sidestep_spray_open(name, set_to.c_str(), rng(), rng());
      if (!spray) {
        std::printf("%s refuses %s\n", name, set_to.c_str());
        std::exit(1);
      }
      for (uint32_t &set : hops) set = 1 + rng() % 255;
      if (rng() % 2) hops[0] = hops[1] = 255;
      if (rng() % 2) hops[5] = 1u << rng() % 8;
      for (uint32_t &hash : hashes) hash = static_cast<uint32_t>(rng());
      sizes = rng() % 3;
      seen.routes++;
    }
    const uint32_t way = rng() % 6, flow = rng() % 8;
    hop.step = step % 2000;
    hop.hops = hops[way];
    hop.set = hops[way];
    hop.prefix = way;
    hop.dst = 2 * way + flow % 2;
    hop.hash = hashes[flow];
    hop.bare = rng() % 8 == 0;
    hop.bytes = sizes == 0 ? 1538 : sizes == 1 ? 84 + rng() % 1455 : rng() % 65536;
    for (uint32_t &depth : hop.depth) depth = 1518 * (rng() % 4);
    sidestep_spray_step(spray, &hop);
    if (renewed) renew(cells, hop.settings);
    packet(cells, hop, kind, seen);
  }
  if (spray) sidestep_spray_close(spray);
  seen.print(CELLS[kind], "of our own", count);
  return seen.bad;
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::mt19937_64 rng(seed);
  Vspray cells;
  cells.rst_ni = 0;
  tick(cells);
  cells.rst_ni = 1;
  uint64_t bad = 0;
  for (Kind kind : {COUNTER, ROBIN, TWO}) {
    bad += rows(cells, kind, count, seed);
    bad += own(cells, kind, count, rng);
  }
  return bad != 0;
}
