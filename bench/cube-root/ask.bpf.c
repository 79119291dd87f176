// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks the kernel's own cubic for K: at each acknowledgement, for the next distances between W_max and the window, the
// private area is set as after a loss and the built-in module called, which begins an epoch. tools/bench/kernel_cube_root.py reads the answers.
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define ANSWERS (1 << 20)
#define AT_ONCE 500
#define WINDOW 10

char _license[] SEC("license") = "Dual MIT/GPL";

extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ANSWERS);
	__type(key, __u32);
	__type(value, __u32);
} distances SEC(".maps"), answers SEC(".maps");

// The first distance not yet asked for.
__u32 next_asked = 0;

// The module's first words.
struct cubic_words {
	__u32 cnt, last_max_cwnd, last_cwnd, last_time, origin_point, k, delay_min, epoch_start;
};

SEC("struct_ops")
void BPF_PROG(ask_init, struct sock *sk)
{
}

SEC("struct_ops")
__u32 BPF_PROG(ask_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("struct_ops")
__u32 BPF_PROG(ask_undo_cwnd, struct sock *sk)
{
	return ((struct tcp_sock *)sk)->snd_cwnd;
}

SEC("struct_ops")
void BPF_PROG(ask_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct cubic_words *words = (struct cubic_words *)((struct inet_connection_sock *)sk)->icsk_ca_priv;

	if (!tp->is_cwnd_limited)
		return;
	tp->snd_ssthresh = 2;
	for (int i = 0; i < AT_ONCE; i++) {
		__u32 at = next_asked;
		__u32 *distance = bpf_map_lookup_elem(&distances, &at);
		__u32 *answer = bpf_map_lookup_elem(&answers, &at);

		if (!distance || !answer || !*distance)
			break;
		words->last_max_cwnd = WINDOW + *distance;
		words->last_cwnd = 0;
		words->last_time = 0;
		words->epoch_start = 0;
		words->delay_min = 100000;
		words->k = 0;
		tp->snd_cwnd = WINDOW;
		tp->snd_cwnd_cnt = 0;
		cubictcp_cong_avoid(sk, ack, 1);
		*answer = words->k;
		next_asked = at + 1;
	}
	tp->snd_cwnd = WINDOW;
	tp->snd_cwnd_cnt = 0;
}

SEC(".struct_ops")
struct tcp_congestion_ops cwnd_ask = {
	.init = (void *)ask_init,
	.ssthresh = (void *)ask_ssthresh,
	.undo_cwnd = (void *)ask_undo_cwnd,
	.cong_avoid = (void *)ask_cong_avoid,
	.name = "cwnd_ask",
};
