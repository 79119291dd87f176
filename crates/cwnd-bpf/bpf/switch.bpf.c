// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The TCP connections of a network namespace, one by one, each locked: those that match are told, and moved to another
// congestion control if one is named.

#include "types.bpf.h"

// ---- The kernel's side

struct in6_addr {
	__u8 bytes[16];
};

struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	volatile __u8 skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
} KERNEL_STRUCT;

struct sock {
	struct sock_common __sk_common;
} KERNEL_STRUCT;

struct inet_sock {
	struct sock sk;
} KERNEL_STRUCT;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} KERNEL_STRUCT;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
} KERNEL_STRUCT;

struct bpf_iter__tcp {
	void *meta;
	struct sock_common *sk_common;
} KERNEL_STRUCT;

#define AF_INET 2
#define AF_INET6 10
// States in which there is no connection (TCP_CLOSE, TCP_LISTEN).
#define CLOSED 7
#define LISTENING 10

// ---- What the loader writes and reads: as in src/switch.rs

// Zero or empty: any, and for `to`: stay.
SEC(".rodata.wanted") const volatile struct {
	__u16 local_port;
	__u16 remote_port;
	__u32 unused;
	char from[NAME_BYTES];
	char to[NAME_BYTES];
} wanted = {};

SEC(".data.found") struct {
	__u64 matched;
	__u64 changed;
	__u64 unreported;
} found = {};

struct connection {
	__u8 local[16];
	__u8 remote[16];
	__u16 local_port;
	__u16 remote_port;
	__u16 family;
	__u16 state;
	char before[NAME_BYTES];
	__s32 error;
	__u32 unused;
};
_Static_assert(sizeof(struct connection) == 64 && __builtin_offsetof(struct connection, error) == 56, "as in src/switch.rs");

SEC(".maps") struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} connections;

SEC("license") char license_text[] = "Dual MIT/GPL";

// ---- The program

static __always_inline _Bool is_name(const char *name, const volatile char *other)
{
	const __u64 *a = (const __u64 *)name;
	const volatile __u64 *b = (const volatile __u64 *)other;

	return a[0] == b[0] && a[1] == b[1];
}

static __always_inline void describe(struct connection *c, struct sock_common *common, const char *before, __s32 error)
{
	__builtin_memset(c, 0, sizeof(*c));
	c->family = common->skc_family;
	c->state = common->skc_state;
	c->local_port = common->skc_num;
	c->remote_port = __builtin_bswap16(common->skc_dport);
	if (c->family == AF_INET6) {
		__builtin_memcpy(c->local, &common->skc_v6_rcv_saddr, 16);
		__builtin_memcpy(c->remote, &common->skc_v6_daddr, 16);
	} else {
		*(__u32 *)c->local = common->skc_rcv_saddr;
		*(__u32 *)c->remote = common->skc_daddr;
	}
	__builtin_memcpy(c->before, before, NAME_BYTES);
	c->error = error;
}

SEC("iter/tcp") int program_switch(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	char before[NAME_BYTES] __attribute__((aligned(8))) = {};
	struct connection *connection;
	__s32 error = 0;

	// Or it is read twice, and the verifier has seen only one of them checked.
	barrier_var(common);
	if (!common)
		return 0;
	// Neither a request nor what waits after the end: those have no congestion control.
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(common);
	if (!tp)
		return 0;
	common = &tp->inet_conn.icsk_inet.sk.__sk_common;
	if (common->skc_state == CLOSED || common->skc_state == LISTENING)
		return 0;
	if (wanted.local_port && wanted.local_port != common->skc_num)
		return 0;
	if (wanted.remote_port && wanted.remote_port != __builtin_bswap16(common->skc_dport))
		return 0;
	if (bpf_getsockopt(tp, SOL_TCP, TCP_CONGESTION, before, NAME_BYTES))
		return 0;
	if (wanted.from[0] && !is_name(before, wanted.from))
		return 0;
	__sync_fetch_and_add(&found.matched, 1);
	if (wanted.to[0] && !is_name(before, wanted.to)) {
		error = bpf_setsockopt(tp, SOL_TCP, TCP_CONGESTION, (void *)wanted.to, NAME_BYTES);
		if (!error)
			__sync_fetch_and_add(&found.changed, 1);
	}
	connection = bpf_ringbuf_reserve(&connections, sizeof(*connection), 0);
	if (!connection) {
		__sync_fetch_and_add(&found.unreported, 1);
		return 0;
	}
	describe(connection, common, before, error);
	bpf_ringbuf_submit(connection, 0);
	return 0;
}
