// SPDX-License-Identifier: MIT OR Apache-2.0
/* The registers of switch_top, for C99 and C++. Made by rtl/registers/make.py from sidestep_switch.rdl: do not
   edit. What they mean together stands in rtl/switch.md. */
/* It serves every build: a register or field that a build lacks reads as 0 and ignores writes, and masks are as
   wide as the widest build has them. X_ADDR is an address in bytes from where the registers begin; X_F(v) is the
   value v in field F of register X, X_F_GET(w) the field in a word w. X_RESET is given where every build has the
   same. */

#ifndef SIDESTEP_SWITCH_H
#define SIDESTEP_SWITCH_H

#include <stdint.h>

/* ID (r) */
#define SIDESTEP_SWITCH_ID_ADDR 0x000u
#define SIDESTEP_SWITCH_ID_RESET 0x53494445u
/* VALUE: "SIDE" */
#define SIDESTEP_SWITCH_ID_VALUE_MASK 0xffffffffu
#define SIDESTEP_SWITCH_ID_VALUE_SHIFT 0
#define SIDESTEP_SWITCH_ID_VALUE(v) ((uint32_t)(v) << 0 & 0xffffffffu)
#define SIDESTEP_SWITCH_ID_VALUE_GET(w) (((uint32_t)(w) & 0xffffffffu) >> 0)

/* BUILD (r) */
#define SIDESTEP_SWITCH_BUILD_ADDR 0x004u
/* PATH: PathW / 8 */
#define SIDESTEP_SWITCH_BUILD_PATH_MASK 0x000000ffu
#define SIDESTEP_SWITCH_BUILD_PATH_SHIFT 0
#define SIDESTEP_SWITCH_BUILD_PATH(v) ((uint32_t)(v) << 0 & 0x000000ffu)
#define SIDESTEP_SWITCH_BUILD_PATH_GET(w) (((uint32_t)(w) & 0x000000ffu) >> 0)
/* LINK: LinkW / 8 */
#define SIDESTEP_SWITCH_BUILD_LINK_MASK 0x0000ff00u
#define SIDESTEP_SWITCH_BUILD_LINK_SHIFT 8
#define SIDESTEP_SWITCH_BUILD_LINK(v) ((uint32_t)(v) << 8 & 0x0000ff00u)
#define SIDESTEP_SWITCH_BUILD_LINK_GET(w) (((uint32_t)(w) & 0x0000ff00u) >> 8)
/* PORTS: ports */
#define SIDESTEP_SWITCH_BUILD_PORTS_MASK 0x00ff0000u
#define SIDESTEP_SWITCH_BUILD_PORTS_SHIFT 16
#define SIDESTEP_SWITCH_BUILD_PORTS(v) ((uint32_t)(v) << 16 & 0x00ff0000u)
#define SIDESTEP_SWITCH_BUILD_PORTS_GET(w) (((uint32_t)(w) & 0x00ff0000u) >> 16)
/* SHARED: Shared */
#define SIDESTEP_SWITCH_BUILD_SHARED_MASK 0x01000000u
#define SIDESTEP_SWITCH_BUILD_SHARED_SHIFT 24
#define SIDESTEP_SWITCH_BUILD_SHARED(v) ((uint32_t)(v) << 24 & 0x01000000u)
#define SIDESTEP_SWITCH_BUILD_SHARED_GET(w) (((uint32_t)(w) & 0x01000000u) >> 24)
/* DIBS: Dibs */
#define SIDESTEP_SWITCH_BUILD_DIBS_MASK 0x06000000u
#define SIDESTEP_SWITCH_BUILD_DIBS_SHIFT 25
#define SIDESTEP_SWITCH_BUILD_DIBS(v) ((uint32_t)(v) << 25 & 0x06000000u)
#define SIDESTEP_SWITCH_BUILD_DIBS_GET(w) (((uint32_t)(w) & 0x06000000u) >> 25)
/* SPRAY: Spray */
#define SIDESTEP_SWITCH_BUILD_SPRAY_MASK 0x08000000u
#define SIDESTEP_SWITCH_BUILD_SPRAY_SHIFT 27
#define SIDESTEP_SWITCH_BUILD_SPRAY(v) ((uint32_t)(v) << 27 & 0x08000000u)
#define SIDESTEP_SWITCH_BUILD_SPRAY_GET(w) (((uint32_t)(w) & 0x08000000u) >> 27)
/* RANKED: Ranked */
#define SIDESTEP_SWITCH_BUILD_RANKED_MASK 0x10000000u
#define SIDESTEP_SWITCH_BUILD_RANKED_SHIFT 28
#define SIDESTEP_SWITCH_BUILD_RANKED(v) ((uint32_t)(v) << 28 & 0x10000000u)
#define SIDESTEP_SWITCH_BUILD_RANKED_GET(w) (((uint32_t)(w) & 0x10000000u) >> 28)

