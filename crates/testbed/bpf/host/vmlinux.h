// SPDX-License-Identifier: MIT OR Apache-2.0
//
// In place of the kernel's types, when a program runs as a process: those of its headers for programs.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/types.h>
