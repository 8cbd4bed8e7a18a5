/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Verdict on one packet whose port is known. The queues are those of the machine, or those of a row.
 *
 * Decision     the buffer policies of decide.h, in the order of crates/switch/src/decide.rs: time to live, room, detour.
 * State        none.
 * Units        as decide.h.
 * Errors       none.
 * Deviations   none.
 */
#ifndef SIDESTEP_JUDGE_H
#define SIDESTEP_JUDGE_H

/* Source of queue depths: the machine at that time, or `still`. */
struct view {
	struct machine *machine;
	struct queues *queues;
	__u64 now;
	const struct depth *still;
};

static __always_inline struct depth look(const struct view *view, __u32 port)
{
	if (view->still)
		return view->still[port & 7];
	return settle(port_at(view->machine, port), queue_at(view->queues, port), view->now);
}

/* Returns the verdict, and in `met` the depth of the queue of the packet's port. */
static __always_inline struct verdict judge(const struct rule *rule, const struct packet *packet, __u32 want,
					    const struct view *view, struct stream *stream, struct depth *met)
{
	struct verdict there = { DETOUR, NO_PORT, 0, 0 };
	struct depth depth = look(view, want);
	__u64 open = 0, may, used = 0;
	int reason;

	*met = depth;
	if (!packet->ttl)
		return lost(want, DROP_TTL);
	if (SHARED(rule))
		for (__u32 p = 0; p < SIDESTEP_PORTS; p++)
			used += look(view, p).bytes;
	if (fits(rule, depth, packet->buffer, used))
		return keep(rule, want, depth);
	reason = stays(rule, packet);
	if (reason >= 0)
		return lost(want, reason);
	may = allowed(rule, packet);
	for (__u32 p = 0; p < SIDESTEP_PORTS; p++)
		open |= (may >> p & fits(rule, look(view, p), packet->buffer, used)) << p;
	there.port = detour(rule, open, stream);
	if (there.port == NO_PORT)
		return lost(want, DROP_FULL);
	there.mark = rule->mark_detours || steps(rule, look(view, there.port));
	return there;
}

#endif
