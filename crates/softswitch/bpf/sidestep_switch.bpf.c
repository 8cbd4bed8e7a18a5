// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The switch in the kernel: a program at the ingress of every port that reads a frame, decides, and sends it by another
// port, whose token bucket paces it.
//
// Decision     that of `sidestep switch` (crates/softswitch/src/machine), for configs that ebpf/plan.rs accepts.
// State        the map `machines`, one value under one lock: every decision sees all queues as the previous one left them,
//              whichever core makes it. `stations`, `answers` and `interfaces` are only read here.
// Units        picoseconds since the start, bytes without FCS, bytes of buffer with FCS.
// Errors       a frame that is not forwarded is counted by reason, and dropped.
// Source       docs/how-to/ebpf.md; that of each policy in crates/switch.
// Deviations   those of frame.h. A frame leaves its bucket when its first bit would leave the port, not its last.
//
// Built by `sidestep switch` with -D:
//   SIDESTEP_PORTS       most ports, up to 64
//   SIDESTEP_RING_BITS   base-2 logarithm of a queue's slots
//   SIDESTEP_PLACES      places in which a route stores whose turn it is
//   SIDESTEP_ROUTE, SIDESTEP_BUFFER, SIDESTEP_QUEUED, SIDESTEP_SHARED
//                        parts of the rule that choose the program's code; without them it answers rows of the vectors
//   SIDESTEP_STILL       1: the map holds the time, and copies are counted but not sent: for tests

#include "kernel.h"
#include <bpf/bpf_helpers.h>

#include "reasons.h" // generated at build time: the numbers of drop reasons and refusals (ebpf/compile.rs)
#include "decide.h"
#include "frame.h"
#include "line.h"
#include "judge.h"
#include "turns.h"

// Numbers of the kernel: results of a program, and a flag of bpf_skb_store_bytes.
#define ON (-1)
#define SHOT 2
#define RECOMPUTE 1

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// Current frame.
struct work {
	struct frame frame;
	struct packet packet;
	__u32 from;
	__u32 interface;  // egress interface
	__u32 port;
	__u32 marked;
	__u8 answer[48];
	__u64 forget;     // number of the last order to forget peaks
};

// Row of the vectors, and the answer, in the layout that ebpf/layout.rs writes and reads.
struct row {
	struct rule rule;
	struct stream stream;
	struct packet packet;
	__u32 route;       // 1: choose a next hop; 0: decide at port `want`
	__u32 want;
	struct depth depths[8];
	struct verdict verdict;
	struct way way;
};

_Static_assert(sizeof(struct rule) == 112 && __builtin_offsetof(struct machine, port) == 256 &&
		       __builtin_offsetof(struct row, way) == 248,
	       "as ebpf/layout.rs has them");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct machine);
} machines SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct queues);
} queues SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct work);
} works SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct row);
} rows SEC(".maps");

// Number of the last order to forget peaks.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} orders SEC(".maps");

// State of routes.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct memory);
} memories SEC(".maps");

// Ports toward each station, by MAC.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct way);
	__uint(map_flags, BPF_F_NO_PREALLOC);
} stations SEC(".maps");

// MAC of each IPv4 address, which is in network byte order.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
	__uint(map_flags, BPF_F_NO_PREALLOC);
} answers SEC(".maps");

// Port of each interface.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} interfaces SEC(".maps");

#ifdef SIDESTEP_ROUTE

static __always_inline __u64 clock(struct machine *m)
{
#if SIDESTEP_STILL
	return m->now;
#else
	return (bpf_ktime_get_ns() - m->started) * 1000;
#endif
}

// Advances the time; it never goes back, whichever core calls first.
static __always_inline __u64 advance(struct machine *m, __u64 now)
{
	if (now > m->now)
		m->now = now;
	return m->now;
}

static __always_inline void count_in(struct port *port, __u32 length)
{
	port->rx_frames += 1;
	port->rx_bytes += length;
}

