// SPDX-License-Identifier: MIT OR Apache-2.0

#include <arpa/inet.h>

#define bpf_htons htons
#define bpf_ntohs ntohs
#define bpf_ntohl ntohl
