// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Replaces hook results that the algorithm never returned (docs/adr/0007): Linux 6.18 has been seen to skip the programs of one
// acknowledgement, and to use a left-over address as the result of `ssthresh` or `undo_cwnd`. The glue stores the window and the
// threshold after each call. A later change is either the kernel's own, which follows few rules, or such a result. The glue replaces
// the latter at the next call, by a new result of the hook or by the stored value, and counts it.
//
// Included by glue.bpf.c, which declares the hooks of the core.
#pragma once

// From the kernel's stable interface.
#define BPF_MAP_TYPE_SK_STORAGE 24
#define BPF_F_NO_PREALLOC 1
#define BPF_SK_STORAGE_GET_F_CREATE 1

// What the last call left of a connection.
struct guard {
	// 0 before the first call; no window is.
	__u32 cwnd;
	__u32 ssthresh;
	// Both when the threshold was last asked for. The kernel's own copies, prior_cwnd and prior_ssthresh, cannot be trusted: it
	// makes them while programs are skipped, too.
	__u32 cwnd_before;
	__u32 ssthresh_before;
	// The threshold was asked for, and answered, since the last change of state.
	_Bool is_answered;
	// A call was made on the established connection. During the handshake the kernel sets window and threshold as it likes:
	// from the route, from what it remembers of the peer.
	_Bool is_armed;
};

SEC(".maps") struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct guard);
} guards;

static __always_inline struct guard *guard_of(struct tcp_sock *tp)
{
	return bpf_sk_storage_get(&guards, tp, 0, BPF_SK_STORAGE_GET_F_CREATE);
}

// The same where it is in use.
static __always_inline struct guard *armed_guard_of(struct tcp_sock *tp)
{
	struct guard *guard = guard_of(tp);

	return guard && guard->is_armed ? guard : 0;
}

// What a call leaves.
static __always_inline void remember(struct guard *guard, const struct conn *conn)
{
	if (guard) {
		guard->cwnd = conn->cwnd;
		guard->ssthresh = conn->ssthresh;
	}
}

