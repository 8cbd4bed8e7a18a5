// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The marking program as a process, to test it against conformance/vectors/shim-by-size.csv.
//
// Its argument is 4 or 6, the version of IP. It reads a line for each packet and prints the code point of each
// that leaves; it exits with 1 if a checksum is wrong, or a congestion bit was changed:
//
//   new                                  another host, without state
//   out KIND CONNECTION SEQ LEN DSCP     a packet leaves with this code point
//   in KIND CONNECTION LEN DSCP          a packet arrives
//
// KIND is syn, syn-ack, ack, fin or data. Numbers count from the first byte of a connection, which begins
// shortly before sequence numbers wrap.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmlinux.h"
#include "../sidestep_marks.bpf.c"

#define CONNECTIONS 4096
#define FIRST 0xffffe000u
#define CONGESTION 2

struct place {
	int taken;
	struct name name;
	struct connection of;
};

static struct place places[CONNECTIONS];
static __u64 counted;
static int version;

static unsigned char packet[sizeof(struct ethhdr) + sizeof(struct ipv6hdr) + sizeof(struct tcphdr)];
static unsigned int packet_len;

static struct place *place(const struct name *name, int make)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		if (!places[i].taken) {
			if (!make)
				return NULL;
			places[i].taken = 1;
			places[i].name = *name;
			return &places[i];
		}
		if (!memcmp(&places[i].name, name, sizeof(*name)))
			return &places[i];
	}
	abort();
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	struct place *found;

	if (map == &counts)
		return &counted;
	found = place(key, 0);
	return found ? &found->of : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map != &connections || (flags == BPF_NOEXIST && place(key, 0)))
		abort();
	place(key, 1)->of = *(const struct connection *)value;
	return 0;
}

static long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 from, void *to, __u32 len)
{
	(void)skb;
	if (from + len > packet_len)
		return -1;
	memcpy(to, packet + from, len);
	return 0;
}

static long bpf_skb_store_bytes(struct __sk_buff *skb, __u32 to, const void *from, __u32 len, __u64 flags)
{
	(void)skb;
	if (to + len > packet_len || flags)
		return -1;
	memcpy(packet + to, from, len);
	return 0;
}

// RFC 1624: the sum of the complements.
static long bpf_l3_csum_replace(struct __sk_buff *skb, __u32 at, __u64 from, __u64 to, __u64 size)
{
	__u16 sum;
	__u32 all;

	(void)skb;
	if (size != 2)
		abort();
	memcpy(&sum, packet + at, 2);
	all = (__u16)~sum + (__u16)~from + (__u16)to;
	all = (all & 0xffff) + (all >> 16);
	all = (all & 0xffff) + (all >> 16);
	sum = ~all;
	memcpy(packet + at, &sum, 2);
	return 0;
}

static __u16 header_sum(void)
{
	__u32 all = 0;

	for (int i = 0; i < 20; i += 2)
		all += packet[sizeof(struct ethhdr) + i] << 8 | packet[sizeof(struct ethhdr) + i + 1];
	while (all >> 16)
		all = (all & 0xffff) + (all >> 16);
	return all;
}

static void put(int out, const char *kind, unsigned connection, __u32 seq, unsigned len, unsigned dscp)
{
	struct ethhdr eth = { .h_proto = htons(version == 4 ? ETH_P_IP : ETH_P_IPV6) };
	struct tcphdr tcp = { .doff = 5, .seq = htonl(seq) };
	__u8 field = dscp << 2 | CONGESTION;
	__u32 at = sizeof(eth);

	tcp.source = htons(out ? 1000 + connection : 80);
	tcp.dest = htons(out ? 80 : 1000 + connection);
	tcp.syn = !strncmp(kind, "syn", 3);
	tcp.ack = strcmp(kind, "syn");
	tcp.fin = !strcmp(kind, "fin");
	memset(packet, 0, sizeof(packet));
	memcpy(packet, &eth, sizeof(eth));
	if (version == 4) {
		struct iphdr ip = { .version = 4, .ihl = 5, .tos = field, .protocol = IPPROTO_TCP };
		__u16 sum;

		ip.tot_len = htons(40 + len);
		ip.saddr = htonl(out ? 1 : 2);
		ip.daddr = htonl(out ? 2 : 1);
		memcpy(packet + at, &ip, sizeof(ip));
		sum = htons(~header_sum());
		memcpy(packet + at + 10, &sum, 2);
		at += sizeof(ip);
	} else {
		struct ipv6hdr six = { .version = 6, .nexthdr = IPPROTO_TCP };

		six.payload_len = htons(20 + len);
		six.priority = field >> 4;
		six.flow_lbl[0] = (__u8)(field << 4) | 5;
		six.flow_lbl[1] = 77;
		six.saddr.s6_addr[15] = out ? 1 : 2;
		six.daddr.s6_addr[15] = out ? 2 : 1;
		memcpy(packet + at, &six, sizeof(six));
		at += sizeof(six);
	}
	memcpy(packet + at, &tcp, sizeof(tcp));
	packet_len = at + sizeof(tcp);
}

// Returns the field of the packet, or -1 if another part was changed.
static int field(void)
{
	const unsigned char *at = packet + sizeof(struct ethhdr);

	if (version == 4)
		return header_sum() == 0xffff && at[0] == 0x45 ? at[1] : -1;
	return at[0] >> 4 == 6 && (at[1] & 15) == 5 && at[2] == 77 ? (__u8)(at[0] << 4 | at[1] >> 4) : -1;
}

int main(int count, char **words)
{
	struct __sk_buff skb = {};
	unsigned connection, at, len, dscp;
	char word[8], kind[8], line[80];

	version = count == 2 ? atoi(words[1]) : 0;
	if (version != 4 && version != 6)
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "new\n")) {
			memset(places, 0, sizeof(places));
		} else if (sscanf(line, "%7s %7s %u %u %u %u", word, kind, &connection, &at, &len, &dscp) == 6) {
			int opens = !strncmp(kind, "syn", 3), is;

			if (strcmp(word, "out"))
				return 1;
			put(1, kind, connection, FIRST + at - opens, len, dscp);
			if (sidestep_sends(&skb) != ON)
				return 1;
			is = field();
			if (is < 0 || (is & 3) != CONGESTION)
				return 1;
			printf("%d\n", is >> 2);
		} else if (sscanf(line, "%7s %7s %u %u %u", word, kind, &connection, &len, &dscp) == 5) {
			put(0, kind, connection, 7, len, dscp);
			if (strcmp(word, "in") || sidestep_hears(&skb) != ON || field() != (int)(dscp << 2 | CONGESTION))
				return 1;
		} else {
			return 1;
		}
	}
	return 0;
}
