/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Queues of the ports, as clocks: in a FIFO port the departure of a packet is known when it arrives.
 *
 * Decision     none. The depth of a queue follows from the departures of its packets, which a ring holds in order:
 *              packets with departures up to now have left; a binary search finds their number.
 * State        for each port a ring of departures, and the time at which its last bit leaves.
 * Units        picoseconds since the program was loaded; bytes of buffer.
 * Errors       none: the ring has room for as many packets as the capacity admits (ebpf/plan.rs).
 * Source       crates/switch/src/ports/line.rs.
 * Deviations   none.
 */
#ifndef SIDESTEP_LINE_H
#define SIDESTEP_LINE_H

#define RING (1u << SIDESTEP_RING_BITS)

/* Bytes of a frame on the wire that occupy no buffer: preamble and gap. */
#define UNBUFFERED 20

/* Packet in a queue. Both sums wrap. */
struct slot {
	__u64 departs;
	__u32 bytes;  /* of buffer, of all packets before it */
	__u32 length; /* of frames, of all packets before it */
};

/* Port, in the layout that ebpf/layout.rs reads. */
struct port {
	__u64 free_at;     /* time at which the last bit leaves, or left */
	__u64 rate;        /* bits per second */
	__u64 entered;     /* packets that joined */
	__u64 left;        /* packets whose last bit has left */
	__u64 left_bytes;  /* bytes of their frames */
	__u32 bytes;       /* sum of the bytes of buffer that joined; wraps */
	__u32 length;      /* sum of the bytes of frames that joined; wraps */
	__u32 length_left; /* sum of the bytes of frames that left; wraps */
	__u32 interface;
	struct depth depth; /* when it was settled last */
	struct depth peak;
	__u64 rx_frames;
	__u64 rx_bytes;
	__u64 marks;
	__u64 detours_in;
	__u64 detours_out;
	__u64 answered;
	__u64 floods;
	__u64 copies;
	__u64 drops[DROP_REASONS];
	__u64 refused[REFUSALS];
	__u64 forgotten;   /* number of the last order to forget peaks that was executed */
};

/* Large part of a port: never copied while the lock is held. */
struct queue {
	struct slot ring[RING];
	__u64 met[RING]; /* arrivals for this port, by the number of packets queued then */
};

struct queues {
	struct queue of[SIDESTEP_PORTS];
};

_Static_assert(sizeof(struct slot) == 16 && sizeof(struct port) == PORT_BYTES, "as ebpf/layout.rs has them");

/* Result of the last packet, for tests. */
struct last {
	__u32 what;
	__u32 port;
	__u32 wanted;
	__u32 marked;
	__u32 reason;
	__u32 ahead;
	__u64 departs;
};

/* State of the switch. */
struct machine {
	struct bpf_spin_lock lock;
	__u32 nothing;
	__u64 started; /* nanoseconds of the clock */
	__u64 now;     /* picoseconds since then */
	struct stream route_stream;
	struct stream buffer_stream;
	struct rule rule;
	__u64 switches; /* mask: ports that lead to switches */
	__u64 flood;    /* mask: ports that flooded frames leave by */
	__u64 no_port;
	struct last last;
	struct port port[SIDESTEP_PORTS];
};

/* Returns port number `p`, which is below SIDESTEP_PORTS, a power of two. The mask proves it to the verifier without a
 * branch. */
static __always_inline struct port *port_at(struct machine *machine, __u64 p)
{
	asm volatile("" : "+r"(p));
	return &machine->port[p & (SIDESTEP_PORTS - 1)];
}

static __always_inline struct queue *queue_at(struct queues *queues, __u64 p)
{
	asm volatile("" : "+r"(p));
	return &queues->of[p & (SIDESTEP_PORTS - 1)];
}

/* Counts out the packets that have left by now. */
static __always_inline struct depth settle(struct port *port, struct queue *queue, __u64 now)
{
	__u64 low = port->left, high = port->entered;
	__u64 empty;
	struct slot *next;

	/* If the last packet has left, all have: most queues at most times, and no search. */
	if (port->free_at <= now)
		low = high;
	/* Binary search with steps from the longest to the shortest: a step is made if the packet before its end is in the
	 * queue and has left. */
	else for (int bit = SIDESTEP_RING_BITS; bit >= 0; bit--) {
		__u64 to = low + (1u << bit);
		__u64 left = below(queue->ring[(to - 1) & (RING - 1)].departs, now + 1) & below(to, high + 1);

		low += left << bit;
	}
	/* Behind the last packet no slot holds the sums. */
	next = &queue->ring[low & (RING - 1)];
	empty = -(below(low, high) ^ 1);
	__u32 left_length = next->length ^ ((next->length ^ port->length) & empty);
	__u32 left_bytes = next->bytes ^ ((next->bytes ^ port->bytes) & empty);

	port->left = low;
	port->left_bytes += left_length - port->length_left;
	port->length_left = left_length;
	port->depth.packets = port->entered - low;
	port->depth.bytes = port->bytes - left_bytes;
	return port->depth;
}

/* Appends a packet; returns the time at which its last bit leaves. Forgets peaks if `forget` is another order than the
 * last. */
static __always_inline __u64 join(struct port *port, struct queue *queue, __u64 now, __u32 buffer, __u32 length,
				  __u64 forget)
{
	struct slot *slot = &queue->ring[port->entered & (RING - 1)];
	__u64 begins = port->free_at > now ? port->free_at : now;
	__u64 bits = (__u64)(buffer + UNBUFFERED) * 8000000000000ull;
	__u64 departs = begins + (bits + port->rate - 1) / port->rate;

	slot->departs = departs;
	slot->bytes = port->bytes;
	slot->length = port->length;
	port->free_at = departs;
	port->bytes += buffer;
	port->length += length;
	port->entered += 1;
	port->depth.packets += 1;
	port->depth.bytes += buffer;
	if (port->forgotten != forget) {
		port->forgotten = forget;
		port->peak.packets = 0;
		port->peak.bytes = 0;
	}
	if (port->depth.packets > port->peak.packets)
		port->peak.packets = port->depth.packets;
	if (port->depth.bytes > port->peak.bytes)
		port->peak.bytes = port->depth.bytes;
	return departs;
}

#endif