// Decides on the current packet, which is routed to `wanted`, and queues it. Returns 1 if it is to be sent. The lock is held.
static __always_inline int decide(struct machine *m, struct queues *q, struct work *w, __u64 now, __u32 wanted,
				  int detours)
{
	struct view view = { m, q, now, 0 };
	struct port *port, *target;
	struct verdict v;
	struct depth met;
	struct last last = {};

	port = port_at(m, wanted);
	v = judge(&m->rule, &w->packet, wanted, &view, &m->buffer_stream, &met);
	queue_at(q, wanted)->met[met.packets & (RING - 1)] += 1;
	if (v.what == DETOUR && !detours)
		v = lost(wanted, DROP_FULL);
	last.what = v.what;
	last.wanted = wanted;
	last.reason = v.reason;
	last.port = v.port;
	if (v.what == DROP) {
		if (v.reason < DROP_REASONS)
			port->drops[v.reason] += 1;
		m->last = last;
		return 0;
	}
	target = port_at(m, v.port);
	last.ahead = target->depth.packets;
	last.marked = v.mark && w->frame.what == IS_IP && w->frame.ecn;
	last.departs = join(target, queue_at(q, v.port), now, w->packet.buffer, w->frame.length, w->forget);
	target->marks += last.marked;
	if (v.what == DETOUR) {
		port->detours_out += 1;
		target->detours_in += 1;
	}
	m->last = last;
	w->port = v.port;
	w->marked = last.marked;
	w->interface = target->interface;
	return 1;
}

static __always_inline void refuse(struct machine *m, __u32 port, int why, __u32 what)
{
	if (why >= 0 && why < REFUSALS)
		port_at(m, port)->refused[why] += 1;
	m->last.what = what;
	m->last.reason = why;
}

// Values of `last.what` besides verdicts.
#define REFUSED 3
#define FLOODED 4
#define ANSWERED 5

// Writes `to` into a word of the header, and updates the checksum of IPv4: RFC 1624.
static __always_inline void replace(__u8 *ip, __u32 at, __u32 to)
{
	__u32 sum = (~two(ip + 10) & 0xffff) + (~two(ip + at) & 0xffff) + to;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	ip[at] = to >> 8;
	ip[at + 1] = to;
	ip[10] = sum >> 8;
	ip[11] = sum;
}

// Writes the changed part of an IP header back.
static __always_inline long store(struct __sk_buff *skb, struct frame *f)
{
	if (f->six)
		return bpf_skb_store_bytes(skb, ETHERNET + 1, f->head + ETHERNET + 1, 7, RECOMPUTE);
	return bpf_skb_store_bytes(skb, ETHERNET + 1, f->head + ETHERNET + 1, 11, RECOMPUTE);
}

// Decrements the time to live if `ages`, and marks.
static __always_inline long change(struct __sk_buff *skb, struct frame *f, int ages, int marked)
{
	__u8 *ip = f->head + ETHERNET;
	int lowers = ages && f->ttl, marks = marked && f->ecn != 3;

	if (f->what != IS_IP || !(lowers || marks))
		return 0;
	if (f->six) {
		if (lowers)
			ip[7] -= 1;
		if (marks)
			ip[1] |= 0x30;
	} else {
		if (lowers)
			replace(ip, 8, (__u32)(ip[8] - 1) << 8 | ip[9]);
		if (marks)
			replace(ip, 0, two(ip) | 3);
	}
	return store(skb, f);
}

static __always_inline void describe(struct work *w, int ages, __u32 from)
{
	struct frame *f = &w->frame;
	__u32 whole = f->length + 4;

	w->packet.hash = f->hash;
	w->packet.host = f->host;
	w->packet.buffer = whole < 64 ? 64 : whole;
	w->packet.data = f->data;
	w->packet.ttl = 255;
	if (ages && f->what == IS_IP)
		w->packet.ttl = f->ttl ? f->ttl - 1 : 0;
	w->packet.detours = 0;
	w->packet.ingress = from;
}

