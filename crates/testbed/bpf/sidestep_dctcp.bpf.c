// SPDX-License-Identifier: MIT OR Apache-2.0
//
// DCTCP for kernels built without it, as a BPF program behind the kernel's own TCP.
//
// Decision     the window shrinks by half the marked share of the delivered segments (section 3.3); a receiver
//              reports every change from marked to unmarked and back (3.2).
// State        per connection, in icsk_ca_priv: struct dctcp below, 28 bytes of 104; alpha also in a map, for
//              user space: the kernel lets no BPF program have get_info ("attach to unsupported member
//              get_info").
// Units        segments; alpha and gain in 1024ths, as fixed point needs a unit.
// Errors       a connection whose peer refused ECN falls back to the kernel's reno, and sends all packets as
//              Not-ECT.
// Source       RFC 8257; the numbers in brackets are its sections. Growth is the kernel's Reno.
// Deviations   counts segments where 3.3 counts bytes. If a step of alpha downward rounds to 0 in 1024ths,
//              alpha becomes 0 at once (3.3 leaves the arithmetic open).
//
// Built by `sidestep testbed up` with -D:
//   SIDESTEP_NAME           name of the congestion control and of its map, at most 15 characters
//   SIDESTEP_SHOWN          name of the map with each connection's alpha, at most 15 characters
//   SIDESTEP_GAIN           g of 3.3 in 1024ths
//   SIDESTEP_INITIAL_ALPHA  alpha before the first window, in 1024ths

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define ONE 1024u

// Macros of net/tcp.h, which BTF does not carry.
#define NON_RESTRICTED 1
#define NEEDS_ECN 2
#define ECN_OK 1
#define ECN_DEMAND_CWR 4
#define LEAST_WINDOW 2u

// Macros of sockets' options.
#define SOL_TCP 6
#define TCP_CONGESTION 13

// A struct_ops program needs a licence that the kernel accepts as compatible.
char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct dctcp {
	__u32 delivered;   // segments delivered before this window of data
	__u32 marked;      // marked segments among those
	__u32 window_end;  // the window of data ends when this is acknowledged
	__u32 alpha;       // estimated share of marked bytes, in 1024ths
	__u32 loss_cwnd;   // window before the last reduction, to undo it
	__u32 rcv_nxt;     // receiver: next byte expected at the last packet
	__u8 ce;           // receiver: mark of the last packet (DCTCP.CE of 3.2)
};

// Values that the owner of a socket, and `ss --bpf-maps`, can read, in place of get_info.
struct shown {
	__u32 alpha;  // in 1024ths
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct shown);
} SIDESTEP_SHOWN SEC(".maps");

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

