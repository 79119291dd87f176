// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every acknowledgement of every connection, whatever its algorithm, from the kernel's tracepoint tcp_probe.

#include "kernel.bpf.h"

// What a sample holds, as cwnd_bpf::ProbeSample reads it; layout.h asserts it.
struct observation {
	struct conn conn;
	struct socket kernel;
	__u64 socket;
	char algorithm[16];
};
ASSERT_OBSERVATION_LAYOUT

// The kernel's own declaration, for the place of its fields; the one in the header is for registering.
struct tcp_congestion_ops___kernel {
	char name[16];
} KERNEL_STRUCT;

// Connections of other ports are left out, unless it is 0; and of other algorithms, unless the name is empty. `enough`
// bytes wake the reader.
SEC(".rodata.wanted") const volatile struct {
	__u32 port;
	char algorithm[16];
	__u32 enough;
} wanted = {};

// Whether the connection runs on the wanted algorithm; `name` receives the name of its own.
static __always_inline int is_wanted(const struct tcp_sock *tp, char name[16])
{
	const struct tcp_congestion_ops___kernel *ops = (const void *)tp->inet_conn.icsk_ca_ops;

	if (ops)
		bpf_probe_read_kernel_str(name, 16, ops->name);
	for (int i = 0; i < 16 && wanted.algorithm[0]; i++) {
		if (name[i] != wanted.algorithm[i])
			return 0;
		if (!name[i])
			break;
	}
	return 1;
}

SEC("tp_btf/tcp_probe") int program_probe(const __u64 *args)
{
	struct sock *sk = (struct sock *)args[0];
	// The verifier knows it as a struct sock: what lies behind that is read by an address of its own.
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct observation *seen;
	char algorithm[16] = {};

	if (!tp)
		return 0;
	if (wanted.port) {
		struct sock_common *common = &sk->__sk_common;

		if (common->skc_num != wanted.port && __builtin_bswap16(common->skc_dport) != wanted.port)
			return 0;
	}
	// Before room is reserved: a discarded sample takes its room until the reader comes, and one that finds none counts as lost.
	if (!is_wanted(tp, algorithm))
		return 0;
	__sync_fetch_and_add(&counters.seq, 1);
	seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
	if (!seen) {
		__sync_fetch_and_add(&counters.lost, 1);
		return 0;
	}
	read_conn(tp, &seen->conn);
	read_socket(tp, &seen->kernel);
	seen->socket = (__u64)tp;
	__builtin_memcpy(seen->algorithm, algorithm, sizeof(algorithm));
	bpf_ringbuf_submit(seen, wakeup(wanted.enough));
	return 0;
}
