/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a switch decides about one packet: which port it wants, whether it fits there, where it goes instead.
 *
 * Decision     that of crates/switch: routes single, ecmp, spray-random, and those of turns.h; buffers droptail, ecn, dibs
 *              and dibs-first-open. `sidestep vectors` says it row by row, and the program sidestep_row answers those
 *              rows with these functions.
 * State        the two streams of draws, in the map.
 * Units        bytes of buffer; masks have bit p for port p.
 * Errors       none; a policy that is not here is refused before the program is loaded (ebpf/plan.rs).
 * Source       as of each policy in crates/switch; xoshiro256++ and splitmix64 as in crates/types/src/chance.rs.
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

/* The policies and their parameters; laid out as ebpf/layout.rs writes it. */
struct rule {
	__u64 salt;        /* of the switch */
	__u64 hash_salt;   /* what ecmp mixes: the salt, or 0 */
	__u64 packets;     /* capacity of each port, at most a ring; NEVER where it is in bytes */
	__u64 bytes;       /* the same in bytes; NEVER where it is in packets */
	__u64 mark_packets; /* a queue that holds so much marks; NEVER */
	__u64 mark_bytes;
	__u64 to_switch;   /* mask: ports that take detours */
	__u32 ports;
	__u8 route;
	__u8 buffer;
	__u8 back;         /* a detour may go back where the packet came from */
	__u8 mark_detours;
	__u8 max_detours;  /* 0: no limit */
	__u8 acks_by_hash; /* what carries no data goes as with ecmp */
	__u8 per;          /* spray-rr: what takes turns of its own */
	__u8 ties;         /* spray-counter: who is taken of equal ones */
	__u8 queued;       /* spray-counter: 1 compares queues */
	__u8 shared;       /* 1: all queues share a memory */
	__u8 nothing[2];
	__u64 memory;      /* of all queues; NEVER where each port has its own */
	__u64 alpha_over;  /* a queue may have alpha times what is free: numerator, and denominator, 0 for no limit */
	__u64 alpha_under;
	__u32 limit;       /* spray-counter: most that a counter holds */
	__u32 table;       /* spray-rr: places less one, by which hashes of flows and hosts are cut */
	__u32 burst;       /* spray-rr: packets in a turn */
	__u32 rounds;      /* spray-rr: rounds in one order; 0 where it stays */
};

/* What a switch decides by is known as its program is built, so that neither the verifier nor a frame goes the ways of other
 * policies. The program that answers rows is told in each. */
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

/* A level that no queue reaches. */
#define NEVER (1ull << 62)

/* xoshiro256++. */
struct stream {
	__u64 state[4];
};

/* What is looked at of a packet. */
struct packet {
	__u32 hash;    /* of its flow */
	__u32 host;    /* a number for where it goes */
	__u32 buffer;  /* bytes of buffer that it takes */
	__u8 data;     /* it carries data */
	__u8 ttl;      /* after this switch has lowered it */
	__u8 detours;  /* so far, as far as that is known */
	__u8 ingress;  /* the port that it came by, or NO_PORT */
};

/* The ports toward a station. */
struct way {
	__u32 many;
	__u32 set;    /* a number for this very list of ports */
	__u32 prefix; /* and for the station */
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

/* floor(draw * n / 2^32). */
static __always_inline __u32 scale(__u32 draw, __u32 n)
{
	return (__u64)draw * n >> 32;
}

/* The upper half of the next 64 bits. */
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

/* 1 where a < b, both below 2^63: without a branch, of which the verifier would follow both ways in each of many ports. */
static __always_inline __u64 below(__u64 a, __u64 b)
{
	__u64 sign = a - b;

	/* Or the compiler would see through it. */
	asm volatile("" : "+r"(sign));
	return sign >> 63;
}

/* Is there room in a queue this deep, where all of them hold `used` bytes? */
static __always_inline __u64 fits(const struct rule *rule, struct depth depth, __u32 bytes, __u64 used)
{
	__u64 room = below(depth.packets, rule->packets) & below((__u64)depth.bytes + bytes, rule->bytes + 1);
	__u64 free = (rule->memory - used) & -below(used, rule->memory);

	if (!SHARED(rule))
		return room;
	return room & below(depth.bytes * rule->alpha_under, free * rule->alpha_over) & below(bytes, free + 1);
}

/* Does a queue this deep mark what joins it? */
static __always_inline __u32 steps(const struct rule *rule, struct depth depth)
{
	return 1 ^ (below(depth.packets, rule->mark_packets) & below(depth.bytes, rule->mark_bytes));
}

/* The verdict on a packet that fits where it wants to go. */
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

/* Of a packet that does not fit: why it may not be detoured, or -1. */
static __always_inline int stays(const struct rule *rule, const struct packet *packet)
{
	if (BUFFER(rule) != BUFFER_DIBS && BUFFER(rule) != BUFFER_DIBS_FIRST_OPEN)
		return DROP_FULL;
	if (rule->max_detours && packet->detours >= rule->max_detours)
		return DROP_DETOURS;
	return -1;
}

/* The ports that it may be detoured to, full or not. */
static __always_inline __u64 allowed(const struct rule *rule, const struct packet *packet)
{
	__u64 mask = rule->to_switch;

	if (!rule->back && packet->ingress < 64)
		mask &= ~(1ull << packet->ingress);
	return mask;
}

/* Of the ports in `open` number `at`, from the lowest on. There are more than that. */
static __always_inline __u32 nth(__u64 open, __u32 at)
{
	__u64 before = 0, port = 0;

	for (__u32 p = 0; p < SIDESTEP_PORTS; p++) {
		__u64 bit = open >> p & 1;

		/* It is this one where as many are before it as `at` says. */
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

/* The port of `open` that a detour takes; one number is drawn, whether or not there is one. */
static __always_inline __u32 detour(const struct rule *rule, __u64 open, struct stream *stream)
{
	__u32 drawn = draw(stream);
	__u32 start;

	if (!open)
		return NO_PORT;
	if (BUFFER(rule) == BUFFER_DIBS)
		return nth(open, scale(drawn, many(open)));
	/* The first open one from a drawn port on, and around. */
	start = scale(drawn, rule->ports) & 63;
	if (open >> start)
		open = open >> start << start;
	return nth(open, 0);
}

#endif
