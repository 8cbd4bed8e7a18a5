// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Packet classes by the bytes a connection has sent so far: a program at either side of a host's interface sets
// the code point (DSCP) of packets that leave, and reads the code points of packets that arrive.
//
// Decision     that of the shim by-size with by = "sent" (crates/transport/src/shim/by_size.rs): the class of a
//              packet with data depends on the bytes sent before it, and never decreases: a retransmission or
//              the end of a connection has the class reached so far. An acknowledgement, SYN/ACKs included, has
//              the code point of the last data or SYN received, or that of the first class.
// State        of each direction of a connection the bytes sent, and the code point last received in the other;
//              the least recently used entry is replaced. A SYN or SYN/ACK that leaves starts a new connection.
// Units        bytes of payload; sequence numbers of TCP, compared as these are.
// Errors       a packet that is not TCP directly over IPv4 or IPv6, is a later fragment or is cut short passes
//              unchanged.
// Source       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2, footnote 1: "it can be estimated using the
//              amount of data sent so far"; RFC 2474 for the field.
// Deviations   TCP passes segments down in pieces of up to 64 kB, which the kernel or the card cuts later: all
//              of a piece has the class of its first byte. The shim at a switch ignores acknowledgements with
//              SACK blocks; this program marks them.
//
// Built by `sidestep testbed` with -D:
//   SIDESTEP_ENDS      thresholds: the most bytes of each class but the last, with commas
//   SIDESTEP_CODES     dscp: the code point of each class, with commas
//   SIDESTEP_MIRROR    1: acks = "flow"

#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

// Macros of the kernel's headers, which BTF does not carry.
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86DD
#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10

// TC_ACT_UNSPEC: the packet goes on to other programs.
#define ON (-1)

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct connection {
	__u64 sent;    // bytes before `top`
	__u32 top;     // highest sequence number at which data began
	__u8 begun;    // `top` is valid
	__u8 heard;    // data or a SYN arrived: `came` is its code point
	__u8 came;
	__u8 nothing;
};

// Name of a connection, as in packets that leave.
struct name {
	__u32 from[4], to[4];
	__u16 from_port, to_port;
};

// Fields read from a packet.
struct seen {
	struct name name;
	__u32 seq, payload;
	__u16 six;     // IPv6
	__u8 field;    // code point and congestion bits
	__u8 flags;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct name);
	__type(value, struct connection);
} connections SEC(".maps");

// A single number: packets whose code point was changed.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline int before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

// Reads the headers; returns 0 if they are not TCP's.
static __always_inline int look(struct __sk_buff *skb, struct seen *s)
{
	struct ethhdr eth;
	struct iphdr ip;
	struct ipv6hdr six;
	struct tcphdr tcp;
	__u32 at = sizeof(eth), length;

	if (bpf_skb_load_bytes(skb, 0, &eth, sizeof(eth)))
		return 0;
	if (eth.h_proto == bpf_htons(ETH_P_IP)) {
		if (bpf_skb_load_bytes(skb, at, &ip, sizeof(ip)) || ip.protocol != IPPROTO_TCP)
			return 0;
		if (ip.frag_off & bpf_htons(0x1fff))
			return 0;
		s->name.from[0] = ip.saddr;
		s->name.to[0] = ip.daddr;
		s->field = ip.tos;
		length = bpf_ntohs(ip.tot_len);
		if (length < ip.ihl * 4)
			return 0;
		length -= ip.ihl * 4;
		at += ip.ihl * 4;
	} else if (eth.h_proto == bpf_htons(ETH_P_IPV6)) {
		if (bpf_skb_load_bytes(skb, at, &six, sizeof(six)) || six.nexthdr != IPPROTO_TCP)
			return 0;
		__builtin_memcpy(s->name.from, &six.saddr, 16);
		__builtin_memcpy(s->name.to, &six.daddr, 16);
		s->six = 1;
		s->field = six.priority << 4 | six.flow_lbl[0] >> 4;
		length = bpf_ntohs(six.payload_len);
		at += sizeof(six);
	} else {
		return 0;
	}
	if (bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)) || bpf_skb_load_bytes(skb, at + 13, &s->flags, 1))
		return 0;
	if (length < tcp.doff * 4)
		return 0;
	s->name.from_port = tcp.source;
	s->name.to_port = tcp.dest;
	s->seq = bpf_ntohl(tcp.seq);
	s->payload = length - tcp.doff * 4;
	return 1;
}