/* TO_SWITCH (rw) */
#define SIDESTEP_SWITCH_TO_SWITCH_ADDR 0x008u
#define SIDESTEP_SWITCH_TO_SWITCH_RESET 0x00000000u
/* PORTS: bit p: another switch hangs off port p; 0 turns detours off */
#define SIDESTEP_SWITCH_TO_SWITCH_PORTS_MASK 0x0000ffffu
#define SIDESTEP_SWITCH_TO_SWITCH_PORTS_SHIFT 0
#define SIDESTEP_SWITCH_TO_SWITCH_PORTS(v) ((uint32_t)(v) << 0 & 0x0000ffffu)
#define SIDESTEP_SWITCH_TO_SWITCH_PORTS_GET(w) (((uint32_t)(w) & 0x0000ffffu) >> 0)

/* CONTROL (rw) */
#define SIDESTEP_SWITCH_CONTROL_ADDR 0x00cu
#define SIDESTEP_SWITCH_CONTROL_RESET 0x00000001u
/* GO_BACK: a frame may be detoured back to its port */
#define SIDESTEP_SWITCH_CONTROL_GO_BACK_MASK 0x00000001u
#define SIDESTEP_SWITCH_CONTROL_GO_BACK_SHIFT 0
#define SIDESTEP_SWITCH_CONTROL_GO_BACK(v) ((uint32_t)(v) << 0 & 0x00000001u)
#define SIDESTEP_SWITCH_CONTROL_GO_BACK_GET(w) (((uint32_t)(w) & 0x00000001u) >> 0)
/* MATCH_MAC: look IPv4 up by MAC address */
#define SIDESTEP_SWITCH_CONTROL_MATCH_MAC_MASK 0x00000002u
#define SIDESTEP_SWITCH_CONTROL_MATCH_MAC_SHIFT 1
#define SIDESTEP_SWITCH_CONTROL_MATCH_MAC(v) ((uint32_t)(v) << 1 & 0x00000002u)
#define SIDESTEP_SWITCH_CONTROL_MATCH_MAC_GET(w) (((uint32_t)(w) & 0x00000002u) >> 1)

/* LIMIT_FRAMES (rw) */
#define SIDESTEP_SWITCH_LIMIT_FRAMES_ADDR 0x010u
/* FRAMES: frames a queue may hold */
#define SIDESTEP_SWITCH_LIMIT_FRAMES_FRAMES_MASK 0x7fffffffu
#define SIDESTEP_SWITCH_LIMIT_FRAMES_FRAMES_SHIFT 0
#define SIDESTEP_SWITCH_LIMIT_FRAMES_FRAMES(v) ((uint32_t)(v) << 0 & 0x7fffffffu)
#define SIDESTEP_SWITCH_LIMIT_FRAMES_FRAMES_GET(w) (((uint32_t)(w) & 0x7fffffffu) >> 0)

