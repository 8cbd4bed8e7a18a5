/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Parts of the kernel's user interface (linux/bpf.h) that the program uses; its layouts and numbers never change. Written out
 * here, so that the build needs neither the kernel's headers nor its type information, and does not clash with their names.
 */
#ifndef SIDESTEP_KERNEL_H
#define SIDESTEP_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_F_NO_PREALLOC 1

struct bpf_spin_lock {
	__u32 val;
};

struct __sk_buff {
	__u32 len;
	__u32 pkt_type;
	__u32 mark;
	__u32 queue_mapping;
	__u32 protocol;
	__u32 vlan_present;
	__u32 vlan_tci;
	__u32 vlan_proto;
	__u32 priority;
	__u32 ingress_ifindex;
	__u32 ifindex;
};

#endif
