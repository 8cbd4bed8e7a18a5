// SPDX-License-Identifier: MIT OR Apache-2.0
// Holds Vertigo's queue, by places and by blocks, against the scheduler `srpt`, and its deflection against the buffer policy `vertigo`: the rows of
// `sidestep vectors` first, then cases of our own.
//
//   vertigo COUNT SEED
//
// A line for each cell and source: its operations, its mismatches, what occurred. Exits 1 on a mismatch.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "Vvertigo.h"
#include "sidestep_rtl_reference.h"

namespace {

// What one operation asks of a queue.
struct Asked {
  uint32_t leaves = SIDESTEP_NONE;
  bool push = false;
  uint32_t rank = 0, data = 0;
};

// The pins of one of the queues; ranks, data and which end leaves are asked of all three alike.
struct Pins {
  const char *name;
  uint32_t places;
  uint8_t *clk, *push, *pop, *idle, *ready, *valid;  // rank_queue is never busy: it has no `idle`
  uint32_t *head_rank, *tail_rank;
  uint16_t *head_data, *tail_data;
};

struct Queue {
  Vvertigo &cells;
  Pins at;
  uint64_t splits = 0;  // pushes that took a cycle more
  uint32_t count() const {
    return at.places == 1024 ? cells.many_count_o : at.idle ? cells.blocks_count_o : cells.count_o;
  }

  void tick() {
    *at.clk = 0;
    cells.eval();
    *at.clk = 1;
    cells.eval();
  }

  void empty() {
    cells.rst_ni = 0;
    *at.push = *at.pop = 0;
    tick();
    cells.rst_ni = 1;
  }

