// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Algorithms of cwnd as congestion controls of this kernel: each is a `struct tcp_congestion_ops` whose hooks show the library the fields of
 * the connection, and write back those that an algorithm may change. The library has the state; the connection's private area has its number.
 *
 * Where calls are recorded, the kernel's own algorithms get such a struct, too, whose hooks call theirs.
 */

#include <linux/slab.h>
#include <linux/version.h>
#include <net/tcp.h>
#include "cwnd.h"

struct algorithm {
	struct tcp_congestion_ops ops;
	unsigned int number;
	/* The kernel's own that this calls; null for one of the library. */
	const struct tcp_congestion_ops *kernels;
	bool is_recorded;
};

static const struct cwnd_links *links;

/* Numbers of the hooks: the table of hooks of crates/cwnd/src/hooks.rs. */
enum { INIT, RELEASE, SSTHRESH, CONG_AVOID, SET_STATE, CWND_EVENT, IN_ACK_EVENT, UNDO_CWND, PKTS_ACKED, CONG_CONTROL };

static void init(struct sock *sk);

static const struct algorithm *algorithm_of(const struct sock *sk)
{
	return container_of(inet_csk(sk)->icsk_ca_ops, struct algorithm, ops);
}

/* Asks the library. */
static u32 ask(struct sock *sk, const struct algorithm *algorithm, unsigned int hook, const u32 *words)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct cwnd_conn before, now;
	unsigned long flags;
	u32 result;

	cwnd_show(sk, &before);
	now = before;
	local_irq_save(flags);
	result = links->hook(algorithm->number, hook, inet_csk_ca(sk), &now, words);
	local_irq_restore(flags);
	if (now.cwnd != before.cwnd)
		tp->snd_cwnd = now.cwnd;
	if (now.cwnd_cnt != before.cwnd_cnt)
		tp->snd_cwnd_cnt = now.cwnd_cnt;
	if (now.ssthresh != before.ssthresh)
		tp->snd_ssthresh = now.ssthresh;
	if (now.pacing_rate != before.pacing_rate)
		sk->sk_pacing_rate = now.pacing_rate;
	if (now.app_limited != before.app_limited)
		tp->app_limited = now.app_limited;
	return result;
}

int cwnd_is_recorded(const struct sock *sk)
{
	const struct tcp_congestion_ops *ops = inet_csk(sk)->icsk_ca_ops;

	return ops && ops->init == init && algorithm_of(sk)->is_recorded;
}

static void tell(const struct algorithm *algorithm, unsigned int connection, const void *record, unsigned int length)
{
	unsigned long flags;

	local_irq_save(flags);
	links->recorded(algorithm->number, connection, record, length);
	local_irq_restore(flags);
}

void cwnd_tell(struct sock *sk, const void *record, unsigned int length)
{
	tell(algorithm_of(sk), 0, record, length);
}

/* A time of a rate sample, in 32 bits. */
static u32 time_of(long us)
{
	return us < 0 ? -1 : min(us, (long)INT_MAX);
}

/* The words of `cong_control`: what its table of hooks in crates/cwnd/src/hooks.rs says. */
#define SAMPLE_WORDS(ack, flag, s)                                                                                          \
	ack, flag, (s)->delivered, (s)->delivered_ce, (s)->prior_delivered, time_of((s)->interval_us), time_of((s)->rtt_us), \
		(s)->losses, (s)->acked_sacked, (s)->prior_in_flight, (s)->is_app_limited, (s)->is_retrans, (s)->is_ack_delayed

/*
 * A call of a hook: of the kernel's own algorithm where the struct stands for one, which is `theirs`, else of the library. `algorithm`
 * is read before the call, because `init` of DCTCP may replace it.
 */
#define CALL(sk, which, theirs, began, ...)                                                     \
	({                                                                                      \
		const struct algorithm *algorithm = algorithm_of(sk);                           \
		const struct tcp_congestion_ops *kernels = algorithm->kernels;                  \
		const u32 words[CWND_ARGUMENT_WORDS] = { __VA_ARGS__ };                         \
		unsigned int connection = *(unsigned int *)inet_csk_ca(sk);                     \
		struct cwnd_call call;                                                          \
		u32 result = 0;                                                                 \
												\
		if (algorithm->is_recorded)                                                     \
			cwnd_call_begins(sk, &call);                                            \
		if (!kernels) {                                                                 \
			result = ask(sk, algorithm, which, words);                              \
			connection = connection ? : *(unsigned int *)inet_csk_ca(sk);           \
		} else {                                                                        \
			theirs;                                                                 \
		}                                                                               \
		if (algorithm->is_recorded) {                                                   \
			call.hook = which;                                                      \
			memcpy(call.args, words, sizeof(words));                                \
			call.returned = result;                                                 \
			call.prior_mstamp_us = began;                                           \
			cwnd_call_ends(sk, &call);                                              \
			tell(algorithm, kernels ? 0 : connection, &call, sizeof(call));         \
		}                                                                               \
		result;                                                                         \
	})

