// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Types from the kernel's user-space headers, in place of its own, for a program built as a process.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/types.h>