/* LIMIT_BYTES (rw) */
#define SIDESTEP_SWITCH_LIMIT_BYTES_ADDR 0x014u
#define SIDESTEP_SWITCH_LIMIT_BYTES_RESET 0xffffffffu
/* BYTES: bytes a queue may hold, in whole words of the path; not with Shared or Ranked */
#define SIDESTEP_SWITCH_LIMIT_BYTES_BYTES_MASK 0xffffffffu
#define SIDESTEP_SWITCH_LIMIT_BYTES_BYTES_SHIFT 0
#define SIDESTEP_SWITCH_LIMIT_BYTES_BYTES(v) ((uint32_t)(v) << 0 & 0xffffffffu)
#define SIDESTEP_SWITCH_LIMIT_BYTES_BYTES_GET(w) (((uint32_t)(w) & 0xffffffffu) >> 0)

/* MARK_AT (rw) */
#define SIDESTEP_SWITCH_MARK_AT_ADDR 0x018u
/* FRAMES: frames in a queue from which it marks (K); all ones: never */
#define SIDESTEP_SWITCH_MARK_AT_FRAMES_MASK 0x7fffffffu
#define SIDESTEP_SWITCH_MARK_AT_FRAMES_SHIFT 0
#define SIDESTEP_SWITCH_MARK_AT_FRAMES(v) ((uint32_t)(v) << 0 & 0x7fffffffu)
#define SIDESTEP_SWITCH_MARK_AT_FRAMES_GET(w) (((uint32_t)(w) & 0x7fffffffu) >> 0)

/* ALPHA (rw) */
#define SIDESTEP_SWITCH_ALPHA_ADDR 0x01cu
#define SIDESTEP_SWITCH_ALPHA_RESET 0x00000004u
/* VALUE: dynamic threshold: alpha = 2^(value - 4), value 0 to 7; with Shared */
#define SIDESTEP_SWITCH_ALPHA_VALUE_MASK 0x00000007u
#define SIDESTEP_SWITCH_ALPHA_VALUE_SHIFT 0
#define SIDESTEP_SWITCH_ALPHA_VALUE(v) ((uint32_t)(v) << 0 & 0x00000007u)
#define SIDESTEP_SWITCH_ALPHA_VALUE_GET(w) (((uint32_t)(w) & 0x00000007u) >> 0)

/* SALT (rw) */
#define SIDESTEP_SWITCH_SALT_ADDR 0x020u
#define SIDESTEP_SWITCH_SALT_RESET 0x00000000u
/* VALUE: of the flow hash */
#define SIDESTEP_SWITCH_SALT_VALUE_MASK 0xffffffffu
#define SIDESTEP_SWITCH_SALT_VALUE_SHIFT 0
#define SIDESTEP_SWITCH_SALT_VALUE(v) ((uint32_t)(v) << 0 & 0xffffffffu)
#define SIDESTEP_SWITCH_SALT_VALUE_GET(w) (((uint32_t)(w) & 0xffffffffu) >> 0)