// Sends a copy of the current frame to one more port. A separate function, so that it is verified once for all ports.
__noinline int sidestep_copy(struct __sk_buff *skb, __u32 to)
{
	__u32 zero = 0;
	struct machine *m = bpf_map_lookup_elem(&machines, &zero);
	struct queues *q = bpf_map_lookup_elem(&queues, &zero);
	struct work *w = bpf_map_lookup_elem(&works, &zero);
	struct last last;
	__u64 now;
	int sent;

	// The compiler must not drop this argument even where no copy is sent: the verifier requires it.
	asm volatile("" : "+r"(skb));
	if (!m || !q || !w)
		return 0;
	now = clock(m);
	bpf_spin_lock(&m->lock);
	now = advance(m, now);
	port_at(m, to)->copies += 1;
	// The result stays "flooded", whatever happens to a copy.
	last = m->last;
	sent = decide(m, q, w, now, to, 0);
	m->last = last;
	bpf_spin_unlock(&m->lock);
	if (!sent)
		return 0;
#if !SIDESTEP_STILL
	if (w->marked && w->frame.ecn != 3) {
		// The mark must not stay for the next copy.
		struct frame *f = &w->frame;
		__u8 *ip = f->head + ETHERNET;
		__u8 old[2];

		old[0] = ip[0];
		old[1] = ip[1];
		change(skb, f, 0, 1);
		bpf_clone_redirect(skb, w->interface, 0);
		if (f->six)
			ip[1] = old[1];
		else
			replace(ip, 0, two(old));
		store(skb, f);
		return 1;
	}
	bpf_clone_redirect(skb, w->interface, 0);
#endif
	return 1;
}

// Sends a clone and drops the original. Over veth a frame keeps the socket of its sender (skb->sk) until a host's stack
// reads it, and a redirected frame would wait in the emulated network at that socket's expense: the sender's small queue
// (TSQ) stops a flow whose window is open, and TCP does not repeat a segment that it takes for still queued in the host.
// A clone has no socket, and the drop of the original returns its memory to the sender.
static __always_inline int send(struct __sk_buff *skb, struct work *w)
{
#if SIDESTEP_STILL
	return 7;
#else
	bpf_clone_redirect(skb, w->interface, 0);
	return SHOT;
#endif
}

// Answers a request for an address, by its ingress port.
static __always_inline int answer(struct __sk_buff *skb, struct machine *m, struct queues *q, struct work *w, __u64 now,
				  __u64 has)
{
	struct frame *f = &w->frame;
	__u8 *out = w->answer;
	int sent;

	__builtin_memcpy(out, f->head + 6, 6);
	for (int i = 0; i < 6; i++)
		out[6 + i] = has >> (40 - 8 * i);
	__builtin_memcpy(out + 12, f->head + 12, 8);
	out[20] = 0;
	out[21] = 2;
	__builtin_memcpy(out + 22, out + 6, 6);
	__builtin_memcpy(out + 28, f->head + 38, 4);
	__builtin_memcpy(out + 32, f->head + 22, 10);
	f->to = f->from;
	f->from = has;
	f->hash = mix64(mix64(f->to) ^ f->from);
	f->host = mix64(f->to);
	f->what = IS_OTHER;
	f->data = 1;
	bpf_spin_lock(&m->lock);
	now = advance(m, now);
	count_in(port_at(m, w->from), f->length);
	port_at(m, w->from)->answered += 1;
	f->length = 42;
	describe(w, 0, NO_PORT);
	sent = decide(m, q, w, now, w->from, 0);
	bpf_spin_unlock(&m->lock);
	if (!sent || bpf_skb_change_tail(skb, 42, 0) || bpf_skb_store_bytes(skb, 0, out, 42, RECOMPUTE))
		return SHOT;
	return send(skb, w);
}

static __always_inline int flood(struct __sk_buff *skb, struct machine *m, struct work *w, __u64 now)
{
	__u64 mask = 0;

	bpf_spin_lock(&m->lock);
	advance(m, now);
	count_in(port_at(m, w->from), w->frame.length);
	port_at(m, w->from)->floods += 1;
	mask = m->flood;
	m->last.what = FLOODED;
	bpf_spin_unlock(&m->lock);
	describe(w, 0, w->from);
	for (__u32 to = 0; to < SIDESTEP_PORTS; to++)
		if (mask >> to & 1 && to != w->from)
			sidestep_copy(skb, to);
	return SHOT;
}

