// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What arrives at and leaves the connections of this object's algorithm, and what their timers do, in one order with the calls of its hooks:
// for `cwnd replay --transport`.
#pragma once

#include "record.bpf.h"
#include "timer.bpf.h"

struct skb_shared_info {
	unsigned short gso_size;
} KERNEL_STRUCT;

struct sk_buff {
	struct sock *sk;
	__u64 tstamp;
	unsigned int len;
	unsigned char *head;
	unsigned char *data;
	unsigned int end;
	__u16 transport_header;
} KERNEL_STRUCT;

// From the kernel's stable interface.
#define IPPROTO_TCP 6
#define TCP_TIME_WAIT 6
#define TCP_NEW_SYN_RECV 12

// Longest header of a TCP segment, with its options.
#define HEADER_BYTES 60

#define PACKET_ACK 0
#define PACKET_SENT 1
#define PACKET_TIMER 2

// One of them, as cwnd_bpf::Recorder reads it; layout.h asserts it.
struct packet {
	struct conn conn;
	struct socket kernel;
	__u64 seq;
	__u64 socket;
	// When it was seen, ns; and when it counts as sent.
	__u64 time_ns;
	__u64 sent_ns;
	__u32 kind;
	__u32 bytes;
	__u32 gso_size;
	// The rest of the sender's state.
	__u32 write_seq;
	__u32 pending;
	__u32 expires_ticks;
	__u32 rto_ticks;
	__u32 backoff;
	__u32 rack_rtt_us;
	__u32 reo_wnd_steps;
	__u32 reo_wnd_persist;
	__u32 reordering;
	__u32 reord_seen;
	__u32 tlp_high_seq;
	__u32 undo_retrans;
	__u32 retrans_stamp;
	__u32 frto;
	__u32 data_segs_out;
	__u8 header[HEADER_BYTES];
};
ASSERT_PACKET_LAYOUT

// The kernel's own declaration, for the place of its fields; the one in the header is for registering.
struct tcp_congestion_ops___kernel {
	char name[16];
} KERNEL_STRUCT;

// Whether the connection runs on this object's algorithm.
static __always_inline int is_ours(const struct tcp_sock *tp)
{
	const struct tcp_congestion_ops___kernel *ops = (const void *)tp->inet_conn.icsk_ca_ops;
	char name[16] = {};

	if (!ops)
		return 0;
	bpf_probe_read_kernel_str(name, sizeof(name), ops->name);
	for (int i = 0; i < 16; i++) {
		if (name[i] != identity.name[i])
			return 0;
		if (!name[i])
			break;
	}
	return 1;
}

static __always_inline struct packet *begin_packet(struct tcp_sock *tp, __u32 kind)
{
	struct inet_connection_sock *icsk = &tp->inet_conn;
	struct packet *packet;
	__u64 seq;

	if (!recording || !is_ours(tp))
		return 0;
	seq = __sync_fetch_and_add(&counters.seq, 1);
	packet = bpf_ringbuf_reserve(&records, sizeof(*packet), 0);
	if (!packet) {
		__sync_fetch_and_add(&counters.lost, 1);
		return 0;
	}
	packet->time_ns = bpf_ktime_get_ns();
	read_conn(tp, &packet->conn);
	read_socket(tp, &packet->kernel);
	packet->seq = seq;
	packet->socket = (__u64)tp;
	packet->sent_ns = 0;
	packet->kind = kind;
	packet->bytes = 0;
	packet->gso_size = 0;
	packet->write_seq = tp->write_seq;
	packet->pending = icsk->icsk_pending;
	packet->expires_ticks = 0;
	if (bpf_core_field_exists(icsk->icsk_retransmit_timer))
		packet->expires_ticks = icsk->icsk_retransmit_timer.expires;
	packet->rto_ticks = icsk->icsk_rto;
	packet->backoff = icsk->icsk_backoff;
	packet->rack_rtt_us = tp->rack.rtt_us;
	packet->reo_wnd_steps = tp->rack.reo_wnd_steps;
	packet->reo_wnd_persist = BPF_CORE_READ_BITFIELD(tp, rack.reo_wnd_persist);
	packet->reordering = tp->reordering;
	packet->reord_seen = tp->reord_seen;
	packet->tlp_high_seq = tp->tlp_high_seq;
	packet->undo_retrans = tp->undo_retrans;
	packet->retrans_stamp = tp->retrans_stamp;
	packet->frto = BPF_CORE_READ_BITFIELD(tp, frto);
	packet->data_segs_out = tp->data_segs_out;
	__builtin_memset(packet->header, 0, HEADER_BYTES);
	return packet;
}

// An acknowledgement, before anything is done with it: so the connection is as it was before it.
SEC("tp_btf/tcp_probe") int program_ack(const __u64 *args)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock((struct sock *)args[0]);
	const struct sk_buff *skb = (const struct sk_buff *)args[1];
	struct packet *packet = tp ? begin_packet(tp, PACKET_ACK) : 0;

	if (!packet)
		return 0;
	packet->bytes = skb->len;
	bpf_probe_read_kernel(packet->header, HEADER_BYTES, skb->head + skb->transport_header);
	bpf_ringbuf_submit(packet, wakeup(recording));
	return 0;
}

// A segment, or several at once, on the way to the device.
SEC("tp_btf/net_dev_queue") int program_sent(const __u64 *args)
{
	const struct sk_buff *skb = (const struct sk_buff *)args[0];
	struct sock *sk = skb->sk;
	struct skb_shared_info *shared;
	struct packet *packet;
	__u64 head = 0, data = 0, segment;
	__u8 state;

	// What the verifier has seen to be there is what is read.
	barrier_var(sk);
	if (!recording || !sk || sk->sk_protocol != IPPROTO_TCP)
		return 0;
	state = sk->__sk_common.skc_state;
	// Neither of these two is a whole socket.
	if (state == TCP_TIME_WAIT || state == TCP_NEW_SYN_RECV)
		return 0;
	packet = begin_packet(connection_at((__u64)sk), PACKET_SENT);
	if (!packet)
		return 0;
	// As integers: the verifier forbids pointer arithmetic here.
	bpf_core_read(&head, sizeof(head), &skb->head);
	bpf_core_read(&data, sizeof(data), &skb->data);
	segment = head + skb->transport_header;
	shared = (struct skb_shared_info *)(head + skb->end);
	packet->sent_ns = skb->tstamp;
	packet->bytes = skb->len - (__u32)(segment - data);
	packet->gso_size = BPF_CORE_READ(shared, gso_size);
	bpf_probe_read_kernel(packet->header, HEADER_BYTES, (const void *)segment);
	bpf_ringbuf_submit(packet, wakeup(recording));
	return 0;
}

// The timer for timeouts, probes and reordering.
SEC("tp_btf/timer_expire_entry") int program_timer(const __u64 *args)
{
	struct tcp_sock *tp = recording ? connection_of_timer((const struct timer_list *)args[0]) : 0;
	struct packet *packet = tp ? begin_packet(tp, PACKET_TIMER) : 0;

	if (packet)
		bpf_ringbuf_submit(packet, wakeup(recording));
	return 0;
}