static __always_inline __u32 larger(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

// Whether the kernel itself may have changed the threshold to `now`: back to what it was before a reduction, or up to three
// quarters of the window when idle or limited by the application (RFC 2861).
static __always_inline _Bool kernel_sets_ssthresh(struct tcp_sock *tp, struct guard *guard, __u32 now)
{
	__u32 window = larger(guard->cwnd, guard->cwnd_before);

	if (now == guard->ssthresh)
		return 1;
	if (now == tp->prior_ssthresh)
		return now <= larger(guard->ssthresh_before, window);
	return now >= guard->ssthresh && now <= window / 2 + window / 4;
}

// Whether the kernel itself may have raised the window to `now`. Outside of reductions (`is_open`) it does so only at the end
// of one, to the threshold, or by taking one back, which it asks for. Within one, proportional rate reduction and the first
// window after a timeout follow what is in flight.
static __always_inline _Bool kernel_raises_cwnd(struct tcp_sock *tp, struct guard *guard, __u32 now, _Bool is_open)
{
	if (now <= guard->cwnd)
		return 1;
	if (is_open)
		return now == tp->snd_ssthresh;
	return now / 2 <= larger(larger(guard->cwnd, guard->cwnd_before), tp->packets_out);
}

// Where a call stands in the kernel's course of things.
#define CONTAIN_OPEN 1 /* nothing is being reduced after it */
#define CONTAIN_ASKED 2 /* the kernel has just asked for a threshold */

// Calls the core's `hook` for an answer that the kernel did not get, on the connection as it was when it asked.
#define MAKE_UP(hook, tp, conn, result)                                                     \
	do {                                                                                \
		struct record *record = 0;                                                  \
		const struct params *given = (const struct params *)&params;                \
		__u32 cwnd_cnt = (conn).cwnd_cnt;                                           \
		__u64 pacing_rate = (conn).pacing_rate;                                     \
		asm("" : "+r"(given));                                                      \
		__sync_fetch_and_add(&counters.calls[HOOK_##hook], 1);                      \
		__sync_fetch_and_add(&counters.repaired, 1);                                \
		if (recording)                                                              \
			record = record_before(tp, HOOK_##hook);                            \
		if (record) {                                                               \
			record->repaired = 1;                                               \
			record->before.cwnd = (conn).cwnd;                                  \
			record->before.prior_cwnd = (conn).prior_cwnd;                      \
		}                                                                           \
		result = core_##hook((tp)->inet_conn.icsk_ca_priv, &(conn), given);         \
		if ((conn).cwnd_cnt != cwnd_cnt)                                            \
			(tp)->snd_cwnd_cnt = (conn).cwnd_cnt;                               \
		if ((conn).pacing_rate != pacing_rate)                                      \
			(tp)->inet_conn.icsk_inet.sk.sk_pacing_rate = (conn).pacing_rate;   \
		if (record)                                                                 \
			record_after(tp, record, result);                                   \
	} while (0)

// The connection on which a missing result is computed, with the window that the last call left.
static __always_inline void conn_before(struct tcp_sock *tp, struct guard *guard, struct conn *conn)
{
	read_conn(tp, conn);
	conn->tick_hz = ticks_per_second();
	conn->cwnd = guard->cwnd;
	if (conn->prior_cwnd > guard->cwnd_before)
		conn->prior_cwnd = guard->cwnd_before;
}

// Looks at a window or a threshold that the last call did not leave. Returns whether the connection is watched yet. A function
// of its own: it exists once in the object, and runs while losses are repaired.
static __noinline int contain(struct tcp_sock *tp, struct guard *guard, __u32 where)
{
	struct conn conn;
	__u32 result;

	__u8 state = tp->inet_conn.icsk_inet.sk.__sk_common.skc_state;

	// A disconnect sets window and threshold anew: what comes after it is another connection.
	if (state == TCP_CLOSE)
		guard->is_armed = 0;
	if (!guard->is_armed) {
		guard->is_armed = state != TCP_SYN_SENT && state != TCP_SYN_RECV && state != TCP_CLOSE;
		guard->cwnd_before = tp->prior_cwnd;
		guard->ssthresh_before = tp->prior_ssthresh;
		return guard->is_armed;
	}
	if (((where & CONTAIN_ASKED) && !guard->is_answered) || !kernel_sets_ssthresh(tp, guard, tp->snd_ssthresh)) {
		tp->snd_ssthresh = guard->ssthresh;
		if (where & CONTAIN_OPEN) {
			__sync_fetch_and_add(&counters.repaired, 1);
		} else {
			guard->cwnd_before = guard->cwnd;
			guard->ssthresh_before = guard->ssthresh;
			conn_before(tp, guard, &conn);
			MAKE_UP(ssthresh, tp, conn, result);
			tp->snd_ssthresh = result;
			guard->is_answered = 1;
		}
	}
	if (!kernel_raises_cwnd(tp, guard, tp->snd_cwnd, where & CONTAIN_OPEN)) {
		if (where & CONTAIN_OPEN) {
			conn_before(tp, guard, &conn);
			MAKE_UP(undo_cwnd, tp, conn, result);
			tp->snd_cwnd = result;
		} else {
			__sync_fetch_and_add(&counters.repaired, 1);
			tp->snd_cwnd = guard->cwnd;
		}
	}
	return 1;
}

// The connection's guard, after a look at what the kernel has made of window and threshold; 0 where there is none, or not yet.
static __always_inline struct guard *watch(struct tcp_sock *tp, __u32 where)
{
	struct guard *guard = guard_of(tp);

	if (!guard)
		return 0;
	if (guard->cwnd != tp->snd_cwnd || guard->ssthresh != tp->snd_ssthresh ||
	    ((where & CONTAIN_ASKED) && !guard->is_answered)) {
		if (!contain(tp, guard, where))
			return 0;
	}
	return guard;
}

// A call whose state is the connection's own.
static __always_inline __u32 where_it_is(struct tcp_sock *tp)
{
	struct inet_connection_sock *icsk = &tp->inet_conn;

	return BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state) <= TCP_CA_DISORDER ? CONTAIN_OPEN : 0;
}

// A change to state `new`: the kernel asks for a threshold before CWR and Recovery, unless it comes from one of them.
static __always_inline __u32 where_it_goes(struct tcp_sock *tp, __u32 new)
{
	struct inet_connection_sock *icsk = &tp->inet_conn;
	__u32 old = BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
	_Bool begins = new == TCP_CA_CWR || new == TCP_CA_RECOVERY;
	_Bool goes_on = old == TCP_CA_CWR || old == TCP_CA_RECOVERY;

	return (new <= TCP_CA_DISORDER ? CONTAIN_OPEN : 0) | (begins && !goes_on ? CONTAIN_ASKED : 0);
}

// A call that follows pkts_acked within one acknowledgement: nothing can have come between that is not looked at by itself, but
// a reduction that was taken back without a change of state. The kernel then clears the mark of what can be taken back.
static __always_inline struct guard *watch_undone(struct tcp_sock *tp)
{
	return tp->prior_cwnd && !tp->undo_marker ? watch(tp, where_it_is(tp)) : 0;
}

// The call that asks for a threshold.
static __always_inline struct guard *watch_asked(struct tcp_sock *tp)
{
	struct guard *guard = watch(tp, where_it_is(tp));

	if (guard) {
		guard->cwnd_before = tp->snd_cwnd;
		guard->ssthresh_before = tp->snd_ssthresh;
	}
	return guard;
}