/* ROUTE (rw): which port of a group a frame takes; writing forgets all counters and pointers; with Spray */
#define SIDESTEP_SWITCH_ROUTE_ADDR 0x024u
#define SIDESTEP_SWITCH_ROUTE_RESET 0x00000000u
/* WAY: the route, where bit 7 is 0 */
#define SIDESTEP_SWITCH_ROUTE_WAY_MASK 0x00000003u
#define SIDESTEP_SWITCH_ROUTE_WAY_SHIFT 0
#define SIDESTEP_SWITCH_ROUTE_WAY(v) ((uint32_t)(v) << 0 & 0x00000003u)
#define SIDESTEP_SWITCH_ROUTE_WAY_GET(w) (((uint32_t)(w) & 0x00000003u) >> 0)
enum sidestep_switch_route_way {
  SIDESTEP_SWITCH_ROUTE_WAY_ECMP = 0, /* by the flow's hash */
  SIDESTEP_SWITCH_ROUTE_WAY_SPRAY_RANDOM = 1, /* one drawn for each frame */
  SIDESTEP_SWITCH_ROUTE_WAY_SPRAY_COUNTER = 2, /* the one with the fewest bytes sent */
  SIDESTEP_SWITCH_ROUTE_WAY_SPRAY_RR = 3 /* in turn */
};
/* TIES: of counters that are equal */
#define SIDESTEP_SWITCH_ROUTE_TIES_MASK 0x0000000cu
#define SIDESTEP_SWITCH_ROUTE_TIES_SHIFT 2
#define SIDESTEP_SWITCH_ROUTE_TIES(v) ((uint32_t)(v) << 2 & 0x0000000cu)
#define SIDESTEP_SWITCH_ROUTE_TIES_GET(w) (((uint32_t)(w) & 0x0000000cu) >> 2)
enum sidestep_switch_route_ties {
  SIDESTEP_SWITCH_ROUTE_TIES_TURN = 0,
  SIDESTEP_SWITCH_ROUTE_TIES_FIRST = 1,
  SIDESTEP_SWITCH_ROUTE_TIES_RANDOM = 2
};
/* PER: turns are taken by each */
#define SIDESTEP_SWITCH_ROUTE_PER_MASK 0x00000030u
#define SIDESTEP_SWITCH_ROUTE_PER_SHIFT 4
#define SIDESTEP_SWITCH_ROUTE_PER(v) ((uint32_t)(v) << 4 & 0x00000030u)
#define SIDESTEP_SWITCH_ROUTE_PER_GET(w) (((uint32_t)(w) & 0x00000030u) >> 4)
enum sidestep_switch_route_per {
  SIDESTEP_SWITCH_ROUTE_PER_FLOW = 0,
  SIDESTEP_SWITCH_ROUTE_PER_ENTRY = 1, /* of the table, which is a destination */
  SIDESTEP_SWITCH_ROUTE_PER_SWITCH = 2
};
/* START: turns begin */
#define SIDESTEP_SWITCH_ROUTE_START_MASK 0x00000040u
#define SIDESTEP_SWITCH_ROUTE_START_SHIFT 6
#define SIDESTEP_SWITCH_ROUTE_START(v) ((uint32_t)(v) << 6 & 0x00000040u)
#define SIDESTEP_SWITCH_ROUTE_START_GET(w) (((uint32_t)(w) & 0x00000040u) >> 6)
enum sidestep_switch_route_start {
  SIDESTEP_SWITCH_ROUTE_START_HASH = 0, /* where the hash would send the flow */
  SIDESTEP_SWITCH_ROUTE_START_FIRST = 1 /* the first port */
};
/* POWER: a route of its own */
#define SIDESTEP_SWITCH_ROUTE_POWER_MASK 0x00000080u
#define SIDESTEP_SWITCH_ROUTE_POWER_SHIFT 7
#define SIDESTEP_SWITCH_ROUTE_POWER(v) ((uint32_t)(v) << 7 & 0x00000080u)
#define SIDESTEP_SWITCH_ROUTE_POWER_GET(w) (((uint32_t)(w) & 0x00000080u) >> 7)
enum sidestep_switch_route_power {
  SIDESTEP_SWITCH_ROUTE_POWER_BY_WAY = 0, /* what bits 1:0 say */
  SIDESTEP_SWITCH_ROUTE_POWER_POWER_OF_TWO = 1 /* of two drawn ports the one with the shorter queue; bits 1:0 must be 0 */
};
/* ACKS: TCP in IPv4 packets of at most so many bytes takes its flow's port by the hash; 0: none does */
#define SIDESTEP_SWITCH_ROUTE_ACKS_MASK 0x0000ff00u
#define SIDESTEP_SWITCH_ROUTE_ACKS_SHIFT 8
#define SIDESTEP_SWITCH_ROUTE_ACKS(v) ((uint32_t)(v) << 8 & 0x0000ff00u)
#define SIDESTEP_SWITCH_ROUTE_ACKS_GET(w) (((uint32_t)(w) & 0x0000ff00u) >> 8)
/* BURST: of turns: frames a turn, less one */
#define SIDESTEP_SWITCH_ROUTE_BURST_MASK 0x00ff0000u
#define SIDESTEP_SWITCH_ROUTE_BURST_SHIFT 16
#define SIDESTEP_SWITCH_ROUTE_BURST(v) ((uint32_t)(v) << 16 & 0x00ff0000u)
#define SIDESTEP_SWITCH_ROUTE_BURST_GET(w) (((uint32_t)(w) & 0x00ff0000u) >> 16)
/* SHUFFLE: of turns: rounds in one order; 0: orders stay */
#define SIDESTEP_SWITCH_ROUTE_SHUFFLE_MASK 0xff000000u
#define SIDESTEP_SWITCH_ROUTE_SHUFFLE_SHIFT 24
#define SIDESTEP_SWITCH_ROUTE_SHUFFLE(v) ((uint32_t)(v) << 24 & 0xff000000u)
#define SIDESTEP_SWITCH_ROUTE_SHUFFLE_GET(w) (((uint32_t)(w) & 0xff000000u) >> 24)

