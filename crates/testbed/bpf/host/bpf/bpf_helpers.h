// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a program asks the kernel for, when it runs as a process: host/rows.c answers.

#define SEC(name)
#define __uint(name, value) int (*name)[value]
#define __type(name, type) __typeof__(type) *name
#ifndef __always_inline
#define __always_inline inline
#endif

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
static long bpf_map_delete_elem(void *map, const void *key);
static long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 from, void *to, __u32 len);
