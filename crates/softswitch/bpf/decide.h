/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Decision on one packet: the port that the route chooses, whether the packet fits there, and its detour.
 *
 * Decision     that of crates/switch: routes single, ecmp, spray-random, and those of turns.h; buffers droptail, ecn, dibs
 *              and dibs-first-open. `sidestep vectors` lists it row by row, and the program sidestep_row answers those
 *              rows with these functions.
 * State        two streams of random draws, in the map.
 * Units        bytes of buffer; bit p of a mask is port p.
 * Errors       none; other policies are refused before the program is loaded (ebpf/plan.rs).
 * Source       that of each policy in crates/switch; xoshiro256++ and splitmix64 as in crates/types/src/chance.rs.
 * Deviations   none: the rows are the same.
 */
#ifndef SIDESTEP_DECIDE_H
#define SIDESTEP_DECIDE_H

#define ROUTE_SINGLE 0
#define ROUTE_ECMP 1
#define ROUTE_SPRAY_RANDOM 2
#define ROUTE_SPRAY_RR 3
#define ROUTE_SPRAY_COUNTER 4

#define BUFFER_DROPTAIL 0
#define BUFFER_ECN 1
#define BUFFER_DIBS 2
#define BUFFER_DIBS_FIRST_OPEN 3

#define NO_PORT 255u

/* Verdicts. */
#define ENQUEUE 0
#define DETOUR 1
#define DROP 2

struct depth {
	__u32 packets;
	__u32 bytes;
};

/* Policies and their parameters, in the layout that ebpf/layout.rs writes. */
struct rule {
	__u64 salt;        /* of the switch */
	__u64 hash_salt;   /* for ecmp: the salt, or 0 */
	__u64 packets;     /* capacity of each port, at most a ring; NEVER if it is in bytes */
	__u64 bytes;       /* capacity in bytes; NEVER if it is in packets */
	__u64 mark_packets; /* a queue of this length marks; NEVER for none */
	__u64 mark_bytes;
	__u64 to_switch;   /* mask: ports that accept detours */
	__u32 ports;
	__u8 route;
	__u8 buffer;
	__u8 back;         /* a detour may use the packet's ingress port */
	__u8 mark_detours;
	__u8 max_detours;  /* 0: no limit */
	__u8 acks_by_hash; /* packets without data are routed as with ecmp */
	__u8 per;          /* spray-rr: packets that share turns (turns.h) */
	__u8 ties;         /* spray-counter: tie-break (turns.h) */
	__u8 queued;       /* spray-counter: 1 compares queues */
	__u8 shared;       /* 1: all queues share a memory */
	__u8 nothing[2];
	__u64 memory;      /* of all queues; NEVER if each port has its own */
	__u64 alpha_over;  /* a queue may hold alpha times the free memory: numerator, and denominator, 0 for no limit */
	__u64 alpha_under;
	__u32 limit;       /* spray-counter: largest value of a counter */
	__u32 table;       /* spray-rr: places minus one, the mask for hashes of flows and hosts */
	__u32 burst;       /* spray-rr: packets in a turn */
	__u32 rounds;      /* spray-rr: rounds in one order; 0 if it never changes */
};

/* A switch's policies are known when its program is built, so that neither the verifier nor a frame takes the paths of other
 * policies. The program that answers rows reads them from each row. */
#ifdef SIDESTEP_ROUTE
#define ROUTE(rule) SIDESTEP_ROUTE
#define BUFFER(rule) SIDESTEP_BUFFER
#define QUEUED(rule) SIDESTEP_QUEUED
#define SHARED(rule) SIDESTEP_SHARED
#else
#define ROUTE(rule) ((rule)->route)
#define BUFFER(rule) ((rule)->buffer)
#define QUEUED(rule) ((rule)->queued)
#define SHARED(rule) ((rule)->shared)
#endif

/* Level that no queue reaches. */
#define NEVER (1ull << 62)

/* Generator xoshiro256++. */
struct stream {
	__u64 state[4];
};

/* Fields of a packet that the decision uses. */
struct packet {
	__u32 hash;    /* of its flow */
	__u32 host;    /* number of its destination */
	__u32 buffer;  /* bytes of buffer that it occupies */
	__u8 data;     /* it carries data */
	__u8 ttl;      /* after this switch has decremented it */
	__u8 detours;  /* detours so far, as far as known */
	__u8 ingress;  /* ingress port, or NO_PORT */
};

/* Ports toward a station. */
struct way {
	__u32 many;
	__u32 set;    /* number of this list of ports */
	__u32 prefix; /* number of the station */
	__u8 ports[SIDESTEP_PORTS];
};