/* SEED (w) */
#define SIDESTEP_SWITCH_SEED_ADDR 0x028u
/* VALUE: writing begins the draws anew */
#define SIDESTEP_SWITCH_SEED_VALUE_MASK 0xffffffffu
#define SIDESTEP_SWITCH_SEED_VALUE_SHIFT 0
#define SIDESTEP_SWITCH_SEED_VALUE(v) ((uint32_t)(v) << 0 & 0xffffffffu)
#define SIDESTEP_SWITCH_SEED_VALUE_GET(w) (((uint32_t)(w) & 0xffffffffu) >> 0)

/* BUFFER (rw): what becomes of a frame that does not fit; after reset 1 with Dibs 3, 6 with Ranked, else Dibs */
#define SIDESTEP_SWITCH_BUFFER_ADDR 0x02cu
/* POLICY: the policy */
#define SIDESTEP_SWITCH_BUFFER_POLICY_MASK 0x00000007u
#define SIDESTEP_SWITCH_BUFFER_POLICY_SHIFT 0
#define SIDESTEP_SWITCH_BUFFER_POLICY(v) ((uint32_t)(v) << 0 & 0x00000007u)
#define SIDESTEP_SWITCH_BUFFER_POLICY_GET(w) (((uint32_t)(w) & 0x00000007u) >> 0)
enum sidestep_switch_buffer_policy {
  SIDESTEP_SWITCH_BUFFER_POLICY_DROPTAIL = 0, /* it is dropped */
  SIDESTEP_SWITCH_BUFFER_POLICY_DIBS = 1, /* detoured to an open port, each with the same chance */
  SIDESTEP_SWITCH_BUFFER_POLICY_DIBS_FIRST_OPEN = 2, /* to the first open port from a drawn one on */
  SIDESTEP_SWITCH_BUFFER_POLICY_DIBS_LOAD_AWARE = 3, /* to the open port with the fewest frames */
  SIDESTEP_SWITCH_BUFFER_POLICY_DIBS_FLOW = 4, /* to the first open port in an order of its flow */
  SIDESTEP_SWITCH_BUFFER_POLICY_DIBS_PROBABILISTIC = 5, /* early as well, by EARLY */
  SIDESTEP_SWITCH_BUFFER_POLICY_VERTIGO = 6 /* the largest rank leaves */
};
/* PLAIN: frames that are no IPv4 */
#define SIDESTEP_SWITCH_BUFFER_PLAIN_MASK 0x00000030u
#define SIDESTEP_SWITCH_BUFFER_PLAIN_SHIFT 4
#define SIDESTEP_SWITCH_BUFFER_PLAIN(v) ((uint32_t)(v) << 4 & 0x00000030u)
#define SIDESTEP_SWITCH_BUFFER_PLAIN_GET(w) (((uint32_t)(w) & 0x00000030u) >> 4)
enum sidestep_switch_buffer_plain {
  SIDESTEP_SWITCH_BUFFER_PLAIN_AS_OTHERS = 0,
  SIDESTEP_SWITCH_BUFFER_PLAIN_FROM_HOSTS = 1, /* only where they came by a port that leads to no switch */
  SIDESTEP_SWITCH_BUFFER_PLAIN_NEVER = 2,
  SIDESTEP_SWITCH_BUFFER_PLAIN_NEVER_TOO = 3
};
/* FAVOUR: frames of this class of service (DSCP) and below never leave early */
#define SIDESTEP_SWITCH_BUFFER_FAVOUR_MASK 0x00003f00u
#define SIDESTEP_SWITCH_BUFFER_FAVOUR_SHIFT 8
#define SIDESTEP_SWITCH_BUFFER_FAVOUR(v) ((uint32_t)(v) << 8 & 0x00003f00u)
#define SIDESTEP_SWITCH_BUFFER_FAVOUR_GET(w) (((uint32_t)(w) & 0x00003f00u) >> 8)

