// SPDX-License-Identifier: MIT OR Apache-2.0
// C ABI of rtl/reference: the decisions that hardware must make. The Rust sources define each field.
#pragma once

#include <cstdint>

extern "C" {

// src/vectors.rs
struct SidestepVector {
  uint64_t salt;
  uint32_t ports, want, fits, to_switch, candidates, ingress;
  uint32_t packets[8], bytes[8];
  uint32_t rank, hash, detours, draws[2], draws_taken;
  uint32_t max_detours, ingress_allowed, mark_at, mark_in_bytes;
  uint32_t start, full, line_in_bytes, favour;
  uint32_t verdict, port, mark, spent;
};
enum { SIDESTEP_ENQUEUE, SIDESTEP_DETOUR, SIDESTEP_DROP, SIDESTEP_OTHER };
struct SidestepVectors;
SidestepVectors *sidestep_vectors_open(const char *name, uint64_t seed);
void sidestep_vectors_next(SidestepVectors *, SidestepVector *);
void sidestep_vectors_close(SidestepVectors *);

// src/pick.rs: a port, or -1
int32_t sidestep_pick_dibs(uint16_t want, uint64_t fits, uint64_t to_switch, uint32_t draw);
int32_t sidestep_pick_first_open(uint64_t open, uint16_t ports, uint32_t draw);
int32_t sidestep_pick_load_aware(uint64_t open, const uint32_t *bytes, uint16_t ports, uint32_t draw);
int32_t sidestep_pick_flow(uint64_t to_switch, uint64_t open, uint64_t salt, uint32_t hash);

// src/lfsr.rs
uint64_t sidestep_lfsr_next(uint64_t state, uint64_t taps, uint32_t leap);

// src/queue.rs
enum : uint32_t { SIDESTEP_PUSH, SIDESTEP_POP, SIDESTEP_EVICT, SIDESTEP_SEE, SIDESTEP_NONE = UINT32_MAX };
struct SidestepOperation {
  uint32_t step, operation, rank, answer, waiting, worst;
};
struct SidestepOperations;
SidestepOperations *sidestep_operations_open(uint64_t seed);
void sidestep_operations_next(SidestepOperations *, SidestepOperation *);
void sidestep_operations_close(SidestepOperations *);

struct SidestepView {
  uint32_t out, waiting, worst;
};
struct SidestepQueue;
SidestepQueue *sidestep_queue_open(uint32_t places);
void sidestep_queue_step(SidestepQueue *, uint32_t leaves, uint32_t push, uint32_t rank, uint32_t data,
                         SidestepView *);
void sidestep_queue_close(SidestepQueue *);

// src/deflect.rs
struct SidestepLoad {
  uint32_t depth, fits, tail;
};
struct SidestepDeflection {
  uint32_t enqueue, evict, moved, target, squeeze, lost;
};
void sidestep_deflect(uint32_t rank, uint16_t want, const SidestepLoad *loads, uint16_t ports, uint64_t to_switch,
                      uint64_t seed, SidestepDeflection *, uint32_t *draws);

enum { SIDESTEP_ASKED, SIDESTEP_IN_BYTES, SIDESTEP_MORE_CHOICES, SIDESTEP_NOT_FULL };
struct SidestepDeflected {
  uint32_t apart, rank, want, to_switch;
  SidestepLoad loads[8];
  uint32_t draws[2], whole;
  SidestepDeflection answer;
};
struct SidestepDeflections;
SidestepDeflections *sidestep_deflections_open(uint64_t seed);
void sidestep_deflections_next(SidestepDeflections *, SidestepDeflected *);
void sidestep_deflections_close(SidestepDeflections *);

// src/spray.rs
enum { SIDESTEP_TURN, SIDESTEP_FIRST, SIDESTEP_RANDOM };
struct SidestepSettings {
  uint32_t queued, ties, limit, first, burst, rounds;
};
struct SidestepHop {
  uint32_t step, ports, hops, set, prefix, dst, hash, bare, bytes, depth[8];
  SidestepSettings settings;
  uint32_t ecmp, place, begin, draw, draw_2, port;
};
struct SidestepHops;
SidestepHops *sidestep_hops_open(const char *name, uint64_t seed);
void sidestep_hops_next(SidestepHops *, SidestepHop *);
void sidestep_hops_close(SidestepHops *);

struct SidestepSpray;
SidestepSpray *sidestep_spray_open(const char *name, const char *words, uint64_t salt, uint64_t seed);
void sidestep_spray_step(SidestepSpray *, SidestepHop *);
void sidestep_spray_close(SidestepSpray *);

// src/classes.rs
enum { SIDESTEP_DATA, SIDESTEP_ACK, SIDESTEP_SYN };
struct SidestepClassSettings {
  uint64_t silence;
  uint32_t classes, quantum, weights[8], exact, places;
};
struct SidestepClassStep {
  uint64_t now, key;
  SidestepClassSettings settings;
  uint32_t step, operation, kind, service, wire, ends;
  uint32_t klass, answer, packets[8], bytes[8], flows[8];
};
struct SidestepClassSteps;
SidestepClassSteps *sidestep_class_steps_open(const char *name, uint64_t seed);
void sidestep_class_steps_next(SidestepClassSteps *, SidestepClassStep *);
void sidestep_class_steps_close(SidestepClassSteps *);

struct SidestepClassed;
SidestepClassed *sidestep_classed_open(const char *name, const char *words);
void sidestep_classed_step(SidestepClassed *, SidestepClassStep *);
void sidestep_classed_close(SidestepClassed *);

// src/limits.rs
struct SidestepLimitSettings {
  uint32_t grows, sized, per_flow, cap, product, long_from, marks, mark_sized, mark_at;
};
struct SidestepLimited {
  SidestepLimitSettings settings;
  uint32_t service, data, room, bytes, flows, packets, depth, join, mark;
};
struct SidestepLimitedRows;
SidestepLimitedRows *sidestep_limited_open(uint64_t seed);
void sidestep_limited_next(SidestepLimitedRows *, SidestepLimited *);
void sidestep_limited_close(SidestepLimitedRows *);

struct SidestepLimits;
SidestepLimits *sidestep_limits_open(const char *words);
void sidestep_limits_ask(SidestepLimits *, SidestepLimited *);
void sidestep_limits_close(SidestepLimits *);
}
