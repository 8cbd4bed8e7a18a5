// SPDX-License-Identifier: MIT OR Apache-2.0
// Holds the cells that detour against the rows of `sidestep vectors`.
//
//   dibs_variants COUNT SEED [NAME...]
//
// A line for each variant: its vectors, its mismatches, how often each verdict was. Exits 1 on a mismatch.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vdibs_variants.h"
#include "sidestep_rtl_reference.h"

namespace {

// In the order of answer_o.
const char *const kNames[] = {"dibs", "dibs-load-aware", "dibs-flow", "dibs-probabilistic", "dibs-first-open"};
constexpr int kFlow = 2;
// What register BUFFER calls them.
constexpr int kPolicies[] = {1, 3, 4, 5, 2};

void tick(Vdibs_variants &cells) {
  cells.clk_i = 0;
  cells.eval();
  cells.clk_i = 1;
  cells.eval();
}

void feed(Vdibs_variants &cells, const SidestepVector &v, int variant) {
  const bool flow = variant == kFlow;
  cells.policy_i = kPolicies[variant];
  cells.ports_i = v.ports;
  cells.want_i = v.want;
  cells.fits_i = v.fits;
  cells.switch_i = v.to_switch;
  cells.ingress_i = v.ingress == UINT32_MAX ? 0 : v.ingress;
  cells.barred_i = v.ingress != UINT32_MAX && !v.ingress_allowed;
  cells.detours_i = v.detours;
  cells.max_detours_i = v.max_detours;
  cells.draw_1_i = v.draws[0];
  cells.draw_2_i = v.draws[1];
  for (int word = 0; word < 5; word++) cells.bytes_i[word] = 0;
  for (int port = 0; port < 8; port++) {
    const uint64_t bits = static_cast<uint64_t>(v.bytes[port]) << (20 * port % 32);
    cells.bytes_i[20 * port / 32] |= static_cast<uint32_t>(bits);
    if (bits >> 32) cells.bytes_i[20 * port / 32 + 1] |= static_cast<uint32_t>(bits >> 32);
  }
  cells.depth_i = v.line_in_bytes ? v.bytes[v.want] : v.packets[v.want];
  cells.start_level_i = v.start;
  cells.full_level_i = v.full;
  cells.rank_i = v.rank;
  cells.favour_i = v.favour;
  cells.salt_i = v.salt;
  cells.hash_i = v.hash;
  cells.start_i = 0;
  if (flow) {
    cells.start_i = 1;
    tick(cells);
    cells.start_i = 0;
    for (int cycle = 0; !cells.ready_o; cycle++) {
      if (cycle == 1000) {
        std::puts("flow_order does not end");
        std::exit(1);
      }
      tick(cells);
    }
  }
  cells.eval();
}

bool wanted(const Vdibs_variants &cells, uint32_t answer, const SidestepVector &v) {
  const uint32_t port = answer & 7;
  const bool detour = answer & 8, drop = answer & 16;
  // Candidates in the rows leave out nothing for a packet that was detoured too often.
  if (!cells.spent_o && cells.candidates_o != v.candidates) return false;
  switch (v.verdict) {
    case SIDESTEP_ENQUEUE: return !drop && !detour && port == v.port;
    case SIDESTEP_DETOUR: return !drop && detour && port == v.port;
    case SIDESTEP_DROP: return drop && !detour && cells.spent_o == v.spent;
    default: return false;
  }
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Vdibs_variants cells;
  cells.rst_ni = 0;
  cells.start_i = 0;
  tick(cells);
  cells.rst_ni = 1;
  int failed = 0;
  for (int variant = 0; variant < 5; variant++) {
    bool asked = argc <= 3;
    for (int arg = 3; arg < argc; arg++) asked |= std::strcmp(argv[arg], kNames[variant]) == 0;
    if (!asked) continue;
    SidestepVectors *rows = sidestep_vectors_open(kNames[variant], seed);
    uint64_t bad = 0, wrong = 0, verdicts[4] = {};
    for (uint64_t row = 0; row < count; row++) {
      SidestepVector v;
      sidestep_vectors_next(rows, &v);
      feed(cells, v, variant);
      const uint32_t answer = cells.answer_o >> (5 * variant) & 31;
      if (!wanted(cells, cells.choice_o, v) && wrong++ < 3) {
        std::printf("detour_choice %s row %lu: answer %02x, expected verdict %u port %u\n", kNames[variant],
                    static_cast<unsigned long>(row), cells.choice_o, v.verdict, v.port);
      }
      verdicts[v.verdict]++;
      if (!wanted(cells, answer, v) && bad++ < 3) {
        std::printf("%s row %lu: answer %02x, candidates %02x, expected verdict %u port %u\n", kNames[variant],
                    static_cast<unsigned long>(row), answer, cells.candidates_o,
                    v.verdict, v.port);
      }
    }
    sidestep_vectors_close(rows);
    std::printf("%s: %lu vectors, %lu mismatches; %lu enqueued, %lu detoured, %lu dropped\n", kNames[variant],
                static_cast<unsigned long>(count), static_cast<unsigned long>(bad),
                static_cast<unsigned long>(verdicts[0]), static_cast<unsigned long>(verdicts[1]),
                static_cast<unsigned long>(verdicts[2]));
    std::printf("detour_choice %s: %lu vectors, %lu mismatches\n", kNames[variant], static_cast<unsigned long>(count),
                static_cast<unsigned long>(wrong));
    failed |= bad != 0 || wrong != 0;
  }
  return failed;
}
