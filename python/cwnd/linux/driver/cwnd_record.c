// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What connections do: calls of hooks, segments that arrive at an established connection, segments that leave, and the timer for timeouts,
 * probes and reordering, each with the connection before it. Nothing else runs on this processor meanwhile: the order is that of the kernel.
 */

#include <linux/jhash.h>
#include <linux/skbuff.h>
#include <linux/version.h>
#include <net/tcp.h>
#include "cwnd.h"

enum { ACK, SENT, TIMER };

/* The function of the timer for timeouts, probes and reordering, which is that of every connection. */
static void (*timers_own)(struct timer_list *);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
static struct timer_list *timer_of(struct sock *sk)
{
	return &sk->tcp_retransmit_timer;
}

static struct sock *connection_of(struct timer_list *timer)
{
	return container_of(timer, struct sock, tcp_retransmit_timer);
}
#else
static struct timer_list *timer_of(struct sock *sk)
{
	return &inet_csk(sk)->icsk_retransmit_timer;
}

static struct sock *connection_of(struct timer_list *timer)
{
	return &container_of(timer, struct inet_connection_sock, icsk_retransmit_timer)->icsk_inet.sk;
}
#endif

void cwnd_show(const struct sock *sk, struct cwnd_conn *conn)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 min_rtt = tcp_min_rtt(tp);

	*conn = (struct cwnd_conn){
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
		.delivered_us = tp->delivered_mstamp,
		.first_sent_us = tp->first_tx_mstamp,
		.delivered_ce = tp->delivered_ce,
		.lost = tp->lost,
		.app_limited = tp->app_limited,
		.paced_ahead_us = tp->tcp_wstamp_ns > tp->tcp_clock_cache ?
					  div_u64(tp->tcp_wstamp_ns - tp->tcp_clock_cache, NSEC_PER_USEC) : 0,
		.pacing_shift = sk->sk_pacing_shift,
		/* Nothing is taken from the kernel's random numbers: its own draws stay what they are. */
		.random = jhash_3words(tp->snd_nxt, tp->delivered, (u32)tp->tcp_mstamp, 0),
		.gso_max_size = sk->sk_gso_max_size,
		.is_cwnd_limited = tp->is_cwnd_limited,
		.ca_state = inet_csk(sk)->icsk_ca_state,
		.pacing_status = sk->sk_pacing_status,
	};
}

static void look_inside(const struct sock *sk, struct cwnd_inside *inside)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	*inside = (struct cwnd_inside){
		.packets_out = tp->packets_out,
		.sacked_out = tp->sacked_out,
		.lost_out = tp->lost_out,
		.retrans_out = tp->retrans_out,
		.rtt_min_us = tcp_min_rtt(tp),
		.mdev_us = tp->mdev_us,
		.rttvar_us = tp->rttvar_us,
		.lost = tp->lost,
		.total_retrans = tp->total_retrans,
		.prior_ssthresh = tp->prior_ssthresh,
		.high_seq = tp->high_seq,
		.undo_marker = tp->undo_marker,
		.app_limited = tp->app_limited,
		.snd_wnd = tp->snd_wnd,
		.local_port = sk->sk_num,
		.remote_port = ntohs(sk->sk_dport),
	};
}

void cwnd_call_begins(struct sock *sk, struct cwnd_call *call)
{
	memset(call, 0, sizeof(*call));
	cwnd_show(sk, &call->before);
	look_inside(sk, &call->inside);
	call->socket = (unsigned long)sk;
	call->time_us = call->before.now_us ? : ktime_get_ns() / NSEC_PER_USEC;
	memcpy(call->private_before, inet_csk_ca(sk), sizeof(call->private_before));
}

