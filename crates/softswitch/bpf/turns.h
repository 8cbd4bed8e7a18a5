/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Choice of one of several next hops, with the routes' state about earlier packets.
 *
 * Decision     the routes of decide.h; spray-rr uses the hops in turn, spray-counter the one with the fewest bytes.
 * State        `struct memory`: bytes sent by each port, and the turn of each place of a table.
 * Units        bytes on the wire; places in the list of next hops.
 * Errors       none: a table has as many places as the rule can address (ebpf/plan.rs).
 * Source       crates/switch/src/route/spray_rr.rs and spray_counter.rs, least.rs.
 * Deviations   none: the rows are the same.
 */
#ifndef SIDESTEP_TURNS_H
#define SIDESTEP_TURNS_H

/* Values of `per`: packets that share turns. */
#define PER_FLOW 0
#define PER_DESTINATION 1
#define PER_PREFIX 2
#define PER_SWITCH 3

/* Values of `ties`. */
#define TIES_TURN 0
#define TIES_FIRST 1
#define TIES_RANDOM 2

/* Turn of a place that no packet has used yet, and that begins at a drawn hop. */
#define NEW 0xffffu

/* Most next hops, the bits of a mask. */
#define MOST_HOPS 64

/* Turn of one place; the fields after `next` are used with bursts or shuffles. */
struct turn {
	__u16 next;    /* hop of the next packet, or NEW */
	__u16 packets; /* packets that the present hop has had */
	__u16 stride;
	__u16 many;    /* number of next hops of the order */
	__u16 turns;   /* left in the round */
	__u16 rounds;  /* left in the order */
};

/* State of routes, in the layout that ebpf/layout.rs writes. */
struct memory {
	__u32 sent[MOST_HOPS];
	/* For each number of next hops: count and list of the strides that visit each hop once. */
	__u8 strides[MOST_HOPS + 1][MOST_HOPS];
	struct turn of[SIDESTEP_PLACES];
};

static __always_inline struct turn *turn_at(struct memory *memory, __u64 place)
{
	asm volatile("" : "+r"(place));
	return &memory->of[place & (SIDESTEP_PLACES - 1)];
}

/* Returns the port of next hop `at`, which exists: masked, to prove it to the verifier. */
static __always_inline __u32 hop_at(const struct way *way, __u64 at)
{
	asm volatile("" : "+r"(at));
	return way->ports[at & (SIDESTEP_PORTS - 1)];
}

/* Returns the place `stride` behind `at`, cyclically; both are below `many`. */
static __always_inline __u32 step(__u32 at, __u32 stride, __u32 many)
{
	__u32 to = at + stride;

	return to < many ? to : to - many;
}

/* Adapts a place that is new, or had another number of next hops, to `many` of them. */
static __always_inline void meet(struct turn *turn, __u32 many, __u32 rounds)
{
	if (!turn->many) {
		turn->turns = many;
		turn->rounds = rounds;
	} else if (turn->turns > many) {
		turn->turns = many;
	}
	turn->stride = 1;
	turn->many = many;
}

/* Returns the hop of a place's next packet, after one that went to `at` of `many`. */
static __always_inline __u32 next_turn(const struct rule *rule, struct memory *memory, struct turn *turn, __u32 at,
				       __u32 many, struct stream *stream)
{
	__u32 over, drawn, which;

	if (turn->many != many)
		meet(turn, many, rule->rounds);
	turn->packets += 1;
	if (turn->packets < rule->burst)
		return at;
	turn->packets = 0;
	turn->turns -= 1;
	over = turn->turns == 0;
	if (over) {
		turn->turns = many;
		if (turn->rounds)
			turn->rounds -= 1;
	}
	if (!over || !rule->rounds || turn->rounds)
		return step(at, turn->stride, many);
	turn->rounds = rule->rounds;
	/* One draw gives a new order: its start from the whole draw, the stride from the low half. */
	drawn = draw(stream);
	many &= MOST_HOPS * 2 - 1;
	if (many > MOST_HOPS)
		many = MOST_HOPS;
	which = scale(drawn << 16, memory->strides[many][0]) + 1;
	turn->stride = memory->strides[many][which & (MOST_HOPS - 1)];
	return scale(drawn, many);
}

