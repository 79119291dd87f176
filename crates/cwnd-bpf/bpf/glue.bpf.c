// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Between the kernel's tcp_congestion_ops and the hooks of one algorithm.
//
// Compiled once per algorithm. The build defines ALGORITHM (a string, as in the registry), PARAMS (how many),
// PARAM_DEFAULTS, REGISTERED (the kernel's name for it until the loader writes one) and META (the file of .cwnd.meta), and
// writes layout.h from the Rust types.

#include "record.bpf.h"

// What the object says of itself (crates/cwnd-bpf-build/src/metadata.rs), for whoever loads it from a file; the kernel never sees it.
__asm__(".pushsection .cwnd.meta,\"\",@progbits\n.incbin \"" META "\"\n.popsection");

// Ticks per second, which the loader writes.
SEC(".rodata.tick") const volatile __u32 tick_hz = 0;

// Not by the volatile itself: what a hook does not use is optimised away.
static __always_inline __u32 ticks_per_second(void)
{
	const __u32 *rate = (const __u32 *)&tick_hz;

	asm("" : "+r"(rate));
	return *rate;
}

struct params {
	__u32 value[PARAMS];
};

#define CORE(hook) __asm__("cwnd_" ALGORITHM "_" #hook)
// The hooks of the core, from the table of hooks.
DECLARE_CORE_HOOKS

// The default parameter set, or what the loader puts here before the object goes into the kernel.
SEC(".rodata.params") const volatile struct params params = { { PARAM_DEFAULTS } };

#include "contain.bpf.h"

struct call {
	struct tcp_sock *tp;
	void *state;
	struct conn before;
	struct conn conn;
	const struct params *params;
	struct record *record;
	struct guard *guard;
};

static __always_inline void enter(struct call *call, __u32 hook, const __u32 *words)
{
	__sync_fetch_and_add(&counters.calls[hook], 1);
	call->record = record_call(call->tp, hook, words);
	read_conn(call->tp, &call->conn);
	call->conn.tick_hz = ticks_per_second();
#ifdef HAS_CONG_CONTROL
	call->conn.random = bpf_get_prandom_u32();
	if (call->record)
		call->record->before.random = call->conn.random;
#endif
	if (call->guard && call->conn.prior_cwnd > call->guard->cwnd_before) {
		call->conn.prior_cwnd = call->guard->cwnd_before;
		if (call->record)
			call->record->before.prior_cwnd = call->conn.prior_cwnd;
	}
	call->before = call->conn;
	call->params = (const struct params *)&params;
	// Or the compiler takes the values that it sees here. The verifier then knows those that the loader put there.
	asm("" : "+r"(call->params));
}

// Writes what the hook changed; where it can change nothing, nothing is left of this.
static __always_inline void leave(const struct call *call, __u32 returned)
{
	const struct conn *old = &call->before, *c = &call->conn;
	struct tcp_sock *tp = call->tp;

	if (c->cwnd != old->cwnd)
		tp->snd_cwnd = c->cwnd;
	if (c->cwnd_cnt != old->cwnd_cnt)
		tp->snd_cwnd_cnt = c->cwnd_cnt;
	if (c->ssthresh != old->ssthresh)
		tp->snd_ssthresh = c->ssthresh;
	if (call->guard)
		remember(call->guard, c);
	else if (c->cwnd != old->cwnd || c->ssthresh != old->ssthresh)
		remember(armed_guard_of(tp), c);
	if (c->pacing_rate != old->pacing_rate)
		tp->inet_conn.icsk_inet.sk.sk_pacing_rate = c->pacing_rate;
#ifdef HAS_CONG_CONTROL
	if (c->app_limited != old->app_limited)
		tp->app_limited = c->app_limited;
#endif
	if (call->record)
		record_after(tp, call->record, returned);
}

// Only in objects that tests build, never in embedded ones: programs are skipped, as the kernel has been seen to do, and the kernel
// uses a left-over number as the result. The numbers are the lower halves of addresses. That of `undo_cwnd` is positive as a signed
// number: the kernel warns, once, of a negative window.
#define LEFT_OVER_ssthresh 0x81e0b2c5
#define LEFT_OVER_undo_cwnd 0x01e0b2c5

// LAPSE: skips every LAPSE-th call of `ssthresh` and `undo_cwnd`.
#ifdef LAPSE
SEC(".data.answers") __u64 answers = 0;
#define LEAVE_OUT(hook)                                                         \
	if (__sync_fetch_and_add(&answers, 1) % LAPSE == LAPSE - 1)             \
		return LEFT_OVER_##hook
#else
#define LEAVE_OUT(hook)
#endif

