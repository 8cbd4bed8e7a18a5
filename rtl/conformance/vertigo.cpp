// Holds Vertigo's queue and deflection against the model in rtl/reference/src/vertigo.rs.
//
//   vertigo COUNT SEED
//
// A line for each cell: its operations, its mismatches, what occurred. Exits 1 on a mismatch.

#include <cstdio>
#include <cstdlib>
#include <random>

#include "Vvertigo.h"
#include "sidestep_rtl_reference.h"

namespace {

void tick(Vvertigo &cells) {
  cells.clk_i = 0;
  cells.eval();
  cells.clk_i = 1;
  cells.eval();
}

uint64_t queue(Vvertigo &cells, uint64_t count, std::mt19937_64 &rng) {
  SidestepQueue *model = sidestep_queue_open(64);
  uint64_t bad = 0, full = 0, empty = 0, both = 0, refused = 0, ties = 0;
  uint32_t waiting = 0, fill = 50, ranks = 8, last_rank = 0;
  for (uint64_t step = 0; step < count; step++) {
    if (step % 256 == 0) {  // now and then it fills, drains, or has few or many ranks
      fill = 30 + rng() % 41;
      ranks = 1u << rng() % 24;
    }
    const uint32_t push = rng() % 100 < fill;
    const uint32_t pop = rng() % 100 < 50 ? 1 + rng() % 2 : 0;
    const uint32_t rank = ranks == 1u << 23 ? static_cast<uint32_t>(rng()) : rng() % ranks;
    const uint32_t data = step & 0xffff;
    cells.push_i = push;
    cells.rank_i = rank;
    cells.data_i = data;
    cells.pop_i = pop != 0;
    cells.largest_i = pop == 2;
    cells.eval();
    const bool ready = cells.ready_o;
    full += waiting == 64;
    empty += waiting == 0;
    both += push && pop && waiting;
    refused += push && waiting == 64 && !pop;
    ties += push && rank == last_rank;
    last_rank = rank;
    if (ready != (waiting < 64 || pop)) bad++;
    tick(cells);
    SidestepView view;
    sidestep_queue_step(model, pop, push, rank, data, &view);
    const bool same = cells.count_o == view.count && cells.valid_o == (view.count > 0) &&
                      cells.head_rank_o == view.head[0] && cells.head_data_o == view.head[1] &&
                      cells.tail_rank_o == view.tail[0] && cells.tail_data_o == view.tail[1];
    if (!same && bad++ < 3) {
      std::printf("rank_queue step %lu: %u waiting, head %u/%u, tail %u/%u; expected %u, %u/%u, %u/%u\n",
                  static_cast<unsigned long>(step), cells.count_o, cells.head_rank_o, cells.head_data_o,
                  cells.tail_rank_o, cells.tail_data_o, view.count, view.head[0], view.head[1], view.tail[0],
                  view.tail[1]);
    }
    waiting = view.count;
  }
  sidestep_queue_close(model);
  std::printf("rank_queue: %lu operations, %lu mismatches; %lu full, %lu empty, %lu push and pop, %lu refused, "
              "%lu equal ranks in a row\n",
              static_cast<unsigned long>(count), static_cast<unsigned long>(bad),
              static_cast<unsigned long>(full), static_cast<unsigned long>(empty),
              static_cast<unsigned long>(both), static_cast<unsigned long>(refused),
              static_cast<unsigned long>(ties));
  return bad;
}

uint64_t deflect(Vvertigo &cells, uint64_t count, std::mt19937_64 &rng) {
  uint64_t bad = 0, seen[6] = {};
  for (uint64_t step = 0; step < count; step++) {
    SidestepLoad loads[8];
    const uint32_t levels = 1u << rng() % 19, ranks = 1u << rng() % 32;
    const uint32_t rank = rng() % ranks, want = rng() % 8, mask = rng() & 0xff & (rng() % 3 ? 0xff : rng());
    const uint32_t draws[2] = {static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng())};
    cells.fits_i = 0;
    for (int word = 0; word < 5; word++) cells.depth_i[word] = 0;
    for (int port = 0; port < 8; port++) {
      loads[port] = {static_cast<uint32_t>(rng() % levels), rng() % 3 == 0, static_cast<uint32_t>(rng() % ranks)};
      cells.fits_i |= loads[port].fits << port;
      cells.tail_i[port] = loads[port].tail;
      const uint64_t bits = static_cast<uint64_t>(loads[port].depth) << (20 * port % 32);
      cells.depth_i[20 * port / 32] |= static_cast<uint32_t>(bits);
      if (bits >> 32) cells.depth_i[20 * port / 32 + 1] |= static_cast<uint32_t>(bits >> 32);
    }
    cells.newcomer_i = rank;
    cells.want_i = want;
    cells.switch_i = mask;
    cells.draw_1_i = draws[0];
    cells.draw_2_i = draws[1];
    cells.eval();
    SidestepDeflection expected;
    sidestep_deflect(rank, want, loads, 8, mask, draws, &expected);
    const bool same = cells.enqueue_o == expected.enqueue && cells.evict_o == expected.evict &&
                      cells.move_o == expected.moved && cells.target_o == expected.target &&
                      cells.squeeze_o == expected.squeeze && cells.lost_o == expected.lost;
    bad += !same;
    const uint32_t occurred[6] = {expected.enqueue && !expected.evict, expected.evict, expected.moved,
                                  expected.squeeze, expected.lost, expected.evict && expected.lost};
    for (int i = 0; i < 6; i++) seen[i] += occurred[i];
  }
  std::printf("vertigo_deflect: %lu decisions, %lu mismatches; %lu fit, %lu evict, %lu move, %lu squeeze, %lu lost, "
              "%lu evicted and lost\n",
              static_cast<unsigned long>(count), static_cast<unsigned long>(bad),
              static_cast<unsigned long>(seen[0]), static_cast<unsigned long>(seen[1]),
              static_cast<unsigned long>(seen[2]), static_cast<unsigned long>(seen[3]),
              static_cast<unsigned long>(seen[4]), static_cast<unsigned long>(seen[5]));
  return bad;
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::mt19937_64 rng(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  Vvertigo cells;
  cells.rst_ni = 0;
  cells.push_i = cells.pop_i = 0;
  tick(cells);
  cells.rst_ni = 1;
  const uint64_t bad = queue(cells, count, rng);
  return bad + deflect(cells, count, rng) != 0;
}
