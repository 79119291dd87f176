// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What every object shares: the kernel's structs, found on the running kernel by name (CO-RE: they hold only the fields that
// are read, and no headers of a particular kernel are needed), and the connection read from them. The only file that knows
// the kernel's names.
#pragma once

#include "types.bpf.h"
#include "layout.h"

// ---- The kernel's side

struct sock_common {
	__be16 skc_dport;
	__u16 skc_num;
	volatile __u8 skc_state;
} KERNEL_STRUCT;

struct sock {
	struct sock_common __sk_common;
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
	__u8 sk_pacing_shift;
	unsigned int sk_gso_max_size;
	__u16 sk_protocol;
} KERNEL_STRUCT;

struct inet_sock {
	struct sock sk;
} KERNEL_STRUCT;

struct tcp_congestion_ops;

struct timer_list {
	unsigned long expires;
	void (*function)(struct timer_list *);
} KERNEL_STRUCT;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u32 icsk_rto;
	struct timer_list icsk_retransmit_timer;
	__u8 icsk_ca_state : 5;
	__u8 icsk_pending;
	__u8 icsk_backoff;
	__u64 icsk_ca_priv[PRIVATE_BYTES / 8];
} KERNEL_STRUCT;

struct minmax_sample {
	__u32 t;
	__u32 v;
} KERNEL_STRUCT;

struct minmax {
	struct minmax_sample s[3];
} KERNEL_STRUCT;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp;
	__u64 tcp_wstamp_ns;
	__u64 tcp_clock_cache;
	__u64 delivered_mstamp;
	__u64 first_tx_mstamp;
	__u32 delivered;
	__u32 delivered_ce;
	__u32 lost;
	__u32 app_limited;
	__u32 lsndtime;
	__u32 mss_cache;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 data_segs_out;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 max_packets_out;
	__u32 snd_cwnd;
	__u32 snd_cwnd_cnt;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;
	__u32 snd_cwnd_clamp;
	__u32 srtt_us;
	struct minmax rtt_min;
	__u8 is_cwnd_limited : 1;
	// For records alone.
	__u32 mdev_us;
	__u32 rttvar_us;
	__u32 total_retrans;
	__u32 prior_ssthresh;
	__u32 high_seq;
	__u32 undo_marker;
	__u32 snd_wnd;
	__u32 write_seq;
	__u32 reordering;
	__u32 reord_seen;
	__u32 tlp_high_seq;
	int undo_retrans;
	__u32 retrans_stamp;
	__u8 frto : 1;
	struct {
		__u32 rtt_us;
		__u8 reo_wnd_steps;
		__u8 reo_wnd_persist : 5;
	} rack;
} KERNEL_STRUCT;

// The kernel's own is the same to the byte (and stable: it is what its modules and BPF programs are given).
struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
} KERNEL_STRUCT;

struct rate_sample;

enum tcp_ca_event { CA_EVENT_UNUSED };

// The loader writes the name into the first 16 bytes; libbpf finds members by name, so their order is free.
struct tcp_congestion_ops {
	char name[16];
	__u32 flags;
	// Kernels from 7.1 call this instead of cwnd_event with the first of its events. The loader takes it out for others: here.
	void (*cwnd_event_tx_start)(struct sock *);
	// Kernels from 6.10 on call cong_control with four arguments, earlier ones with two. The loader moves the program for
	// the latter to where the kernel looks for it, and empties this place, which no kernel has.
	void (*cong_control)(struct sock *, __u32, int, const struct rate_sample *);
	void (*cong_control_of_two)(struct sock *, const struct rate_sample *);
	void (*init)(struct sock *);
	void (*release)(struct sock *);
	__u32 (*ssthresh)(struct sock *);
	void (*cong_avoid)(struct sock *, __u32, __u32);
	void (*set_state)(struct sock *, __u8);
	void (*cwnd_event)(struct sock *, enum tcp_ca_event);
	void (*in_ack_event)(struct sock *, __u32);
	__u32 (*undo_cwnd)(struct sock *);
	void (*pkts_acked)(struct sock *, const struct ack_sample *);
};
_Static_assert(__builtin_offsetof(struct tcp_congestion_ops, cwnd_event_tx_start) == 24, "as in src/kernel/loader.rs");
_Static_assert(__builtin_offsetof(struct tcp_congestion_ops, cong_control) == 32, "as in src/kernel/loader.rs");
_Static_assert(__builtin_offsetof(struct tcp_congestion_ops, cong_control_of_two) == 40, "as in src/kernel/loader.rs");

// Two of the events (cwnd::CaEvent::TxStart and Loss).
#define CA_EVENT_TX_START 0
#define CA_EVENT_LOSS 3

// Three of the states (cwnd::CaState), in their order: up to Disorder nothing is being reduced.
#define TCP_CA_DISORDER 1
#define TCP_CA_CWR 2
#define TCP_CA_RECOVERY 3

// Two of a socket's states, in which the handshake is going on.
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_CLOSE 7

// How the kernel paces a connection (cwnd::PacingStatus).
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