static __always_inline struct tcp_sock *tcp_of(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct inet_connection_sock *connection_of(struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

static __always_inline struct dctcp *state_of(struct sock *sk)
{
	return (struct dctcp *)connection_of(sk)->icsk_ca_priv;
}

static __always_inline void show(struct sock *sk, __u64 flags)
{
	struct shown *shown = bpf_sk_storage_get(&SIDESTEP_SHOWN, sk, 0, flags);

	if (shown)
		shown->alpha = state_of(sk)->alpha;
}

static __always_inline void begin_window(const struct tcp_sock *tp, struct dctcp *d)
{
	d->window_end = tp->snd_nxt;
	d->delivered = tp->delivered;
	d->marked = tp->delivered_ce;
}

SEC("struct_ops/sidestep_init")
void BPF_PROG(sidestep_init, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_of(sk);
	struct dctcp *d = state_of(sk);
	// A listener's congestion control is copied before the peer's ECN support is known.
	int unknown = sk->__sk_common.skc_state == TCP_LISTEN || sk->__sk_common.skc_state == TCP_CLOSE;

	if (!(tp->ecn_flags & ECN_OK) && !unknown) {
		// As in the kernel's dctcp. The state is reno's from here on; the change clears ECT, which was set for the
		// handshake.
		char reno[] = "reno";

		bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, reno, sizeof(reno));
		return;
	}
	d->alpha = SIDESTEP_INITIAL_ALPHA;
	d->loss_cwnd = 0;
	d->rcv_nxt = tp->rcv_nxt;
	d->ce = 0;
	begin_window(tp, d);
	show(sk, BPF_SK_STORAGE_GET_F_CREATE);
}

// 3.3, at the end of a window of data: M = marked / all; alpha = (1 - g) alpha + g M.
SEC("struct_ops/sidestep_in_ack_event")
void BPF_PROG(sidestep_in_ack_event, struct sock *sk, __u32 flags)
{
	const struct tcp_sock *tp = tcp_of(sk);
	struct dctcp *d = state_of(sk);
	__u32 all, marked, alpha = d->alpha, less;

	if ((__s32)(tp->snd_una - d->window_end) < 0)
		return;
	all = tp->delivered - d->delivered;
	marked = tp->delivered_ce - d->marked;
	less = alpha * SIDESTEP_GAIN / ONE;
	alpha -= less ? less : alpha;
	alpha += (__u64)marked * SIDESTEP_GAIN / (all ? all : 1);
	d->alpha = alpha > ONE ? ONE : alpha;
	begin_window(tp, d);
	show(sk, 0);
}

// 3.3: cwnd = cwnd (1 - alpha / 2). The kernel calls this at most once per window of data.
SEC("struct_ops/sidestep_ssthresh")
__u32 BPF_PROG(sidestep_ssthresh, struct sock *sk)
{
	const struct tcp_sock *tp = tcp_of(sk);
	struct dctcp *d = state_of(sk);
	__u32 cwnd = tp->snd_cwnd, less = (__u64)cwnd * d->alpha / (2 * ONE);

	d->loss_cwnd = cwnd;
	return cwnd - less < LEAST_WINDOW ? LEAST_WINDOW : cwnd - less;
}

// 3.4 and 3.5: the response to a packet loss is the same as without DCTCP.
static __always_inline void halve(struct sock *sk)
{
	struct tcp_sock *tp = tcp_of(sk);
	__u32 half = tp->snd_cwnd / 2;

	state_of(sk)->loss_cwnd = tp->snd_cwnd;
	tp->snd_ssthresh = half < LEAST_WINDOW ? LEAST_WINDOW : half;
}

SEC("struct_ops/sidestep_set_state")
void BPF_PROG(sidestep_set_state, struct sock *sk, __u8 state)
{
	if (state == TCP_CA_Recovery && connection_of(sk)->icsk_ca_state != TCP_CA_Recovery)
		halve(sk);
}

static __always_inline void echo(struct sock *sk, __u8 ce)
{
	struct tcp_sock *tp = tcp_of(sk);

	if (ce)
		tp->ecn_flags |= ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~ECN_DEMAND_CWR;
}

// 3.2, figure 1: when the mark changes, earlier packets are acknowledged at once with the old echo, so that
// delayed acknowledgements do not blur which packets were marked.
static __always_inline void arrived(struct sock *sk, __u8 ce)
{
	struct inet_connection_sock *connection = connection_of(sk);
	struct dctcp *d = state_of(sk);

	if (d->ce != ce) {
		if (connection->icsk_ack.pending & ICSK_ACK_TIMER) {
			echo(sk, d->ce);
			bpf_tcp_send_ack(sk, d->rcv_nxt);
		}
		connection->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	d->rcv_nxt = tcp_of(sk)->rcv_nxt;
	d->ce = ce;
	echo(sk, ce);
}

SEC("struct_ops/sidestep_cwnd_event")
void BPF_PROG(sidestep_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_ECN_IS_CE)
		arrived(sk, 1);
	else if (event == CA_EVENT_ECN_NO_CE)
		arrived(sk, 0);
	else if (event == CA_EVENT_LOSS)
		halve(sk);
}

SEC("struct_ops/sidestep_cong_avoid")
void BPF_PROG(sidestep_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/sidestep_undo_cwnd")
__u32 BPF_PROG(sidestep_undo_cwnd, struct sock *sk)
{
	__u32 before = state_of(sk)->loss_cwnd, cwnd = tcp_of(sk)->snd_cwnd;

	return before > cwnd ? before : cwnd;
}

#define TEXT(x) #x
#define AS_TEXT(x) TEXT(x)

SEC(".struct_ops")
struct tcp_congestion_ops SIDESTEP_NAME = {
	.init = (void *)sidestep_init,
	.ssthresh = (void *)sidestep_ssthresh,
	.cong_avoid = (void *)sidestep_cong_avoid,
	.set_state = (void *)sidestep_set_state,
	.cwnd_event = (void *)sidestep_cwnd_event,
	.in_ack_event = (void *)sidestep_in_ack_event,
	.undo_cwnd = (void *)sidestep_undo_cwnd,
	.flags = NEEDS_ECN | NON_RESTRICTED,
	.name = AS_TEXT(SIDESTEP_NAME),
};