void cwnd_call_ends(struct sock *sk, struct cwnd_call *call)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	memcpy(call->private_after, inet_csk_ca(sk), sizeof(call->private_after));
	call->ticks_after = tcp_jiffies32;
	call->cwnd_after = tp->snd_cwnd;
	call->ssthresh_after = tp->snd_ssthresh;
	call->cwnd_cnt_after = tp->snd_cwnd_cnt;
	call->pacing_rate_after = sk->sk_pacing_rate;
	call->pacing_status_after = sk->sk_pacing_status;
}

/* The record of what happens to a connection now. */
static void begin_packet(struct sock *sk, struct cwnd_packet *packet, unsigned int kind)
{
	const struct inet_connection_sock *icsk = inet_csk(sk);
	const struct tcp_sock *tp = tcp_sk(sk);

	memset(packet, 0, sizeof(*packet));
	cwnd_show(sk, &packet->conn);
	look_inside(sk, &packet->inside);
	packet->socket = (unsigned long)sk;
	packet->time_ns = ktime_get_ns();
	packet->kind = kind;
	packet->write_seq = tp->write_seq;
	packet->pending = icsk->icsk_pending;
	packet->expires_ticks = timer_of(sk)->expires;
	packet->rto_ticks = icsk->icsk_rto;
	packet->backoff = icsk->icsk_backoff;
	packet->rack_rtt_us = tp->rack.rtt_us;
	packet->reo_wnd_steps = tp->rack.reo_wnd_steps;
	packet->reo_wnd_persist = tp->rack.reo_wnd_persist;
	packet->reordering = tp->reordering;
	packet->reord_seen = tp->reord_seen;
	packet->tlp_high_seq = tp->tlp_high_seq;
	packet->undo_retrans = tp->undo_retrans;
	packet->retrans_stamp = tp->retrans_stamp;
	packet->frto = tp->frto;
	packet->data_segs_out = tp->data_segs_out;
}

static void copy_header(struct cwnd_packet *packet, const struct sk_buff *skb)
{
	const unsigned char *header = skb_transport_header(skb);

	memcpy(packet->header, header, min_t(size_t, CWND_HEADER_BYTES, skb_tail_pointer(skb) - header));
}

/* net/ipv4/tcp_input.c calls this: a segment has arrived at an established connection. Nothing has been done with it. */
void cwnd_ack(struct sock *sk, const struct sk_buff *skb);
void cwnd_ack(struct sock *sk, const struct sk_buff *skb)
{
	struct cwnd_packet packet;

	if (!cwnd_is_recorded(sk))
		return;
	begin_packet(sk, &packet, ACK);
	packet.bytes = skb->len;
	copy_header(&packet, skb);
	cwnd_tell(sk, &packet, sizeof(packet));
}

/* net/core/dev.c calls this: a segment, or several at once, on the way to the device. */
void cwnd_sent(const struct sk_buff *skb);
void cwnd_sent(const struct sk_buff *skb)
{
	struct sock *sk = skb->sk;
	struct cwnd_packet packet;

	/* The kernel answers without a connection through a raw socket of this protocol. */
	if (!sk || !sk_fullsock(sk) || !sk_is_tcp(sk) || !cwnd_is_recorded(sk))
		return;
	begin_packet(sk, &packet, SENT);
	packet.sent_ns = skb->tstamp;
	packet.bytes = skb->len - skb_transport_offset(skb);
	packet.gso_size = skb_shinfo(skb)->gso_size;
	copy_header(&packet, skb);
	cwnd_tell(sk, &packet, sizeof(packet));
}

/* In the place of the function of the timer. */
static void expired(struct timer_list *timer)
{
	struct sock *sk = connection_of(timer);
	struct cwnd_packet packet;

	if (cwnd_is_recorded(sk)) {
		begin_packet(sk, &packet, TIMER);
		cwnd_tell(sk, &packet, sizeof(packet));
	}
	timers_own(timer);
}

void cwnd_record_timer(struct sock *sk)
{
	struct timer_list *timer = timer_of(sk);

	if (timer->function == expired)
		return;
	timers_own = timer->function;
	timer->function = expired;
}
