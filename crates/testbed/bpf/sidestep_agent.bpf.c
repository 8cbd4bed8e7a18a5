// SPDX-License-Identifier: MIT OR Apache-2.0
//
// PLTS's agent for drop-tail queues, below a host's own TCP: a program at the ingress of its interface.
//
// Decision     the first SIDESTEP_PASS duplicate acknowledgements of a run pass; the following are dropped until the
//              run is as long as SIDESTEP_SHARE thousandths of those seen; from then on they pass. All else passes.
// State        per connection (4-tuple): the highest acknowledgement and its window, the run's length. A histogram
//              of runs that ended, per connection or one per host, and the length that it comes to.
// Units        acknowledgements; a run longer than SIDESTEP_LONGEST counts as that.
// Errors       what is not IPv4 TCP, or is cut short, passes.
// Source       Dixit et al., Purdue CS TR 11-011, section III-C2; RFC 5681 section 2 for what a duplicate is.
// Deviations   it sees only what comes, so that data need not be outstanding for a duplicate. Counters may be
//              short of what two processors add at once.
//
// Built by `sidestep testbed` with -D:
//   SIDESTEP_PASS      duplicates of each run that always pass
//   SIDESTEP_SHARE     the share of runs, in thousandths
//   SIDESTEP_LONGEST   the longest run that is told apart
//   SIDESTEP_FIRST     the length from which duplicates pass before any run has ended
//   SIDESTEP_REPAIRED  1: runs that got their fast retransmit are counted as well
//   SIDESTEP_PER_HOST  1: one histogram for all connections of the host

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

struct histogram {
	__u32 runs[SIDESTEP_LONGEST + 1];  // how many ended with this length
	__u32 all;
	__u32 until;  // duplicates pass when the run is this long
};

struct connection {
	__u32 ack;
	__u32 run;
	__u16 window;
	struct histogram own;
};

struct name {
	__u32 from, to;
	__u16 from_port, to_port;
};

enum count { ACKS, DUPLICATES, DROPPED, REPAIRS, RUNS, COUNTS };

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct name);
	__type(value, struct connection);
} connections SEC(".maps");

// What a new connection begins with: too large for the stack.
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
	__type(value, struct histogram);
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

static __always_inline __u32 until(const struct histogram *h)
{
	return h->all ? h->until : SIDESTEP_FIRST;
}

// The least length that the share of all runs does not exceed: nearest rank.
static __always_inline void add(struct histogram *h, __u32 length)
{
	__u64 seen = 0, wanted;

	if (length > SIDESTEP_LONGEST)
		length = SIDESTEP_LONGEST;
	h->runs[length] += 1;
	h->all += 1;
	wanted = (__u64)h->all * SIDESTEP_SHARE;
	for (int i = 0; i <= SIDESTEP_LONGEST; i++) {
		seen += h->runs[i];
		if (seen * 1000 >= wanted) {
			h->until = i;
			break;
		}
	}
}

// A run has ended: only one that could have started a fast retransmit is of interest.
static __always_inline void ended(struct connection *c, struct histogram *h)
{
	if (c->run > SIDESTEP_PASS && (SIDESTEP_REPAIRED || c->run < until(h))) {
		count(RUNS);
		add(h, c->run);
	}
	c->run = 0;
}

static __always_inline int duplicate(struct connection *c, struct histogram *h)
{
	c->run += 1;
	count(DUPLICATES);
	if (c->run <= SIDESTEP_PASS)
		return PASS;
	if (c->run < until(h)) {
		count(DROPPED);
		return DROP;
	}
	if (c->run == until(h) || c->run == SIDESTEP_PASS + 1)
		count(REPAIRS);
	return PASS;
}

SEC("tc")
int sidestep_agent(struct __sk_buff *skb)
{
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr tcp;
	struct connection *c;
	struct histogram *h;
	struct name name;
	__u32 zero = 0, at, headers, ack;
	__u8 flags;

	if (bpf_skb_load_bytes(skb, 0, &eth, sizeof(eth)) || eth.h_proto != bpf_htons(ETH_P_IP))
		return PASS;
	if (bpf_skb_load_bytes(skb, sizeof(eth), &ip, sizeof(ip)) || ip.protocol != IPPROTO_TCP)
		return PASS;
	at = sizeof(eth) + ip.ihl * 4;
	if (bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)))
		return PASS;
	if (bpf_skb_load_bytes(skb, at + 13, &flags, 1))
		return PASS;
	name.from = ip.saddr;
	name.to = ip.daddr;
	name.from_port = tcp.source;
	name.to_port = tcp.dest;
	if (flags & (SYN | RST)) {
		bpf_map_delete_elem(&connections, &name);
		return PASS;
	}
	if (!(flags & ACK))
		return PASS;
	ack = bpf_ntohl(tcp.ack_seq);
	count(ACKS);
	c = bpf_map_lookup_elem(&connections, &name);
	if (!c) {
		c = bpf_map_lookup_elem(&fresh, &zero);
		if (!c)
			return PASS;
		bpf_map_update_elem(&connections, &name, c, BPF_ANY);
		c = bpf_map_lookup_elem(&connections, &name);
		if (!c)
			return PASS;
		c->ack = ack;
		c->window = tcp.window;
		return PASS;
	}
	h = &c->own;
	if (SIDESTEP_PER_HOST) {
		h = bpf_map_lookup_elem(&host, &zero);
		if (!h)
			return PASS;
	}
	headers = ip.ihl * 4 + tcp.doff * 4;
	if ((__s32)(ack - c->ack) > 0) {
		ended(c, h);
		c->ack = ack;
		c->window = tcp.window;
		return PASS;
	}
	// RFC 5681, section 2: no data, no FIN, the highest number, the same window.
	if (ack != c->ack || (flags & FIN) || bpf_ntohs(ip.tot_len) != headers)
		return PASS;
	if (tcp.window != c->window) {
		c->window = tcp.window;
		return PASS;
	}
	return duplicate(c, h);
}
