/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Reader of frames, as far as a switch needs them.
 *
 * Decision     none; a damaged or forged frame is refused with the reason of crates/softswitch/src/frame/read.rs.
 * State        none.
 * Units        offsets and lengths in bytes from the destination address; no FCS.
 * Errors       a refusal, by its number in frame/refusal.rs.
 * Source       RFC 791, 8200, 9293, 826, 4861.
 * Deviations   IPv6 extension headers are not skipped: a packet with any is data without ports, so that all such packets
 *              between two hosts have one hash.
 */
#ifndef SIDESTEP_FRAME_H
#define SIDESTEP_FRAME_H

#define ETHERNET 14
#define LONGEST 1514

/* No refusal. */
#define SOUND (-1)

#define IS_IP 1
#define IS_ASKING 2
#define IS_OTHER 3

/* Bytes of Ethernet, IPv4 with all its options, and TCP up to its flags; or of IPv6 with ICMP's first byte. */
#define HEAD 96

#define TCP 6
#define UDP 17
#define ICMP6 58

struct frame {
	__u8 head[HEAD];
	__u32 length;
	__u32 hash;
	__u32 host;    /* number of the destination host */
	__u32 asked;   /* requested IPv4 address, in network byte order */
	__u32 payload;
	__u64 to;      /* MACs as numbers */
	__u64 from;
	__u8 what;
	__u8 six;
	__u8 ttl;
	__u8 ecn;
	__u8 data;     /* carries data, in the sense of routes */
	__u8 nothing[3];
};

static __always_inline __u32 two(const __u8 *at)
{
	return (__u32)at[0] << 8 | at[1];
}

static __always_inline __u64 four(const __u8 *at)
{
	return (__u64)two(at) << 16 | two(at + 2);
}

static __always_inline __u64 eight(const __u8 *at)
{
	return four(at) << 32 | four(at + 4);
}

static __always_inline __u64 mac(const __u8 *at)
{
	return (__u64)two(at) << 32 | four(at + 2);
}

/* Reads the `size` bytes behind IP's header; returns protocol and ports as a number for the hash. */
static __always_inline __u64 inner(struct frame *f, __u32 at, __u32 size, __u8 protocol, int whole)
{
	const __u8 *h = f->head;
	__u64 hashed = (__u64)protocol << 32;
	__u32 header;
	__u8 flags;

	f->payload = size;
	f->data = size > 0;
	if (!whole)
		return 0;
	/* TCP's flags are the last field read. */
	if (at > HEAD - 20)
		return 0;
	if (protocol == TCP) {
		header = (h[at + 12] >> 4) * 4;
		if (size < 20 || header < 20 || size < header)
			return 0;
		f->payload = size - header;
		flags = h[at + 13];
		f->data = f->payload > 0 && !(flags & 2);
		return hashed | four(h + at);
	}
	if (protocol == UDP) {
		if (size < 8)
			return 0;
		return hashed | four(h + at);
	}
	return hashed;
}

static __always_inline int read_v4(struct frame *f)
{
	const __u8 *h = f->head + ETHERNET;
	__u32 rest = f->length - ETHERNET;
	__u32 header, total, sum = 0;
	__u64 hashed;

	if (rest < 20)
		return TRUNCATED;
	header = (h[0] & 15) * 4;
	if (h[0] >> 4 != 4 || header < 20)
		return BAD_HEADER;
	if (rest < header)
		return TRUNCATED;
	for (__u32 at = 0; at < 60; at += 2)
		if (at < header)
			sum += two(h + at);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	if (sum != 0xffff)
		return BAD_CHECKSUM;
	total = two(h + 2);
	if (total > rest || total < header)
		return BAD_LENGTH;
	hashed = inner(f, ETHERNET + header, total - header, h[9], !(two(h + 6) & 0x3fff));
	f->what = IS_IP;
	f->host = four(h + 16);
	f->ttl = h[8];
	f->ecn = h[1] & 3;
	f->hash = mix64(mix64(eight(h + 12)) ^ hashed);
	return SOUND;
}

static __always_inline int is_extension(__u8 next)
{
	return next == 0 || next == 43 || next == 44 || next == 51 || next == 60 || next == 135 || next == 139 ||
	       next == 140 || next == 253 || next == 254;
}

static __always_inline int read_v6(struct frame *f)
{
	const __u8 *h = f->head + ETHERNET;
	__u32 rest = f->length - ETHERNET;
	__u32 size;
	__u64 hashed, addresses = 0;

	if (rest < 40)
		return TRUNCATED;
	if (h[0] >> 4 != 6)
		return BAD_HEADER;
	size = two(h + 4);
	if (40 + size > rest)
		return BAD_LENGTH;
	hashed = inner(f, ETHERNET + 40, size, h[6], !is_extension(h[6]));
	for (__u32 at = 8; at < 40; at += 8)
		addresses = mix64(addresses ^ eight(h + at));
	f->host = mix64(mix64(eight(h + 24)) ^ eight(h + 32));
	f->six = 1;
	f->what = IS_IP;
	/* Neighbour discovery: a solicitation is flooded like the rest of it, and its host answers. */
	if (h[6] == ICMP6 && size > 0 && h[40] >= 133 && h[40] <= 137 && h[7] == 255) {
		f->what = IS_OTHER;
		f->data = 1;
		hashed = 0;
	}
	f->ttl = h[7];
	f->ecn = h[1] >> 4 & 3;
	f->hash = mix64(addresses ^ hashed);
	return SOUND;
}

static __always_inline int read_arp(struct frame *f)
{
	const __u8 *h = f->head + ETHERNET;
	__u32 rest = f->length - ETHERNET;

	f->what = IS_OTHER;
	f->data = 1;
	if (rest < 8 || rest < 8 + 2 * ((__u32)h[4] + h[5]))
		return TRUNCATED;
	if (two(h) != 1 || two(h + 2) != 0x0800 || h[4] != 6 || h[5] != 4 || two(h + 6) != 1)
		return SOUND;
	f->what = IS_ASKING;
	f->data = 0;
	__builtin_memcpy(&f->asked, h + 24, 4);
	return SOUND;
}

/* Reads a frame whose head and length are set; returns why it is refused, or SOUND. `tagged`: the kernel holds a VLAN tag
 * beside the frame. */
static __always_inline int read(struct frame *f, int tagged)
{
	const __u8 *h = f->head;
	__u32 type;

	if (f->length > LONGEST)
		return OVERSIZED;
	if (f->length < ETHERNET)
		return TRUNCATED;
	if (h[6] & 1)
		return GROUP_SOURCE;
	f->to = mac(h);
	f->from = mac(h + 6);
	if (f->to >> 4 == 0x0180c200000ull)
		return RESERVED;
	type = two(h + 12);
	if (tagged || type == 0x8100 || type == 0x88a8 || type == 0x9100)
		return VLAN;
	f->hash = mix64(mix64(f->to) ^ f->from);
	f->host = mix64(f->to);
	if (type == 0x0800)
		return read_v4(f);
	if (type == 0x86dd)
		return read_v6(f);
	if (type == 0x0806)
		return read_arp(f);
	if (type < 0x0600)
		return LLC;
	f->what = IS_OTHER;
	f->data = f->length > ETHERNET;
	return SOUND;
}

#endif