/* KEY_LOW (w) */
#define SIDESTEP_SWITCH_KEY_LOW_ADDR 0x030u
#define SIDESTEP_SWITCH_KEY_LOW_RESET 0x00000000u
/* ADDRESS: address, low 32 bits */
#define SIDESTEP_SWITCH_KEY_LOW_ADDRESS_MASK 0xffffffffu
#define SIDESTEP_SWITCH_KEY_LOW_ADDRESS_SHIFT 0
#define SIDESTEP_SWITCH_KEY_LOW_ADDRESS(v) ((uint32_t)(v) << 0 & 0xffffffffu)
#define SIDESTEP_SWITCH_KEY_LOW_ADDRESS_GET(w) (((uint32_t)(w) & 0xffffffffu) >> 0)

/* KEY_HIGH (w) */
#define SIDESTEP_SWITCH_KEY_HIGH_ADDR 0x034u
#define SIDESTEP_SWITCH_KEY_HIGH_RESET 0x00000000u
/* ADDRESS: address, high 16 bits */
#define SIDESTEP_SWITCH_KEY_HIGH_ADDRESS_MASK 0x0000ffffu
#define SIDESTEP_SWITCH_KEY_HIGH_ADDRESS_SHIFT 0
#define SIDESTEP_SWITCH_KEY_HIGH_ADDRESS(v) ((uint32_t)(v) << 0 & 0x0000ffffu)
#define SIDESTEP_SWITCH_KEY_HIGH_ADDRESS_GET(w) (((uint32_t)(w) & 0x0000ffffu) >> 0)
/* IP: an IPv4 address */
#define SIDESTEP_SWITCH_KEY_HIGH_IP_MASK 0x00010000u
#define SIDESTEP_SWITCH_KEY_HIGH_IP_SHIFT 16
#define SIDESTEP_SWITCH_KEY_HIGH_IP(v) ((uint32_t)(v) << 16 & 0x00010000u)
#define SIDESTEP_SWITCH_KEY_HIGH_IP_GET(w) (((uint32_t)(w) & 0x00010000u) >> 16)
/* USED: the entry counts */
#define SIDESTEP_SWITCH_KEY_HIGH_USED_MASK 0x80000000u
#define SIDESTEP_SWITCH_KEY_HIGH_USED_SHIFT 31
#define SIDESTEP_SWITCH_KEY_HIGH_USED(v) ((uint32_t)(v) << 31 & 0x80000000u)
#define SIDESTEP_SWITCH_KEY_HIGH_USED_GET(w) (((uint32_t)(w) & 0x80000000u) >> 31)

