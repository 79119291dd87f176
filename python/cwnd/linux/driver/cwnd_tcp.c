// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Algorithms of cwnd as congestion controls of this kernel: each is a `struct tcp_congestion_ops` whose hooks show the library the fields of
 * the connection, and write back those that an algorithm may change. The library has the state; the connection's private area has its number.
 */

#include <linux/slab.h>
#include <linux/version.h>
#include <net/tcp.h>
#include "cwnd.h"

struct algorithm {
	struct tcp_congestion_ops ops;
	unsigned int number;
};

static const struct cwnd_links *links;

/* Numbers of the hooks: the table of hooks of crates/cwnd/src/hooks.rs. */
enum { INIT, RELEASE, SSTHRESH, CONG_AVOID, SET_STATE, CWND_EVENT, IN_ACK_EVENT, UNDO_CWND, PKTS_ACKED, CONG_CONTROL };

static void show(const struct sock *sk, struct cwnd_socket *s)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 min_rtt = tcp_min_rtt(tp);

	*s = (struct cwnd_socket){
		.now_us = tp->tcp_mstamp,
		.delivered = tp->delivered,
		.pacing_rate = sk->sk_pacing_rate,
		.ticks = tcp_jiffies32,
		.tick_hz = HZ,
		.lsndtime_ticks = tp->lsndtime,
		.mss = tp->mss_cache,
		.snd_una = tp->snd_una,
		.snd_nxt = tp->snd_nxt,
		.packets_out = tp->packets_out,
		.in_flight = tcp_packets_in_flight(tp),
		.max_packets_out = tp->max_packets_out,
		.cwnd = tp->snd_cwnd,
		.cwnd_cnt = tp->snd_cwnd_cnt,
		.ssthresh = tp->snd_ssthresh,
		.prior_cwnd = tp->prior_cwnd,
		.cwnd_clamp = tp->snd_cwnd_clamp,
		.srtt_us8 = tp->srtt_us,
		/* The kernel's "no sample yet" is all ones. */
		.min_rtt_us = min_rtt == ~0U ? 0 : min_rtt,
		.gso_max_size = sk->sk_gso_max_size,
		.is_cwnd_limited = tp->is_cwnd_limited,
		.ca_state = inet_csk(sk)->icsk_ca_state,
		.pacing_status = sk->sk_pacing_status,
	};
}

static u32 call(struct sock *sk, unsigned int hook, u32 first, u32 second, u32 third)
{
	const struct algorithm *algorithm = container_of(inet_csk(sk)->icsk_ca_ops, struct algorithm, ops);
	const u32 words[3] = { first, second, third };
	struct tcp_sock *tp = tcp_sk(sk);
	struct cwnd_socket before, now;
	unsigned long flags;
	u32 result;

	show(sk, &before);
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
	return result;
}

static void init(struct sock *sk)
{
	/* An algorithm that sets the rate is paced at it. */
	if (inet_csk(sk)->icsk_ca_ops->cong_control)
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	call(sk, INIT, 0, 0, 0);
}

static void release(struct sock *sk)
{
	call(sk, RELEASE, 0, 0, 0);
}

static u32 ssthresh(struct sock *sk)
{
	return call(sk, SSTHRESH, 0, 0, 0);
}

static void cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	call(sk, CONG_AVOID, ack, acked, 0);
}

static void set_state(struct sock *sk, u8 new)
{
	call(sk, SET_STATE, new, 0, 0);
}

static void cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	call(sk, CWND_EVENT, event, 0, 0);
}

static void in_ack_event(struct sock *sk, u32 flags)
{
	call(sk, IN_ACK_EVENT, flags, 0, 0);
}

static u32 undo_cwnd(struct sock *sk)
{
	return call(sk, UNDO_CWND, 0, 0, 0);
}

static void pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	call(sk, PKTS_ACKED, sample->pkts_acked, sample->rtt_us, sample->in_flight);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
static void cong_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *sample)
#else
static void cong_control(struct sock *sk, const struct rate_sample *sample)
#endif
{
	call(sk, CONG_CONTROL, sample->acked_sacked, 0, 0);
}

void cwnd_tcp_start(const struct cwnd_links *with)
{
	links = with;
}

/* The library has an algorithm for connections that ask for this name; returns 0, or an error of the kernel. */
int cwnd_tcp_add(unsigned int number, const char *name, int sets_the_rate)
{
	struct algorithm *algorithm = kzalloc(sizeof(*algorithm), GFP_ATOMIC);

	if (!algorithm)
		return -ENOMEM;
	algorithm->number = number;
	algorithm->ops = (struct tcp_congestion_ops){
		.owner = NULL,
		.flags = TCP_CONG_NON_RESTRICTED,
		.init = init,
		.release = release,
		.ssthresh = ssthresh,
		.cong_avoid = cong_avoid,
		.set_state = set_state,
		.cwnd_event = cwnd_event,
		.in_ack_event = in_ack_event,
		.undo_cwnd = undo_cwnd,
		.pkts_acked = pkts_acked,
		.cong_control = sets_the_rate ? cong_control : NULL,
	};
	strscpy(algorithm->ops.name, name, sizeof(algorithm->ops.name));
	return tcp_register_congestion_control(&algorithm->ops);
}