static __always_inline int forward(struct __sk_buff *skb, struct machine *m, struct queues *q, struct memory *memory,
				   struct work *w, __u64 now, const struct way *way)
{
	struct view view = { m, q, now, 0 };
	struct frame *f = &w->frame;
	__u32 place, wanted;
	int sent = 0, returns;

	describe(w, 1, w->from);
	bpf_spin_lock(&m->lock);
	now = advance(m, now);
	count_in(port_at(m, w->from), f->length);
	view.now = now;
	place = pick(&m->rule, memory, &view, &w->packet, way, &m->route_stream);
	wanted = hop_at(way, place);
	// A real frame does not say whether it was detoured. Only a switch may send one back.
	returns = f->what == IS_IP && m->switches >> (w->from & 63) & 1;
	if (wanted == w->from && !returns)
		refuse(m, wanted, HAIRPIN, REFUSED);
	else
		sent = decide(m, q, w, now, wanted, f->what == IS_IP);
	bpf_spin_unlock(&m->lock);
	if (!sent || change(skb, f, 1, w->marked))
		return SHOT;
	return send(skb, w);
}

SEC("tc")
int sidestep_forward(struct __sk_buff *skb)
{
	__u32 zero = 0, size, port;
	struct machine *m = bpf_map_lookup_elem(&machines, &zero);
	struct queues *q = bpf_map_lookup_elem(&queues, &zero);
	struct work *w = bpf_map_lookup_elem(&works, &zero);
	struct memory *memory = bpf_map_lookup_elem(&memories, &zero);
	struct frame *f;
	struct way *way;
	__u64 now, *has, *forget = bpf_map_lookup_elem(&orders, &zero);
	int why;

	if (!m || !q || !w || !memory || !forget)
		return SHOT;
	w->forget = *forget;
#if SIDESTEP_STILL
	port = skb->mark;
#else
	__u32 interface = skb->ifindex;
	__u32 *known = bpf_map_lookup_elem(&interfaces, &interface);

	if (!known)
		return ON;
	port = *known;
#endif
	if (port >= SIDESTEP_PORTS)
		return SHOT;
	now = clock(m);
	f = &w->frame;
	w->from = port;
	f->length = skb->len;
	f->six = 0;
	f->ecn = 0;
	f->ttl = 0;
	f->data = 0;
	f->what = IS_OTHER;
	size = f->length;
	if (size > HEAD)
		size = HEAD;
	if (size < ETHERNET || bpf_skb_load_bytes(skb, 0, f->head, size))
		why = TRUNCATED;
	else
		why = read(f, skb->vlan_present);
	if (why == SOUND) {
		int group = f->head[0] & 1;

		if (group && f->what == IS_ASKING) {
			has = bpf_map_lookup_elem(&answers, &f->asked);
			if (has && *has != f->from)
				return answer(skb, m, q, w, now, *has);
		}
		if (group)
			return flood(skb, m, w, now);
		way = bpf_map_lookup_elem(&stations, &f->to);
		if (way)
			return forward(skb, m, q, memory, w, now, way);
		why = NO_STATION;
	}
	bpf_spin_lock(&m->lock);
	advance(m, now);
	count_in(port_at(m, port), f->length);
	refuse(m, port, why, REFUSED);
	bpf_spin_unlock(&m->lock);
	return SHOT;
}

#else // no SIDESTEP_ROUTE

// Answers a row of the vectors: the packet's bytes are the row, and contain the answer afterwards.
SEC("tc")
int sidestep_row(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct row *row = bpf_map_lookup_elem(&rows, &zero);
	struct memory *memory = bpf_map_lookup_elem(&memories, &zero);
	struct view view = {};
	struct depth met;

	if (!row || !memory || bpf_skb_load_bytes(skb, 0, row, sizeof(*row)))
		return SHOT;
	view.still = row->depths;
	if (row->route)
		row->verdict.port = pick(&row->rule, memory, &view, &row->packet, &row->way, &row->stream);
	else
		row->verdict = judge(&row->rule, &row->packet, row->want, &view, &row->stream, &met);
	if (bpf_skb_store_bytes(skb, 0, row, sizeof(*row), 0))
		return SHOT;
	return 0;
}

#endif
