// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Senders of a network namespace, whatever their algorithm: the connection and the algorithm's private area at the beginning, before every
// acknowledgement and every timer, and at the end. So each record is what the acknowledgement or timer before it has left. At tracepoints
// alone: programs that are attached to functions would see what an acknowledgement leaves at once, but some kernels refuse them, and some
// have been seen to skip them (docs/adr/0007).

#include "timer.bpf.h"

struct ns_common {
	unsigned int inum;
} KERNEL_STRUCT;

struct net {
	struct ns_common ns;
} KERNEL_STRUCT;

// The kernel's own declarations, with more fields than the glue needs.
struct sock_common___namespace {
	struct {
		struct net *net;
	} skc_net;
} KERNEL_STRUCT;

struct tcp_sock___acked {
	__u64 bytes_acked;
} KERNEL_STRUCT;

struct tcp_congestion_ops___kernel {
	char name[16];
} KERNEL_STRUCT;

#define KIND_BEGIN 0
#define KIND_ACK 1
#define KIND_TIMER 2
#define KIND_END 3

// From the kernel's stable interface.
#define TCP_ESTABLISHED 1

// What a record holds, as cwnd_bpf::SampledState reads it; layout.h asserts it.
struct sender_state {
	struct conn conn;
	struct socket kernel;
	__u64 time_ns;
	__u64 bytes_acked;
	__u32 kind;
	__u32 state[PRIVATE_BYTES / 4];
	char algorithm[16];
};
ASSERT_SENDER_STATE_LAYOUT

// Connections from this namespace to ports from `first` on, up to and without `end`. `enough` bytes wake the reader.
SEC(".rodata.wanted") const volatile struct {
	__u32 namespace;
	__u32 first;
	__u32 end;
	__u32 enough;
} wanted = {};

static __always_inline int is_wanted(const struct sock *sk)
{
	const struct sock_common___namespace *common = (const void *)&sk->__sk_common;
	__u32 port = __builtin_bswap16(sk->__sk_common.skc_dport);

	return port >= wanted.first && port < wanted.end && common->skc_net.net->ns.inum == wanted.namespace;
}

static __always_inline void record_sender(struct tcp_sock *tp, __u32 kind)
{
	const struct tcp_congestion_ops___kernel *ops;
	struct sender_state *seen;

	__sync_fetch_and_add(&counters.seq, 1);
	seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
	if (!seen) {
		__sync_fetch_and_add(&counters.lost, 1);
		return;
	}
	read_conn(tp, &seen->conn);
	read_socket(tp, &seen->kernel);
	seen->time_ns = bpf_ktime_get_ns();
	seen->bytes_acked = ((struct tcp_sock___acked *)tp)->bytes_acked;
	seen->kind = kind;
	__builtin_memcpy(seen->state, tp->inet_conn.icsk_ca_priv, PRIVATE_BYTES);
	__builtin_memset(seen->algorithm, 0, sizeof(seen->algorithm));
	ops = (const void *)tp->inet_conn.icsk_ca_ops;
	if (ops)
		bpf_probe_read_kernel_str(seen->algorithm, sizeof(seen->algorithm), ops->name);
	bpf_ringbuf_submit(seen, wakeup(wanted.enough));
}

// The verifier knows a socket as a struct sock: what lies behind that is read by an address of its own.
static __always_inline void record_socket(struct sock *sk, __u32 kind)
{
	struct tcp_sock *tp = is_wanted(sk) ? bpf_skc_to_tcp_sock(sk) : 0;

	if (tp)
		record_sender(tp, kind);
}

// An acknowledgement, before anything is done with it.
SEC("tp_btf/tcp_probe") int program_ack(const __u64 *args)
{
	record_socket((struct sock *)args[0], KIND_ACK);
	return 0;
}

// The timer for timeouts, probes and reordering, before it does anything.
SEC("tp_btf/timer_expire_entry") int program_timer(const __u64 *args)
{
	struct tcp_sock *tp = connection_of_timer((const struct timer_list *)args[0]);

	if (tp && is_wanted(&tp->inet_conn.icsk_inet.sk))
		record_sender(tp, KIND_TIMER);
	return 0;
}

// The handshake is over, but the algorithm has not begun; or the connection ends, and nothing of it has been taken down.
SEC("tp_btf/inet_sock_set_state") int program_state(const __u64 *args)
{
	int state = args[2];

	if (state == TCP_ESTABLISHED || state == TCP_CLOSE)
		record_socket((struct sock *)args[0], state == TCP_CLOSE ? KIND_END : KIND_BEGIN);
	return 0;
}