struct verdict {
	__u32 what;
	__u32 port;
	__u32 mark;    /* if it can be marked */
	__u32 reason;  /* of a drop */
};

static __always_inline __u64 rotate(__u64 x, __u32 by)
{
	return x << by | x >> (64 - by);
}

static __always_inline __u64 mix64(__u64 x)
{
	__u64 z = x + 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Returns floor(draw * n / 2^32). */
static __always_inline __u32 scale(__u32 draw, __u32 n)
{
	return (__u64)draw * n >> 32;
}

/* Returns the upper half of the next 64 bits. */
static __always_inline __u32 draw(struct stream *stream)
{
	__u64 *s = stream->state;
	__u64 out = rotate(s[0] + s[3], 23) + s[0];
	__u64 t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return out >> 32;
}

/* Returns 1 if a < b, both below 2^63. Without a branch, since the verifier would follow both sides for each of many ports. */
static __always_inline __u64 below(__u64 a, __u64 b)
{
	__u64 sign = a - b;

	/* Hides the value, or the compiler would make it a branch. */
	asm volatile("" : "+r"(sign));
	return sign >> 63;
}

/* Returns 1 if the packet fits into a queue this deep, while all queues hold `used` bytes. */
static __always_inline __u64 fits(const struct rule *rule, struct depth depth, __u32 bytes, __u64 used)
{
	__u64 room = below(depth.packets, rule->packets) & below((__u64)depth.bytes + bytes, rule->bytes + 1);
	__u64 free = (rule->memory - used) & -below(used, rule->memory);

	if (!SHARED(rule))
		return room;
	return room & below(depth.bytes * rule->alpha_under, free * rule->alpha_over) & below(bytes, free + 1);
}

/* Returns 1 if a queue this deep marks packets that join it. */
static __always_inline __u32 steps(const struct rule *rule, struct depth depth)
{
	return 1 ^ (below(depth.packets, rule->mark_packets) & below(depth.bytes, rule->mark_bytes));
}

/* Returns the verdict on a packet that fits into the queue of its port. */
static __always_inline struct verdict keep(const struct rule *rule, __u32 want, struct depth depth)
{
	struct verdict kept = { ENQUEUE, want, 0, 0 };

	if (BUFFER(rule) != BUFFER_DROPTAIL)
		kept.mark = steps(rule, depth);
	return kept;
}

static __always_inline struct verdict lost(__u32 want, __u32 reason)
{
	struct verdict lost = { DROP, want, 0, reason };

	return lost;
}

/* Returns why a packet that does not fit may not be detoured, or -1 if it may. */
static __always_inline int stays(const struct rule *rule, const struct packet *packet)
{
	if (BUFFER(rule) != BUFFER_DIBS && BUFFER(rule) != BUFFER_DIBS_FIRST_OPEN)
		return DROP_FULL;
	if (rule->max_detours && packet->detours >= rule->max_detours)
		return DROP_DETOURS;
	return -1;
}

/* Returns the ports that the packet may be detoured to, full or not. */
static __always_inline __u64 allowed(const struct rule *rule, const struct packet *packet)
{
	__u64 mask = rule->to_switch;

	if (!rule->back && packet->ingress < 64)
		mask &= ~(1ull << packet->ingress);
	return mask;
}

/* Returns port number `at` of those in `open`, from the lowest on. `open` must have more than `at` ports. */
static __always_inline __u32 nth(__u64 open, __u32 at)
{
	__u64 before = 0, port = 0;

	for (__u32 p = 0; p < SIDESTEP_PORTS; p++) {
		__u64 bit = open >> p & 1;

		/* The port with `at` ports before it. */
		port |= -(bit & below(before ^ at, 1)) & p;
		before += bit;
	}
	return port;
}

static __always_inline __u32 many(__u64 mask)
{
	__u32 n = 0;

	for (__u32 p = 0; p < SIDESTEP_PORTS; p++)
		n += mask >> p & 1;
	return n;
}

/* Returns the port of `open` for a detour, or NO_PORT; draws one number in either case. */
static __always_inline __u32 detour(const struct rule *rule, __u64 open, struct stream *stream)
{
	__u32 drawn = draw(stream);
	__u32 start;

	if (!open)
		return NO_PORT;
	if (BUFFER(rule) == BUFFER_DIBS)
		return nth(open, scale(drawn, many(open)));
	/* The first open port from a drawn one on, cyclically. */
	start = scale(drawn, rule->ports) & 63;
	if (open >> start)
		open = open >> start << start;
	return nth(open, 0);
}

#endif