/* KEY_PORTS (w) */
#define SIDESTEP_SWITCH_KEY_PORTS_ADDR 0x038u
#define SIDESTEP_SWITCH_KEY_PORTS_RESET 0x00000000u
/* PORTS: ports on shortest paths, one bit each */
#define SIDESTEP_SWITCH_KEY_PORTS_PORTS_MASK 0x0000ffffu
#define SIDESTEP_SWITCH_KEY_PORTS_PORTS_SHIFT 0
#define SIDESTEP_SWITCH_KEY_PORTS_PORTS(v) ((uint32_t)(v) << 0 & 0x0000ffffu)
#define SIDESTEP_SWITCH_KEY_PORTS_PORTS_GET(w) (((uint32_t)(w) & 0x0000ffffu) >> 0)

/* TABLE_WRITE (w) */
#define SIDESTEP_SWITCH_TABLE_WRITE_ADDR 0x03cu
/* AT: writing stores the entry there: bank in bit IndexW, place below */
#define SIDESTEP_SWITCH_TABLE_WRITE_AT_MASK 0x000001ffu
#define SIDESTEP_SWITCH_TABLE_WRITE_AT_SHIFT 0
#define SIDESTEP_SWITCH_TABLE_WRITE_AT(v) ((uint32_t)(v) << 0 & 0x000001ffu)
#define SIDESTEP_SWITCH_TABLE_WRITE_AT_GET(w) (((uint32_t)(w) & 0x000001ffu) >> 0)

/* EARLY (rw): frames in a queue, with Dibs 3; all 0: none leaves early */
#define SIDESTEP_SWITCH_EARLY_ADDR 0x040u
#define SIDESTEP_SWITCH_EARLY_RESET 0x00000000u
/* START: where early detours begin */
#define SIDESTEP_SWITCH_EARLY_START_MASK 0x0000ffffu
#define SIDESTEP_SWITCH_EARLY_START_SHIFT 0
#define SIDESTEP_SWITCH_EARLY_START(v) ((uint32_t)(v) << 0 & 0x0000ffffu)
#define SIDESTEP_SWITCH_EARLY_START_GET(w) (((uint32_t)(w) & 0x0000ffffu) >> 0)
/* FULL: where they are certain */
#define SIDESTEP_SWITCH_EARLY_FULL_MASK 0xffff0000u
#define SIDESTEP_SWITCH_EARLY_FULL_SHIFT 16
#define SIDESTEP_SWITCH_EARLY_FULL(v) ((uint32_t)(v) << 16 & 0xffff0000u)
#define SIDESTEP_SWITCH_EARLY_FULL_GET(w) (((uint32_t)(w) & 0xffff0000u) >> 16)

/* RANK (rw): where tags are and what is done by them; with Ranked 1 */
#define SIDESTEP_SWITCH_RANK_ADDR 0x044u
#define SIDESTEP_SWITCH_RANK_RESET 0x00000111u
/* TAGS: where the tag of a frame is; 3 is refused */
#define SIDESTEP_SWITCH_RANK_TAGS_MASK 0x00000003u
#define SIDESTEP_SWITCH_RANK_TAGS_SHIFT 0
#define SIDESTEP_SWITCH_RANK_TAGS(v) ((uint32_t)(v) << 0 & 0x00000003u)
#define SIDESTEP_SWITCH_RANK_TAGS_GET(w) (((uint32_t)(w) & 0x00000003u) >> 0)
enum sidestep_switch_rank_tags {
  SIDESTEP_SWITCH_RANK_TAGS_NONE = 0, /* nowhere, and all ranks are 0, so that queues are FIFOs */
  SIDESTEP_SWITCH_RANK_TAGS_BETWEEN = 1, /* between Ethernet and IP, 7 bytes */
  SIDESTEP_SWITCH_RANK_TAGS_OPTION = 2 /* the first option of IPv4, 8 bytes */
};
/* BOOST: log2 of boost, 0 to 3: bits by which the number is shifted for each time that the packet was sent again */
#define SIDESTEP_SWITCH_RANK_BOOST_MASK 0x00000030u
#define SIDESTEP_SWITCH_RANK_BOOST_SHIFT 4
#define SIDESTEP_SWITCH_RANK_BOOST(v) ((uint32_t)(v) << 4 & 0x00000030u)
#define SIDESTEP_SWITCH_RANK_BOOST_GET(w) (((uint32_t)(w) & 0x00000030u) >> 4)
/* DEFLECT: 0: the largest is dropped and not moved */
#define SIDESTEP_SWITCH_RANK_DEFLECT_MASK 0x00000100u
#define SIDESTEP_SWITCH_RANK_DEFLECT_SHIFT 8
#define SIDESTEP_SWITCH_RANK_DEFLECT(v) ((uint32_t)(v) << 8 & 0x00000100u)
#define SIDESTEP_SWITCH_RANK_DEFLECT_GET(w) (((uint32_t)(w) & 0x00000100u) >> 8)