  // One operation; is it as it must be? Ranks by what is kept of a packet are in `ranks`.
  bool operate(const Asked &asked, uint32_t before, const SidestepView &expected, std::vector<uint32_t> &ranks) {
    const bool pops = asked.leaves != SIDESTEP_NONE;
    *at.push = asked.push;
    cells.rank_i = asked.rank;
    cells.data_i = asked.data;
    *at.pop = pops;
    cells.largest_i = asked.leaves == SIDESTEP_EVICT;
    cells.eval();
    const bool taken = before < at.places || pops;
    bool same = *at.ready == taken && *at.valid == (before > 0);
    if (pops) {
      same &= *at.valid == (expected.out != SIDESTEP_NONE);
      if (expected.out != SIDESTEP_NONE) {
        const bool worst = asked.leaves == SIDESTEP_EVICT;
        same &= (worst ? *at.tail_data : *at.head_data) == expected.out;
        same &= (worst ? *at.tail_rank : *at.head_rank) == ranks[expected.out];
      }
    }
    if (asked.push && *at.ready) ranks[asked.data] = asked.rank;
    tick();
    if (at.idle) {
      *at.push = *at.pop = 0;
      uint32_t cycles = 1;
      for (; !*at.idle && cycles < 8; cycles++) tick();
      const uint32_t least = asked.push && taken ? 2 + (pops && before) : 1;
      same &= cycles == least || (least > 1 && cycles == least + 1);
      splits += cycles > least;
    }
    return same && count() == expected.waiting && *at.tail_rank == expected.worst;
  }
};

Queue queue_of(Vvertigo &cells, int which) {
  Vvertigo &c = cells;
  switch (which) {
    case 0:
      return {c, {"rank_queue", 64, &c.clk_i, &c.push_i, &c.pop_i, nullptr, &c.ready_o, &c.valid_o, &c.head_rank_o,
                  &c.tail_rank_o, &c.head_data_o, &c.tail_data_o}};
    case 1:
      return {c, {"rank_blocks", 64, &c.blocks_clk_i, &c.blocks_push_i, &c.blocks_pop_i, &c.blocks_idle_o, &c.blocks_ready_o,
                  &c.blocks_valid_o, &c.blocks_head_rank_o, &c.blocks_tail_rank_o, &c.blocks_head_data_o, &c.blocks_tail_data_o}};
    default:
      return {c, {"rank_blocks of 1024", 1024, &c.many_clk_i, &c.many_push_i, &c.many_pop_i, &c.many_idle_o, &c.many_ready_o,
                  &c.many_valid_o, &c.many_head_rank_o, &c.many_tail_rank_o, &c.many_head_data_o, &c.many_tail_data_o}};
  }
}

// The rows of `sidestep vectors sched/srpt`. Half of those that take one out share a cycle with the push behind them.
uint64_t rows(Queue queue, uint64_t count, uint64_t seed, std::mt19937_64 &rng) {
  SidestepOperations *reading = sidestep_operations_open(seed);
  SidestepOperation row, next;
  std::vector<uint32_t> ranks(1 << 16);
  uint64_t bad = 0, both = 0, nothing = 0, most = 0;
  uint32_t waiting = 0;
  sidestep_operations_next(reading, &next);
  for (uint64_t read = 1; read <= count; read++) {
    row = next;
    sidestep_operations_next(reading, &next);
    if (row.step == 0) {
      queue.empty();
      waiting = 0;
    }
    Asked asked;
    SidestepView expected = {row.answer, row.waiting, row.worst};
    if (row.operation != SIDESTEP_PUSH) asked.leaves = row.operation;
    const bool joined = row.operation != SIDESTEP_PUSH && next.operation == SIDESTEP_PUSH && next.step && rng() % 2;
    if (joined && read < count) {
      row = next;
      sidestep_operations_next(reading, &next);
      read++;
      expected.waiting = row.waiting;
      expected.worst = row.worst;
      both++;
    }
    if (row.operation == SIDESTEP_PUSH) {
      asked.push = true;
      asked.rank = row.rank;
      asked.data = row.step;
    }
    nothing += asked.leaves != SIDESTEP_NONE && expected.out == SIDESTEP_NONE;
    if (!queue.operate(asked, waiting, expected, ranks)) bad++;
    waiting = expected.waiting;
    if (waiting > most) most = waiting;
  }
  sidestep_operations_close(reading);
  std::printf("%s sched/srpt: %lu rows, %lu mismatches; %lu push and pop, %lu found nothing, %lu waited at most\n",
              queue.at.name, static_cast<unsigned long>(count), static_cast<unsigned long>(bad), static_cast<unsigned long>(both),
              static_cast<unsigned long>(nothing), static_cast<unsigned long>(most));
  return bad;
}

// Operations of our own, which the scheduler answers: those that fill all places among them.
uint64_t operations(Queue queue, uint64_t count, std::mt19937_64 &rng) {
  const uint32_t places = queue.at.places;
  SidestepQueue *model = sidestep_queue_open(places);
  std::vector<uint32_t> ranks_of(1 << 16);
  uint64_t bad = 0, full = 0, none = 0, both = 0, refused = 0, ties = 0;
  uint32_t waiting = 0, fill = 50, ranks = 8, last_rank = 0;
  queue.empty();
  for (uint64_t step = 0; step < count; step++) {
    if (step % (4 * places) == 0) {  // now and then it fills, drains, or has few or many ranks
      fill = 30 + rng() % 41;
      ranks = 1u << rng() % 24;
    }
    Asked asked;
    asked.push = rng() % 100 < fill;
    if (rng() % 100 < 50) asked.leaves = rng() % 2 ? SIDESTEP_POP : SIDESTEP_EVICT;
    asked.rank = ranks == 1u << 23 ? static_cast<uint32_t>(rng()) : rng() % ranks;
    asked.data = step & 0xffff;
    const bool pops = asked.leaves != SIDESTEP_NONE;
    full += waiting == places;
    none += waiting == 0;
    both += asked.push && pops && waiting;
    refused += asked.push && waiting == places && !pops;
    ties += asked.push && asked.rank == last_rank;
    last_rank = asked.rank;
    SidestepView expected;
    sidestep_queue_step(model, asked.leaves, asked.push, asked.rank, asked.data, &expected);
    if (!queue.operate(asked, waiting, expected, ranks_of) && bad++ < 3) {
      std::printf("%s step %lu: %u waiting, tail %u; expected %u, %u\n", queue.at.name, static_cast<unsigned long>(step),
                  queue.count(), *queue.at.tail_rank, expected.waiting, expected.worst);
    }
    waiting = expected.waiting;
  }
  sidestep_queue_close(model);
  std::printf("%s: %lu operations, %lu mismatches; %lu full, %lu empty, %lu push and pop, %lu refused, "
              "%lu equal ranks in a row, %lu splits\n",
              queue.at.name, static_cast<unsigned long>(count), static_cast<unsigned long>(bad),
              static_cast<unsigned long>(full), static_cast<unsigned long>(none),
              static_cast<unsigned long>(both), static_cast<unsigned long>(refused),
              static_cast<unsigned long>(ties), static_cast<unsigned long>(queue.splits));
  return bad;
}

// What one decision is asked.
struct Decision {
  uint32_t rank, want, to_switch;
  const SidestepLoad *loads;  // of 8 ports
  const uint32_t *draws;
};

void ask(Vvertigo &cells, const Decision &asked) {
  cells.fits_i = 0;
  for (int word = 0; word < 5; word++) cells.depth_i[word] = 0;
  for (int port = 0; port < 8; port++) {
    const SidestepLoad &load = asked.loads[port];
    cells.fits_i |= load.fits << port;
    cells.tail_i[port] = load.tail;
    const uint64_t bits = static_cast<uint64_t>(load.depth) << (20 * port % 32);
    cells.depth_i[20 * port / 32] |= static_cast<uint32_t>(bits);
    if (bits >> 32) cells.depth_i[20 * port / 32 + 1] |= static_cast<uint32_t>(bits >> 32);
  }
  cells.newcomer_i = asked.rank;
  cells.want_i = asked.want;
  cells.switch_i = asked.to_switch;
  cells.draw_1_i = asked.draws[0];
  cells.draw_2_i = asked.draws[1];
  cells.eval();
}

// Does the packet go where it must, and its victim, of which not every row says it?
bool goes(const Vvertigo &cells, const SidestepDeflection &expected, bool whole) {
  if (cells.enqueue_o != expected.enqueue || cells.evict_o != expected.evict) return false;
  return !whole || (cells.move_o == expected.moved && cells.squeeze_o == expected.squeeze &&
                    cells.lost_o == expected.lost && (!expected.moved || cells.target_o == expected.target));
}

// How often what occurred.
struct Seen {
  uint64_t fit = 0, evict = 0, move = 0, squeeze = 0, lost = 0, both = 0;
  void count(const SidestepDeflection &is, bool whole) {
    fit += is.enqueue && !is.evict;
    evict += is.evict;
    move += whole && is.moved;
    squeeze += whole && is.squeeze;
    lost += whole && is.lost;
    both += whole && is.evict && is.lost;
  }
  void print() const {
    std::printf("%lu fit, %lu evict, %lu move, %lu squeeze, %lu lost, %lu evicted and lost\n",
                static_cast<unsigned long>(fit), static_cast<unsigned long>(evict), static_cast<unsigned long>(move),
                static_cast<unsigned long>(squeeze), static_cast<unsigned long>(lost),
                static_cast<unsigned long>(both));
  }
};

// The rows of `sidestep vectors buffer/vertigo` that the cell can be asked.
uint64_t deflected_rows(Vvertigo &cells, uint64_t count, uint64_t seed) {
  SidestepDeflections *reading = sidestep_deflections_open(seed);
  uint64_t bad = 0, apart[4] = {};
  Seen seen;
  for (uint64_t read = 0; read < count; read++) {
    SidestepDeflected row;
    sidestep_deflections_next(reading, &row);
    apart[row.apart]++;
    if (row.apart != SIDESTEP_ASKED) continue;
    ask(cells, {row.rank, row.want, row.to_switch, row.loads, row.draws});
    bad += !goes(cells, row.answer, row.whole);
    seen.count(row.answer, row.whole);
  }
  sidestep_deflections_close(reading);
  std::printf("vertigo_deflect buffer/vertigo: %lu rows, %lu of them asked, %lu mismatches; not asked: %lu in bytes, "
              "%lu of more choices, %lu evicted from a queue with room; ",
              static_cast<unsigned long>(count), static_cast<unsigned long>(apart[SIDESTEP_ASKED]),
              static_cast<unsigned long>(bad), static_cast<unsigned long>(apart[SIDESTEP_IN_BYTES]),
              static_cast<unsigned long>(apart[SIDESTEP_MORE_CHOICES]),
              static_cast<unsigned long>(apart[SIDESTEP_NOT_FULL]));
  seen.print();
  return bad;
}

// Queues and packets of our own, which the policy answers.
uint64_t deflect(Vvertigo &cells, uint64_t count, std::mt19937_64 &rng) {
  uint64_t bad = 0;
  Seen seen;
  for (uint64_t step = 0; step < count; step++) {
    SidestepLoad loads[8];
    const uint32_t levels = 1u << rng() % 19, ranks = 1u << rng() % 32;
    const uint32_t rank = rng() % ranks, want = rng() % 8, mask = rng() & 0xff & (rng() % 3 ? 0xff : rng());
    for (SidestepLoad &load : loads) {
      load = {static_cast<uint32_t>(rng() % levels), rng() % 3 == 0, static_cast<uint32_t>(rng() % ranks)};
    }
    SidestepDeflection expected;
    uint32_t draws[2];
    sidestep_deflect(rank, want, loads, 8, mask, rng(), &expected, draws);
    ask(cells, {rank, want, mask, loads, draws});
    bad += !goes(cells, expected, true);
    seen.count(expected, true);
  }
  std::printf("vertigo_deflect: %lu decisions, %lu mismatches; ", static_cast<unsigned long>(count),
              static_cast<unsigned long>(bad));
  seen.print();
  return bad;
}

}  // namespace

int main(int argc, char **argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::mt19937_64 rng(seed);
  Vvertigo cells;
  uint64_t bad = 0;
  for (int which = 0; which < 3; which++) {
    if (which < 2) bad += rows(queue_of(cells, which), count, seed, rng);
    bad += operations(queue_of(cells, which), count, rng);
  }
  bad += deflected_rows(cells, count, seed);
  return bad + deflect(cells, count, rng) != 0;
}
