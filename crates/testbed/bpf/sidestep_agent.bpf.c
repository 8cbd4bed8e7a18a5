// SPDX-License-Identifier: MIT OR Apache-2.0
//
// PLTS's agent for drop-tail queues below a host's own TCP: a program at either side of its interface.
//
// Decision     that of the shim agent-droptail (crates/transport/src/shim/agent_droptail.rs): the first
//              duplicate acknowledgements of a run pass; the following are dropped until the run is as long as
//              a quantile of the earlier runs' lengths; from then on they pass. All other packets pass, and all
//              that leave.
// State        of each connection the highest acknowledgement received and its window, the highest byte sent
//              plus one, and the run; the number of runs of each length, per connection or per host. A SYN or a
//              reset discards a connection.
// Units        acknowledgements; sequence numbers of TCP, compared as these are.
// Errors       a packet that is not TCP over IPv4, is cut short, or finds no room in the map passes.
// Source       Dixit et al., Purdue CSD TR 11-011, section III-C2; RFC 5681 section 2 for the definition of a
//              duplicate.
// Deviations   the shim ignores acknowledgements with SACK blocks; this program judges them by their number, as
//              the kernel above it may use SACK. An acknowledgement that changes the window is no duplicate;
//              the shim cannot see windows.
//
// Built by `sidestep testbed` with -D:
//   SIDESTEP_PASS      pass: duplicates of each run that always pass
//   SIDESTEP_PART      share, as a fraction: its numerator
//   SIDESTEP_WHOLE     share: its denominator
//   SIDESTEP_EXCEED    1: until = "exceeded"
//   SIDESTEP_PER_HOST  1: per = "host"
//   SIDESTEP_FIRST     first: the length that passes before any run was counted
//   SIDESTEP_REPAIRED  1: repaired = "counted"
//   SIDESTEP_RECOVERY  1: recovery = "pass"
//   SIDESTEP_SHORTEST  shortest: the shortest run that counts
//   SIDESTEP_LONGEST   longest: longer runs count as this length

#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

// Macros of the kernel's headers, which BTF does not carry.
#define ETH_P_IP 0x0800
#define PASS 0
#define DROP 2
#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct lengths {
	__u32 of[SIDESTEP_LONGEST + 1];
	__u32 total;
	__u32 usual;  // length that the share of runs does not exceed
};

struct connection {
	__u32 acked;
	__u32 sent;
	__u32 recover;   // `sent` at the last retransmission
	__u32 run;
	__u16 window;
	__u8 repaired;   // a retransmission since `acked` moved
	__u8 recovers;   // `recover` is not yet acknowledged
	__u8 through;    // the run is long enough to pass
	__u8 heard;      // an acknowledgement arrived: `window` is valid
	struct lengths own;
};

// Name of a connection, as in packets that leave.
struct name {
	__u32 from, to;
	__u16 from_port, to_port;
};

// Fields read from a packet.
struct seen {
	struct name name;
	__u32 seq, ack, payload;
	__u16 window;
	__u8 flags;
};

enum count { ACKS, DUPLICATES, DROPPED, THROUGH, RUNS, COUNTS };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct name);
	__type(value, struct connection);
} connections SEC(".maps");

// Initial state of a connection: too large for the stack.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct connection);
} fresh SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lengths);
} host SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline void count(__u32 what)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &what);

	if (n)
		__sync_fetch_and_add(n, 1);
}

static __always_inline int before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

// Reads the headers; returns 0 if they are not TCP's.
static __always_inline int look(struct __sk_buff *skb, struct seen *s)
{
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr tcp;
	__u32 at, headers;

	if (bpf_skb_load_bytes(skb, 0, &eth, sizeof(eth)) || eth.h_proto != bpf_htons(ETH_P_IP))
		return 0;
	if (bpf_skb_load_bytes(skb, sizeof(eth), &ip, sizeof(ip)) || ip.protocol != IPPROTO_TCP)
		return 0;
	at = sizeof(eth) + ip.ihl * 4;
	if (bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)) || bpf_skb_load_bytes(skb, at + 13, &s->flags, 1))
		return 0;
	headers = ip.ihl * 4 + tcp.doff * 4;
	if (bpf_ntohs(ip.tot_len) < headers)
		return 0;
	s->name.from = ip.saddr;
	s->name.to = ip.daddr;
	s->name.from_port = tcp.source;
	s->name.to_port = tcp.dest;
	s->seq = bpf_ntohl(tcp.seq);
	s->ack = bpf_ntohl(tcp.ack_seq);
	s->window = tcp.window;
	s->payload = bpf_ntohs(ip.tot_len) - headers;
	return 1;
}

