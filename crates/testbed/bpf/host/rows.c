// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The agent as a process, to test it against conformance/vectors/shim-agent-droptail.csv without a kernel to
// load it.
//
// Reads a line for each packet. Prints for each that arrives whether it passes, and whether it is a duplicate:
//
//   new                      another host, without state
//   end CONNECTION           a reset
//   down CONNECTION SEQ LEN  data leaves
//   up CONNECTION ACK LEN    an acknowledgement arrives, or data
//
// Numbers count from the first byte of a connection, which begins shortly before sequence numbers wrap.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmlinux.h"
#include "../sidestep_agent.bpf.c"

#define CONNECTIONS 64
#define FIRST 0xffffe000u

struct place {
	int taken;
	struct name name;
	struct connection of;
};

static struct place places[CONNECTIONS];
static struct connection nothing;
static struct lengths of_host;
static __u64 counted[COUNTS];

static struct {
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr tcp;
} __attribute__((packed)) packet;

static struct place *find(const struct name *name)
{
	for (int i = 0; i < CONNECTIONS; i++)
		if (places[i].taken && !memcmp(&places[i].name, name, sizeof(*name)))
			return &places[i];
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	struct place *place;

	if (map == &fresh)
		return &nothing;
	if (map == &host)
		return &of_host;
	if (map == &counts)
		return &counted[*(const __u32 *)key];
	place = find(key);
	return place ? &place->of : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map != &connections || flags != BPF_NOEXIST || find(key))
		abort();
	for (int i = 0; i < CONNECTIONS; i++) {
		if (places[i].taken)
			continue;
		places[i].taken = 1;
		places[i].name = *(const struct name *)key;
		places[i].of = *(const struct connection *)value;
		return 0;
	}
	return -1;
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	struct place *place = find(key);

	if (map != &connections)
		abort();
	if (place)
		place->taken = 0;
	return place ? 0 : -1;
}

static long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 from, void *to, __u32 len)
{
	(void)skb;
	if (from + len > sizeof(packet))
		return -1;
	memcpy(to, (const char *)&packet + from, len);
	return 0;
}

// Builds a packet of a connection: from its host if `down`, else to it.
static void put(int down, unsigned connection, __u32 seq, __u32 ack, unsigned len)
{
	memset(&packet, 0, sizeof(packet));
	packet.eth.h_proto = htons(ETH_P_IP);
	packet.ip.version = 4;
	packet.ip.ihl = 5;
	packet.ip.protocol = IPPROTO_TCP;
	packet.ip.tot_len = htons(40 + len);
	packet.ip.saddr = htonl(down ? 1 : 2);
	packet.ip.daddr = htonl(down ? 2 : 1);
	packet.tcp.source = htons(down ? 1000 + connection : 80);
	packet.tcp.dest = htons(down ? 80 : 1000 + connection);
	packet.tcp.seq = htonl(seq);
	packet.tcp.ack_seq = htonl(ack);
	packet.tcp.doff = 5;
	packet.tcp.ack = 1;
	packet.tcp.window = htons(500);
}

int main(void)
{
	struct __sk_buff skb = {};
	unsigned connection, at, len;
	char word[8], line[80];

	while (fgets(line, sizeof(line), stdin)) {
		int numbers = sscanf(line, "%7s %u %u %u", word, &connection, &at, &len);

		if (!strcmp(word, "new") && numbers == 1) {
			memset(places, 0, sizeof(places));
			memset(&of_host, 0, sizeof(of_host));
		} else if (!strcmp(word, "end") && numbers == 2) {
			put(0, connection, 0, 0, 0);
			packet.tcp.rst = 1;
			sidestep_up(&skb);
		} else if (!strcmp(word, "down") && numbers == 4) {
			put(1, connection, FIRST + at, 0, len);
			if (sidestep_down(&skb) != PASS)
				return 1;
		} else if (!strcmp(word, "up") && numbers == 4) {
			__u64 before = counted[DUPLICATES];
			const char *verdict;

			put(0, connection, 0, FIRST + at, len);
			verdict = sidestep_up(&skb) == DROP ? "drop" : "pass";
			printf("%s %d\n", verdict, (int)(counted[DUPLICATES] - before));
		} else {
			return 1;
		}
	}
	return 0;
}