static __always_inline __u32 in_turn(const struct rule *rule, struct memory *memory, const struct packet *packet,
				     const struct way *way, struct stream *stream)
{
	__u32 many = way->many, key = 0, at;
	struct turn *turn;
	__u64 mixed, place;

	if (rule->per == PER_FLOW)
		key = packet->hash;
	else if (rule->per == PER_DESTINATION)
		key = packet->host;
	else if (rule->per == PER_PREFIX)
		key = way->prefix;
	mixed = mix64(rule->salt ^ key);
	place = rule->per <= PER_DESTINATION ? mixed & rule->table : key;
	turn = turn_at(memory, place);
	at = turn->next;
	/* The place is new, or was last used with more next hops. */
	if (at >= many)
		at = at == NEW ? scale(mixed >> 32, many) : 0;
	if (rule->burst > 1 || rule->rounds)
		turn->next = next_turn(rule, memory, turn, at, many, stream);
	else
		turn->next = step(at, 1, many);
	return at;
}

/* Returns the bytes by which next hop `at` is compared. */
static __always_inline __u32 load(const struct rule *rule, struct memory *memory, const struct view *view,
				  const struct way *way, __u32 at)
{
	__u32 port = way->ports[at];

	if (view->still)
		return QUEUED(rule) ? view->still[port & 7].bytes : memory->sent[port & (MOST_HOPS - 1)];
	return QUEUED(rule) ? look(view, port).bytes : memory->sent[port & (MOST_HOPS - 1)];
}

/* Counts a packet at its port; no counter exceeds the limit. */
static __always_inline void count(const struct rule *rule, struct memory *memory, __u32 port, __u32 bytes)
{
	__u32 *counter = &memory->sent[port & (MOST_HOPS - 1)];
	__u64 least = *counter;

	if (bytes > rule->limit)
		bytes = rule->limit;
	if (least + bytes <= rule->limit) {
		*counter += bytes;
		return;
	}
	for (__u32 p = 0; p < SIDESTEP_PORTS; p++) {
		__u64 sent = memory->sent[p];

		memory->sent[p] = (sent - least) & -below(least, sent);
	}
	*counter = bytes;
}

static __always_inline __u32 fewest(const struct rule *rule, struct memory *memory, const struct view *view,
				    const struct packet *packet, const struct way *way, struct stream *stream)
{
	__u64 many_hops = way->many, from = 0, best = NEVER, equal = 0;
	struct turn *turn = turn_at(memory, way->set);
	__u32 at;

	if (rule->ties == TIES_TURN)
		from = turn->next & -below(turn->next, many_hops);
	/* The least; at a tie the first from `from` on, cyclically. Without a branch, as in judge.h. */
	for (__u64 hop = 0; hop < SIDESTEP_PORTS; hop++) {
		__u64 wraps = below(hop, from);
		__u64 behind = hop - from + (many_hops & -wraps);
		__u64 rank = (__u64)load(rule, memory, view, way, hop) << 8 | (behind & 255);
		__u64 better = below(rank, best) & below(hop, many_hops);

		best ^= (best ^ rank) & -better;
	}
	if (rule->ties == TIES_RANDOM) {
		for (__u64 hop = 0; hop < SIDESTEP_PORTS; hop++) {
			__u64 is = below(load(rule, memory, view, way, hop) ^ best >> 8, 1) & below(hop, many_hops);

			equal |= is << hop;
		}
		at = nth(equal, scale(draw(stream), many(equal)));
	} else {
		at = step(from, best & 255, many_hops);
		turn->next = at + 1;
	}
	if (!QUEUED(rule))
		count(rule, memory, hop_at(way, at), packet->buffer + UNBUFFERED);
	return at;
}

/* Returns the place of the next hop that the route chooses. */
static __always_inline __u32 pick(const struct rule *rule, struct memory *memory, const struct view *view,
				  const struct packet *packet, const struct way *way, struct stream *stream)
{
	if (way->many <= 1 || ROUTE(rule) == ROUTE_SINGLE)
		return 0;
	if (ROUTE(rule) == ROUTE_ECMP)
		return scale(mix64(rule->hash_salt ^ packet->hash) >> 32, way->many);
	if (rule->acks_by_hash && !packet->data)
		return scale(mix64(rule->salt ^ packet->hash) >> 32, way->many);
	if (ROUTE(rule) == ROUTE_SPRAY_RR)
		return in_turn(rule, memory, packet, way, stream);
	if (ROUTE(rule) == ROUTE_SPRAY_COUNTER)
		return fewest(rule, memory, view, packet, way, stream);
	return scale(draw(stream), way->many);
}

#endif