// A flow in a namespace may choose the algorithm without being privileged.
#define TCP_CONG_NON_RESTRICTED 1

// ---- The core's types

// cwnd::Conn, cwnd::AckSample and cwnd::RateSample, struct conn, struct sample and struct rate, are in layout.h.

// The connection as the kernel has it, beside struct conn: what that is derived from, and what the core never sees.
struct socket {
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 rtt_min_us;
	__u32 mdev_us;
	__u32 rttvar_us;
	__u32 lost;
	__u32 total_retrans;
	__u32 prior_ssthresh;
	__u32 high_seq;
	__u32 undo_marker;
	__u32 app_limited;
	__u32 snd_wnd;
	__u16 local_port;
	__u16 remote_port;
};
ASSERT_SOCKET_LAYOUT

// ---- What the loader reads and writes

// Calls of each hook (HOOK_*), calls of set_state for each state, calls that were to be recorded, those of them that found
// no room in the ring buffer; what contain.bpf.h has repaired, and connections that it cannot watch.
struct counted {
	__u64 calls[HOOKS];
	__u64 states[STATES];
	__u64 seq;
	__u64 lost;
	__u64 repaired;
	__u64 unguarded;
};
ASSERT_COUNTED_LAYOUT
SEC(".data.counters") struct counted counters = {};

// From the kernel's stable interface (the flags of ring buffers).
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define BPF_RB_AVAIL_DATA 0

// The loader sets the size; where nothing is recorded, it leaves the map out.
SEC(".maps") struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 12);
} records;

// The reader is woken when `enough` bytes lie there for it, not at each record: it looks by itself now and then.
static __always_inline __u64 wakeup(__u32 enough)
{
	return bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) >= enough ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

SEC("license") char license_text[] = "Dual MIT/GPL";

// ---- Reading and recording

// The connection as the core sees it, but for tick_hz.
static __always_inline void read_conn(struct tcp_sock *tp, struct conn *c)
{
	struct sock *sk = &tp->inet_conn.icsk_inet.sk;
	struct inet_connection_sock *icsk = &tp->inet_conn;
	__u32 ca_state = BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
	__u32 min_rtt_us = tp->rtt_min.s[0].v;
	__u32 pacing_status = sk->sk_pacing_status;

	c->now_us = tp->tcp_mstamp;
	c->delivered = tp->delivered;
	c->pacing_rate = sk->sk_pacing_rate;
	c->ticks = bpf_jiffies64();
	c->tick_hz = 0;
	c->lsndtime_ticks = tp->lsndtime;
	c->mss = tp->mss_cache;
	c->snd_una = tp->snd_una;
	c->snd_nxt = tp->snd_nxt;
	c->packets_out = tp->packets_out;
	c->in_flight = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
	c->max_packets_out = tp->max_packets_out;
	c->cwnd = tp->snd_cwnd;
	c->cwnd_cnt = tp->snd_cwnd_cnt;
	c->ssthresh = tp->snd_ssthresh;
	c->prior_cwnd = tp->prior_cwnd;
	c->cwnd_clamp = tp->snd_cwnd_clamp;
	c->srtt_us8 = tp->srtt_us;
	// The kernel's "no sample yet" is all ones, the core's is 0.
	c->min_rtt_us = min_rtt_us == ~0U ? 0 : min_rtt_us;
	c->delivered_us = tp->delivered_mstamp;
	c->first_sent_us = tp->first_tx_mstamp;
	c->delivered_ce = tp->delivered_ce;
	c->lost = tp->lost;
	c->app_limited = tp->app_limited;
	c->paced_ahead_us = tp->tcp_wstamp_ns > tp->tcp_clock_cache ? (tp->tcp_wstamp_ns - tp->tcp_clock_cache) / 1000 : 0;
	c->pacing_shift = sk->sk_pacing_shift;
	c->random = 0;
	c->gso_max_size = sk->sk_gso_max_size;
	c->is_cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
	// Rust's enums hold nothing but their own values.
	c->ca_state = ca_state < STATES ? ca_state : 0;
	c->pacing_status = pacing_status <= 2 ? pacing_status : 0;
}

// The same connection in the kernel's own terms.
static __always_inline void read_socket(struct tcp_sock *tp, struct socket *s)
{
	struct sock_common *common = &tp->inet_conn.icsk_inet.sk.__sk_common;

	s->packets_out = tp->packets_out;
	s->sacked_out = tp->sacked_out;
	s->lost_out = tp->lost_out;
	s->retrans_out = tp->retrans_out;
	s->rtt_min_us = tp->rtt_min.s[0].v;
	s->mdev_us = tp->mdev_us;
	s->rttvar_us = tp->rttvar_us;
	s->lost = tp->lost;
	s->total_retrans = tp->total_retrans;
	s->prior_ssthresh = tp->prior_ssthresh;
	s->high_seq = tp->high_seq;
	s->undo_marker = tp->undo_marker;
	s->app_limited = tp->app_limited;
	s->snd_wnd = tp->snd_wnd;
	s->local_port = common->skc_num;
	s->remote_port = __builtin_bswap16(common->skc_dport);
}
