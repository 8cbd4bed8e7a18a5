// SPDX-License-Identifier: MIT OR Apache-2.0
// Counts: every draw of 16 bits for every set of 8 ports, and the register against its model.
//
//   draws COUNT SEED

#include <cstdio>
#include <cstdlib>

#include "Vdraws.h"
#include "sidestep_rtl_reference.h"

namespace {

void tick(Vdraws &cells) {
  cells.clk_i = 0;
  cells.eval();
  cells.clk_i = 1;
  cells.eval();
}

// Over all draws every port of the set is chosen within one of equally often, and as by the Rust decision.
uint64_t uniform(Vdraws &cells) {
  uint64_t bad = 0, mismatches = 0, most = 0, least = ~0ull;
  for (uint32_t set = 0; set < 256; set++) {
    uint64_t chosen[8] = {};
    cells.set_i = set;
    const int ports = __builtin_popcount(set);
    for (uint32_t draw = 0; draw < 65536; draw++) {
      cells.draw_i = draw;
      cells.eval();
      // want 8 is no port of the eight, so the reference always picks.
      const int expected = sidestep_pick_dibs(8, set, 255, draw << 16);
      mismatches += cells.none_o ? expected != -1 : expected != cells.port_o;
      if (!cells.none_o) chosen[cells.port_o]++;
    }
    for (int port = 0; port < 8; port++) {
      const bool in_set = set >> port & 1;
      const uint64_t floor = in_set ? 65536 / ports : 0, ceiling = in_set ? (65536 + ports - 1) / ports : 0;
      bad += chosen[port] < floor || chosen[port] > ceiling;
      if (ports == 7 && in_set) {
        if (chosen[port] > most) most = chosen[port];
        if (chosen[port] < least) least = chosen[port];
      }
    }
  }
  std::printf("pick_uniform: 256 sets, 65536 draws each, %lu mismatches, %lu ports chosen other than 1/n of the "
              "time, rounded; of 7 ports each %lu to %lu times\n",
              static_cast<unsigned long>(mismatches), static_cast<unsigned long>(bad),
              static_cast<unsigned long>(least), static_cast<unsigned long>(most));
  return bad + mismatches;
}

uint64_t registers(Vdraws &cells, uint64_t count, uint32_t seed) {
  uint64_t bad = 0, long_state = 0x5eed0001, short_state = 1;
  cells.seed_we_i = cells.step_i = 0;
  for (uint64_t step = 0; step < count; step++) {
    bad += cells.draw_o != long_state || cells.draw_16_o != short_state;
    cells.step_i = step % 5 != 0;  // it must also stand still
    cells.seed_we_i = step % 1000 == 999;
    cells.seed_i = step % 3000 == 2999 ? 0 : seed * 2654435761u + static_cast<uint32_t>(step);
    if (cells.seed_we_i) {
      long_state = cells.seed_i ? cells.seed_i : 0x5eed0001;
      short_state = cells.seed_i & 0xffff ? cells.seed_i & 0xffff : 1;
    } else if (cells.step_i) {
      long_state = sidestep_lfsr_next(long_state, 0x80200003, 32);
      short_state = sidestep_lfsr_next(short_state, 0xb400, 16);
    }
    tick(cells);
  }
  std::printf("lfsr: %lu cycles of 32 and of 16 bits, %lu mismatches\n", static_cast<unsigned long>(count),
              static_cast<unsigned long>(bad));
  return bad;
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  Vdraws cells;
  cells.rst_ni = 0;
  tick(cells);
  cells.rst_ni = 1;
  const uint64_t bad = registers(cells, count, argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  return bad + uniform(cells) != 0;
}