/* COUNTER_IN (r): frames in, sound or not; by the port they came by */
#define SIDESTEP_SWITCH_COUNTER_IN_ADDR(port) (0x400u + 4u * (uint32_t)(port))

/* COUNTER_OUT (r): frames out; by the port they left by */
#define SIDESTEP_SWITCH_COUNTER_OUT_ADDR(port) (0x440u + 4u * (uint32_t)(port))

/* COUNTER_BAD (r): dropped: broken, short, long; by the port they came by */
#define SIDESTEP_SWITCH_COUNTER_BAD_ADDR(port) (0x480u + 4u * (uint32_t)(port))

/* COUNTER_MALFORMED (r): dropped: malformed IPv4; by the port they came by */
#define SIDESTEP_SWITCH_COUNTER_MALFORMED_ADDR(port) (0x4c0u + 4u * (uint32_t)(port))

/* COUNTER_TTL (r): dropped: time to live; by the port they came by */
#define SIDESTEP_SWITCH_COUNTER_TTL_ADDR(port) (0x500u + 4u * (uint32_t)(port))

/* COUNTER_NO_ENTRY (r): dropped: no entry; by the port they came by */
#define SIDESTEP_SWITCH_COUNTER_NO_ENTRY_ADDR(port) (0x540u + 4u * (uint32_t)(port))

/* COUNTER_FULL (r): dropped: full; by the port they wanted */
#define SIDESTEP_SWITCH_COUNTER_FULL_ADDR(port) (0x580u + 4u * (uint32_t)(port))

/* COUNTER_DETOUR_FROM (r): detoured; by the port they wanted */
#define SIDESTEP_SWITCH_COUNTER_DETOUR_FROM_ADDR(port) (0x5c0u + 4u * (uint32_t)(port))

/* COUNTER_DETOUR_TO (r): detoured; by the port they were sent to */
#define SIDESTEP_SWITCH_COUNTER_DETOUR_TO_ADDR(port) (0x600u + 4u * (uint32_t)(port))

/* COUNTER_MARK (r): marked (not those that had the mark); by the port they were sent to */
#define SIDESTEP_SWITCH_COUNTER_MARK_ADDR(port) (0x640u + 4u * (uint32_t)(port))

/* COUNTER_QUEUED (r): not a counter: frames in the queue now */
#define SIDESTEP_SWITCH_COUNTER_QUEUED_ADDR(port) (0x680u + 4u * (uint32_t)(port))

/* COUNTER_BYTES_IN (r): bytes of sound frames in, without FCS; by the port they came by; 2^32 wrap in 4.3 s at 8
   Gbps; with Bytes */
#define SIDESTEP_SWITCH_COUNTER_BYTES_IN_ADDR(port) (0x6c0u + 4u * (uint32_t)(port))

/* COUNTER_BYTES_OUT (r): bytes out, without FCS; by the port they left by; with Bytes */
#define SIDESTEP_SWITCH_COUNTER_BYTES_OUT_ADDR(port) (0x700u + 4u * (uint32_t)(port))

/* COUNTER_EVICTED (r): dropped: after it had waited; by the port it waited at; with Ranked 1 */
#define SIDESTEP_SWITCH_COUNTER_EVICTED_ADDR(port) (0x740u + 4u * (uint32_t)(port))

#endif /* SIDESTEP_SWITCH_H */
