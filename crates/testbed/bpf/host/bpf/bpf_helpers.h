// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Kernel functions of a BPF program built as a process: host/rows.c or host/marks_rows.c defines them.

#define SEC(name)
#define __uint(name, value) int (*name)[value]
#define __type(name, type) __typeof__(type) *name
#ifndef __always_inline
#define __always_inline inline
#endif

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
#ifndef SIDESTEP_CODES
static long bpf_map_delete_elem(void *map, const void *key);
#endif
static long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 from, void *to, __u32 len);
#ifdef SIDESTEP_CODES
static long bpf_skb_store_bytes(struct __sk_buff *skb, __u32 to, const void *from, __u32 len, __u64 flags);
static long bpf_l3_csum_replace(struct __sk_buff *skb, __u32 at, __u64 from, __u64 to, __u64 size);
#endif