// LAPSE_OF_ACKS: skips all programs of every LAPSE_OF_ACKS-th acknowledgement that reports a gap outside of a reduction. The programs
// of one acknowledgement see the same `tcp_mstamp`. At one of the first acknowledgements of a gap the kernel calls `ssthresh` and
// `set_state`.
#ifdef LAPSE_OF_ACKS
SEC(".data.gaps") struct {
	__u64 acks;
	__u64 left_out_at;
} gaps = {};

static __always_inline _Bool is_left_out(struct tcp_sock *tp, __u32 hook)
{
	if (hook == HOOK_pkts_acked && tp->sacked_out && where_it_is(tp) == CONTAIN_OPEN &&
	    __sync_fetch_and_add(&gaps.acks, 1) % LAPSE_OF_ACKS == LAPSE_OF_ACKS - 1)
		gaps.left_out_at = tp->tcp_mstamp;
	return hook != HOOK_init && hook != HOOK_release && tp->tcp_mstamp == gaps.left_out_at;
}

#define LEAVE_OUT_WITH_ITS_ACK(hook, left_over)                                 \
	if (is_left_out((struct tcp_sock *)args[0], HOOK_##hook))               \
		return left_over
#else
#define LEAVE_OUT_WITH_ITS_ACK(hook, left_over)
#endif

// Makes `call`; the words after the guard are recorded with it: as many as the table of hooks says. `guarded` is the connection's
// guard, or 0.
#define ENTER(hook, guarded, ...)                                                            \
	struct tcp_sock *tp = (struct tcp_sock *)args[0];                                    \
	LEAVE_OUT_WITH_ITS_ACK(hook, 0);                                                     \
	struct call call = { .tp = tp, .state = tp->inet_conn.icsk_ca_priv, .guard = guarded }; \
	ASSERT_WORDS(hook, __VA_ARGS__);                                                     \
	enter(&call, HOOK_##hook, (const __u32[ARGUMENT_WORDS]){ __VA_ARGS__ })

// A hook without a result, with further arguments of the call into the core.
#define PROGRAM_VOID(hook, guarded, ...)                                        \
	PROGRAM(hook, int)                                                      \
	{                                                                       \
		ENTER(hook, guarded, __VA_ARGS__);                              \
		core_##hook(call.state, &call.conn, call.params, ##__VA_ARGS__); \
		leave(&call, 0);                                                \
		return 0;                                                       \
	}

// A hook with a result: after it, the guard's `field` is what the kernel will write there.
#define PROGRAM_U32(hook, field)                                                \
	PROGRAM(hook, __u32)                                                    \
	{                                                                       \
		LEAVE_OUT(hook);                                                \
		LEAVE_OUT_WITH_ITS_ACK(hook, LEFT_OVER_##hook);                 \
		ENTER(hook, HOOK_##hook == HOOK_ssthresh ? watch_asked(tp) : watch(tp, where_it_is(tp))); \
		__u32 result = core_##hook(call.state, &call.conn, call.params); \
		leave(&call, result);                                           \
		if (call.guard) {                                               \
			call.guard->field = result;                             \
			if (HOOK_##hook == HOOK_ssthresh)                       \
				call.guard->is_answered = 1;                    \
		}                                                               \
		return result;                                                  \
	}

PROGRAM_VOID(release, 0)
PROGRAM_U32(ssthresh, ssthresh)
PROGRAM_VOID(cong_avoid, watch_undone(tp), args[1], args[2])
PROGRAM_VOID(in_ack_event, 0, args[1])
PROGRAM_U32(undo_cwnd, cwnd)

// The kernel asks for a threshold, then says that the timer has fired.
PROGRAM(cwnd_event, int)
{
	ENTER(cwnd_event, watch(tp, args[1] == CA_EVENT_LOSS ? CONTAIN_ASKED : where_it_is(tp)), args[1]);
	core_cwnd_event(call.state, &call.conn, call.params, args[1]);
	leave(&call, 0);
	return 0;
}

// From 7.1 on, the most frequent of the events comes by a hook of its own; for the core it is the event that it was.
PROGRAM(cwnd_event_tx_start, int)
{
	ENTER(cwnd_event, watch(tp, where_it_is(tp)), CA_EVENT_TX_START);
	core_cwnd_event(call.state, &call.conn, call.params, CA_EVENT_TX_START);
	leave(&call, 0);
	return 0;
}

// A new connection, or one that changes to this algorithm.
static __always_inline void begin(struct tcp_sock *tp)
{
	struct guard *guard = guard_of(tp);

	if (guard)
		__builtin_memset(guard, 0, sizeof(*guard));
	else
		__sync_fetch_and_add(&counters.unguarded, 1);
#ifdef HAS_CONG_CONTROL
	// An algorithm that sets the rate has to be paced at it; a queue discipline (fq) that does so already goes on. Before the
	// hook, which sees it.
	struct sock *sk = &tp->inet_conn.icsk_inet.sk;

	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
#endif
}

PROGRAM(init, int)
{
	KEEP_IDENTITY;
	begin((struct tcp_sock *)args[0]);
	ENTER(init, 0);
	core_init(call.state, &call.conn, call.params);
	leave(&call, 0);
	return 0;
}

PROGRAM(set_state, int)
{
	__u64 new = (__u8)args[1];

	// Or the compiler checks one copy of it and adds with another, which the verifier cannot follow.
	barrier_var(new);
	if (new < STATES)
		__sync_fetch_and_add(&counters.states[new], 1);
	ENTER(set_state, watch(tp, where_it_goes(tp, new)), new);
	core_set_state(call.state, &call.conn, call.params, new);
	leave(&call, 0);
	if (call.guard)
		call.guard->is_answered = 0;
	return 0;
}

PROGRAM(pkts_acked, int)
{
	const struct ack_sample *given = (const struct ack_sample *)args[1];
	struct sample sample = { given->pkts_acked, given->rtt_us };

	// The kernel's is in bytes, the core's in packets. A division by zero is zero here.
	sample.in_flight = given->in_flight / ((struct tcp_sock *)args[0])->mss_cache;
	ENTER(pkts_acked, watch(tp, where_it_is(tp)), sample.pkts_acked, sample.rtt_us, given->in_flight);
	core_pkts_acked(call.state, &call.conn, call.params, &sample);
	leave(&call, 0);
	return 0;
}

// The build defines HAS_CONG_CONTROL for an algorithm that sets window and rate itself.
#ifdef HAS_CONG_CONTROL
struct rate_sample {
	int delivered;
	int delivered_ce;
	__u32 prior_delivered;
	long interval_us;
	long rtt_us;
	int losses;
	__u32 acked_sacked;
	__u32 prior_in_flight;
	_Bool is_app_limited;
	_Bool is_retrans;
	_Bool is_ack_delayed;
} KERNEL_STRUCT;

// The core has 32 bits for a time: more than half an hour.
static __always_inline __s32 time_of(long us)
{
	return us > 0x7fffffff ? 0x7fffffff : us < 0 ? -1 : us;
}

// The kernel's last argument is the sample: the second of two or the fourth of four. Kernels that give two say neither `ack` nor `flags`.
static __always_inline int control(const __u64 *args, __u32 ack, __u32 flags, const struct rate_sample *given)
{
	struct rate s = {
		.delivered = given->delivered,
		.delivered_ce = given->delivered_ce,
		.prior_delivered = given->prior_delivered,
		.interval_us = time_of(given->interval_us),
		.rtt_us = time_of(given->rtt_us),
		.losses = given->losses,
		.acked_sacked = given->acked_sacked,
		.prior_in_flight = given->prior_in_flight,
		.is_app_limited = given->is_app_limited,
		.is_retrans = given->is_retrans,
		.is_ack_delayed = given->is_ack_delayed,
	};

	ENTER(cong_control, watch_undone(tp), ack, flags, s.delivered, s.delivered_ce, s.prior_delivered, s.interval_us, s.rtt_us, s.losses,
	      s.acked_sacked, s.prior_in_flight, s.is_app_limited, s.is_retrans, s.is_ack_delayed);
	core_cong_control(call.state, &call.conn, call.params, ack, flags, &s);
	leave(&call, 0);
	return 0;
}

PROGRAM(cong_control, int)
{
	return control(args, args[1], args[2], (const struct rate_sample *)args[3]);
}

PROGRAM(cong_control_of_two, int)
{
	return control(args, ((struct tcp_sock *)args[0])->snd_una, 0, (const struct rate_sample *)args[1]);
}
#endif

// .link: registered as long as the loader holds its link, even if the loader is killed.
SEC(".struct_ops.link") struct tcp_congestion_ops ops = {
	.name = REGISTERED,
	.flags = TCP_CONG_NON_RESTRICTED,
	.init = (void *)program_init,
	.release = (void *)program_release,
	.ssthresh = (void *)program_ssthresh,
	.cong_avoid = (void *)program_cong_avoid,
	.set_state = (void *)program_set_state,
	.cwnd_event = (void *)program_cwnd_event,
	.cwnd_event_tx_start = (void *)program_cwnd_event_tx_start,
	.in_ack_event = (void *)program_in_ack_event,
	.undo_cwnd = (void *)program_undo_cwnd,
	.pkts_acked = (void *)program_pkts_acked,
#ifdef HAS_CONG_CONTROL
	.cong_control = (void *)program_cong_control,
	.cong_control_of_two = (void *)program_cong_control_of_two,
#endif
};