static void init(struct sock *sk)
{
	const struct algorithm *this = algorithm_of(sk);

	/* An algorithm of the library that sets the rate is paced at it. */
	if (!this->kernels && this->ops.cong_control)
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	if (this->is_recorded)
		cwnd_record_timer(sk);
	CALL(sk, INIT, if (kernels->init) kernels->init(sk), 0, 0);
}

static void release(struct sock *sk)
{
	CALL(sk, RELEASE, if (kernels->release) kernels->release(sk), 0, 0);
}

static u32 ssthresh(struct sock *sk)
{
	return CALL(sk, SSTHRESH, result = kernels->ssthresh(sk), 0, 0);
}

static void cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	CALL(sk, CONG_AVOID, kernels->cong_avoid(sk, ack, acked), 0, ack, acked);
}

static void set_state(struct sock *sk, u8 new)
{
	CALL(sk, SET_STATE, if (kernels->set_state) kernels->set_state(sk, new), 0, new);
}

static void cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	CALL(sk, CWND_EVENT, if (kernels->cwnd_event) kernels->cwnd_event(sk, event), 0, event);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
/* The event that has a hook of its own. */
static void cwnd_event_tx_start(struct sock *sk)
{
	CALL(sk, CWND_EVENT, if (kernels->cwnd_event_tx_start) kernels->cwnd_event_tx_start(sk), 0, CA_EVENT_TX_START);
}
#endif

static void in_ack_event(struct sock *sk, u32 flags)
{
	CALL(sk, IN_ACK_EVENT, if (kernels->in_ack_event) kernels->in_ack_event(sk, flags), 0, flags);
}

static u32 undo_cwnd(struct sock *sk)
{
	return CALL(sk, UNDO_CWND, result = kernels->undo_cwnd(sk), 0, 0);
}

static void pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	CALL(sk, PKTS_ACKED, if (kernels->pkts_acked) kernels->pkts_acked(sk, sample), 0, sample->pkts_acked, sample->rtt_us,
	     sample->in_flight);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
static void cong_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *sample)
{
	CALL(sk, CONG_CONTROL, kernels->cong_control(sk, ack, flag, sample), sample->prior_mstamp, SAMPLE_WORDS(ack, flag, sample));
}
#else
static void cong_control(struct sock *sk, const struct rate_sample *sample)
{
	CALL(sk, CONG_CONTROL, kernels->cong_control(sk, sample), sample->prior_mstamp,
	     SAMPLE_WORDS(tcp_sk(sk)->snd_una, 0, sample));
}
#endif

void cwnd_tcp_start(const struct cwnd_links *with)
{
	links = with;
}

int cwnd_tcp_add(unsigned int number, const char *name, int sets_the_rate, const char *kernels, int recorded)
{
	struct algorithm *algorithm = kzalloc(sizeof(*algorithm), GFP_ATOMIC);
	int error = 0;

	if (!algorithm)
		return -ENOMEM;
	if (kernels) {
		rcu_read_lock();
		algorithm->kernels = tcp_ca_find(kernels);
		rcu_read_unlock();
		if (!algorithm->kernels)
			error = -ENOENT;
		else
			/* With what is not recorded: `min_tso_segs`, `sndbuf_expand`, `get_info`, and what flags ask for. */
			algorithm->ops = *algorithm->kernels;
	}
	if (error) {
		kfree(algorithm);
		return error;
	}
	algorithm->number = number;
	algorithm->is_recorded = recorded;
	algorithm->ops.owner = NULL;
	algorithm->ops.key = 0;
	algorithm->ops.flags |= TCP_CONG_NON_RESTRICTED;
	algorithm->ops.init = init;
	algorithm->ops.release = release;
	algorithm->ops.ssthresh = ssthresh;
	algorithm->ops.set_state = set_state;
	algorithm->ops.cwnd_event = cwnd_event;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
	algorithm->ops.cwnd_event_tx_start = cwnd_event_tx_start;
#endif
	algorithm->ops.in_ack_event = in_ack_event;
	algorithm->ops.undo_cwnd = undo_cwnd;
	algorithm->ops.pkts_acked = pkts_acked;
	if (!kernels || algorithm->kernels->cong_avoid)
		algorithm->ops.cong_avoid = cong_avoid;
	if (kernels ? !!algorithm->kernels->cong_control : sets_the_rate)
		algorithm->ops.cong_control = cong_control;
	INIT_LIST_HEAD(&algorithm->ops.list);
	strscpy(algorithm->ops.name, name, sizeof(algorithm->ops.name));
	return tcp_register_congestion_control(&algorithm->ops);
}
