// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One of the kernel's own algorithms under another name, with every call recorded: its hooks are called as functions of the
// kernel (kfuncs), which tcp_congestion_ops programs may do. What it does is what the kernel's algorithm does, to the bit.
//
// The build defines ALGORITHM (the kernel's name for it) and one of WRAPS_CUBIC, WRAPS_RENO. With TRANSPORT also the calls are recorded that the
// algorithm has no function for, and what arrives, leaves and expires.

#include "record.bpf.h"
#ifdef TRANSPORT
#include "transport.bpf.h"
#endif

extern __u32 tcp_reno_ssthresh(struct sock *) __ksym;
extern void tcp_reno_cong_avoid(struct sock *, __u32, __u32) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *) __ksym;
extern void cubictcp_init(struct sock *) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *) __ksym;
extern void cubictcp_cong_avoid(struct sock *, __u32, __u32) __ksym;
extern void cubictcp_state(struct sock *, __u8) __ksym;
// The first until 7.0, the second from 7.1.
extern void cubictcp_cwnd_event(struct sock *, enum tcp_ca_event) __ksym __weak;
extern void cubictcp_cwnd_event_tx_start(struct sock *) __ksym __weak;
extern void cubictcp_acked(struct sock *, const struct ack_sample *) __ksym;

static __always_inline struct record *enter(struct tcp_sock *tp, __u32 hook, const __u32 *words)
{
	__sync_fetch_and_add(&counters.calls[hook], 1);
	return record_call(tp, hook, words);
}

static __always_inline void leave(struct tcp_sock *tp, struct record *record, __u32 returned)
{
	if (record)
		record_after(tp, record, returned);
}

// The first half of a hook's record, with these words.
#define ENTER(hook, ...)                                                                \
	struct sock *sk = (struct sock *)args[0];                                       \
	ASSERT_WORDS(hook, __VA_ARGS__);                                                \
	struct record *record = enter((struct tcp_sock *)sk, HOOK_##hook,               \
				      (const __u32[ARGUMENT_WORDS]){ __VA_ARGS__ })

// `call` between the two halves of its record; the words after it are recorded with it.
#define WRAP(hook, call, ...)                                                           \
	ENTER(hook, __VA_ARGS__);                                                       \
	call;                                                                           \
	leave((struct tcp_sock *)sk, record, 0);                                        \
	return 0

#define WRAP_U32(hook, call)                                                            \
	ENTER(hook);                                                                    \
	__u32 result = call;                                                            \
	leave((struct tcp_sock *)sk, record, result);                                   \
	return result

PROGRAM(undo_cwnd, __u32)
{
	KEEP_IDENTITY;
	WRAP_U32(undo_cwnd, tcp_reno_undo_cwnd(sk));
}

#ifdef WRAPS_RENO

PROGRAM(ssthresh, __u32)
{
	WRAP_U32(ssthresh, tcp_reno_ssthresh(sk));
}

PROGRAM(cong_avoid, int)
{
	WRAP(cong_avoid, tcp_reno_cong_avoid(sk, args[1], args[2]), args[1], args[2]);
}

#endif

#ifdef WRAPS_CUBIC

PROGRAM(init, int)
{
	WRAP(init, cubictcp_init(sk));
}

PROGRAM(ssthresh, __u32)
{
	WRAP_U32(ssthresh, cubictcp_recalc_ssthresh(sk));
}

PROGRAM(cong_avoid, int)
{
	WRAP(cong_avoid, cubictcp_cong_avoid(sk, args[1], args[2]), args[1], args[2]);
}

PROGRAM(set_state, int)
{
	__u64 new = (__u8)args[1];

	barrier_var(new);
	if (new < STATES)
		__sync_fetch_and_add(&counters.states[new], 1);
	WRAP(set_state, cubictcp_state(sk, new), new);
}

PROGRAM(cwnd_event, int)
{
	WRAP(cwnd_event, if (cubictcp_cwnd_event) cubictcp_cwnd_event(sk, args[1]), args[1]);
}

PROGRAM(cwnd_event_tx_start, int)
{
	WRAP(cwnd_event, if (cubictcp_cwnd_event_tx_start) cubictcp_cwnd_event_tx_start(sk),
	     CA_EVENT_TX_START);
}

PROGRAM(pkts_acked, int)
{
	const struct ack_sample *given = (const struct ack_sample *)args[1];

	WRAP(pkts_acked, cubictcp_acked(sk, given), given->pkts_acked, given->rtt_us, given->in_flight);
}

#endif

#ifdef TRANSPORT

PROGRAM(release, int)
{
	WRAP(release, (void)0);
}

PROGRAM(in_ack_event, int)
{
	WRAP(in_ack_event, (void)0, args[1]);
}

#ifdef WRAPS_RENO

PROGRAM(init, int)
{
	WRAP(init, (void)0);
}

PROGRAM(set_state, int)
{
	WRAP(set_state, (void)0, (__u8)args[1]);
}

PROGRAM(cwnd_event, int)
{
	WRAP(cwnd_event, (void)0, args[1]);
}

PROGRAM(cwnd_event_tx_start, int)
{
	WRAP(cwnd_event, (void)0, CA_EVENT_TX_START);
}

PROGRAM(pkts_acked, int)
{
	const struct ack_sample *given = (const struct ack_sample *)args[1];

	WRAP(pkts_acked, (void)0, given->pkts_acked, given->rtt_us, given->in_flight);
}

#endif
#endif

SEC(".struct_ops.link") struct tcp_congestion_ops ops = {
	.name = "cwnd_" ALGORITHM,
	.flags = TCP_CONG_NON_RESTRICTED,
	.ssthresh = (void *)program_ssthresh,
	.cong_avoid = (void *)program_cong_avoid,
	.undo_cwnd = (void *)program_undo_cwnd,
#ifdef TRANSPORT
	.release = (void *)program_release,
	.in_ack_event = (void *)program_in_ack_event,
#endif
#if defined(WRAPS_CUBIC) || defined(TRANSPORT)
	.init = (void *)program_init,
	.set_state = (void *)program_set_state,
	.cwnd_event = (void *)program_cwnd_event,
	.cwnd_event_tx_start = (void *)program_cwnd_event_tx_start,
	.pkts_acked = (void *)program_pkts_acked,
#endif
};