static __always_inline struct connection *find(const struct name *name)
{
	struct connection fresh = {};
	struct connection *c = bpf_map_lookup_elem(&connections, name);

	if (c)
		return c;
	bpf_map_update_elem(&connections, name, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&connections, name);
}

// Returns the code point of a byte after `sent` others.
static __always_inline __u8 of_place(__u64 sent)
{
	const __u64 ends[] = { SIDESTEP_ENDS };
	const __u8 codes[] = { SIDESTEP_CODES };
	__u8 is = codes[0];

#pragma unroll
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] <= sent)
			is = codes[i + 1];
	return is;
}

// Sets the packet's code point, and keeps its congestion bits.
static __always_inline void mark(struct __sk_buff *skb, const struct seen *s, __u8 dscp)
{
	__u8 field = dscp << 2 | (s->field & 3);
	__u8 two[2];
	__u64 *n;
	__u32 zero = 0;

	if (field == s->field)
		return;
	if (s->six) {
		if (bpf_skb_load_bytes(skb, sizeof(struct ethhdr), two, 2))
			return;
		two[0] = (two[0] & 0xf0) | field >> 4;
		two[1] = (two[1] & 0x0f) | (__u8)(field << 4);
		// No checksum covers the class of IPv6.
		if (bpf_skb_store_bytes(skb, sizeof(struct ethhdr), two, 2, 0))
			return;
	} else {
		if (bpf_l3_csum_replace(skb, sizeof(struct ethhdr) + 10, bpf_htons(s->field), bpf_htons(field), 2))
			return;
		if (bpf_skb_store_bytes(skb, sizeof(struct ethhdr) + 1, &field, 1, 0))
			return;
	}
	n = bpf_map_lookup_elem(&counts, &zero);
	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("tc")
int sidestep_sends(struct __sk_buff *skb)
{
	struct connection fresh = {};
	struct connection *c;
	struct seen s = {};
	__u8 dscp;

	if (!look(skb, &s))
		return ON;
	if ((s.flags & (SYN | ACK)) == SYN)
		bpf_map_update_elem(&connections, &s.name, &fresh, BPF_ANY);
	c = find(&s.name);
	if (!c)
		return ON;
	if (s.flags & SYN) {
		c->sent = 0;
		c->top = s.seq + 1;
		c->begun = 1;
	} else if (s.payload) {
		if (!c->begun) {
			c->begun = 1;
			c->top = s.seq;
		}
		if (before(c->top, s.seq)) {
			c->sent += s.seq - c->top;
			c->top = s.seq;
		}
	}
	dscp = of_place(c->sent);
	if ((s.flags & (SYN | ACK)) == (SYN | ACK) || !(s.payload || s.flags & (SYN | FIN | RST)))
		dscp = SIDESTEP_MIRROR && c->heard ? c->came : of_place(0);
	mark(skb, &s, dscp);
	return ON;
}

SEC("tc")
int sidestep_hears(struct __sk_buff *skb)
{
	struct connection *c;
	struct seen s = {};
	struct name out;

	if (!look(skb, &s) || !(s.payload || (s.flags & (SYN | ACK)) == SYN))
		return ON;
	__builtin_memcpy(out.from, s.name.to, 16);
	__builtin_memcpy(out.to, s.name.from, 16);
	out.from_port = s.name.to_port;
	out.to_port = s.name.from_port;
	// A received SYN starts nothing: it may be a late duplicate. The SYN/ACK that answers it starts a new
	// connection.
	c = find(&out);
	if (!c)
		return ON;
	c->heard = 1;
	c->came = s.field >> 2;
	return ON;
}