SEC("tc")
int sidestep_down(struct __sk_buff *skb)
{
	struct connection *c;
	struct seen s = {};
	__u32 zero = 0;

	if (!look(skb, &s))
		return PASS;
	if (s.flags & (SYN | RST)) {
		bpf_map_delete_elem(&connections, &s.name);
		return PASS;
	}
	if (!s.payload)
		return PASS;
	c = bpf_map_lookup_elem(&connections, &s.name);
	if (!c) {
		c = bpf_map_lookup_elem(&fresh, &zero);
		if (!c || bpf_map_update_elem(&connections, &s.name, c, BPF_NOEXIST))
			return PASS;
		c = bpf_map_lookup_elem(&connections, &s.name);
		if (!c)
			return PASS;
		c->acked = c->sent = s.seq;
	}
	if (before(s.seq, c->sent)) {
		c->repaired = 1;
		c->recovers = 1;
		c->recover = c->sent;
	} else if (c->acked == c->sent) {
		// Nothing was outstanding: the receiver waits for this byte.
		c->acked = s.seq;
	}
	if (before(c->sent, s.seq + s.payload))
		c->sent = s.seq + s.payload;
	return PASS;
}

static __always_inline int is_long(__u32 run, const struct lengths *l)
{
	if (!l->total)
		return run >= SIDESTEP_FIRST;
	return SIDESTEP_EXCEED ? run > l->usual : run >= l->usual;
}

// Counts one more run, and updates the usual length by nearest rank.
static __always_inline void add(struct lengths *l, __u32 length)
{
	__u64 seen = 0, enough;

	if (length > SIDESTEP_LONGEST)
		length = SIDESTEP_LONGEST;
	l->of[length] += 1;
	l->total += 1;
	enough = (__u64)l->total * SIDESTEP_PART;
	for (int i = 0; i <= SIDESTEP_LONGEST; i++) {
		seen += l->of[i];
		if (seen * SIDESTEP_WHOLE >= enough) {
			l->usual = i;
			break;
		}
	}
}

static __always_inline void news(struct connection *c, struct lengths *l, const struct seen *s)
{
	if (c->run >= SIDESTEP_SHORTEST && (SIDESTEP_REPAIRED || !c->repaired)) {
		count(RUNS);
		add(l, c->run);
	}
	c->run = 0;
	c->repaired = 0;
	c->through = 0;
	c->acked = s->ack;
	c->window = s->window;
	c->heard = 1;
	if (before(c->sent, s->ack))
		c->sent = s->ack;
	if (!before(c->acked, c->recover))
		c->recovers = 0;
}

SEC("tc")
int sidestep_up(struct __sk_buff *skb)
{
	struct connection *c;
	struct lengths *l;
	struct seen s = {};
	struct name out;
	__u32 zero = 0;

	if (!look(skb, &s))
		return PASS;
	out.from = s.name.to;
	out.to = s.name.from;
	out.from_port = s.name.to_port;
	out.to_port = s.name.from_port;
	if (s.flags & (SYN | RST)) {
		bpf_map_delete_elem(&connections, &out);
		return PASS;
	}
	if (!(s.flags & ACK) || (s.flags & FIN) || s.payload)
		return PASS;
	c = bpf_map_lookup_elem(&connections, &out);
	if (!c)
		return PASS;
	count(ACKS);
	l = &c->own;
	if (SIDESTEP_PER_HOST) {
		l = bpf_map_lookup_elem(&host, &zero);
		if (!l)
			return PASS;
	}
	if (before(c->acked, s.ack)) {
		news(c, l, &s);
		return PASS;
	}
	if (s.ack != c->acked || c->acked == c->sent)
		return PASS;
	if (c->heard && s.window != c->window) {
		c->window = s.window;
		return PASS;
	}
	c->window = s.window;
	c->heard = 1;
	count(DUPLICATES);
	c->run += 1;
	if (!c->through && is_long(c->run, l)) {
		c->through = 1;
		count(THROUGH);
	}
	if (c->through || (SIDESTEP_RECOVERY && c->recovers) || c->run <= SIDESTEP_PASS)
		return PASS;
	count(DROPPED);
	return DROP;
}
