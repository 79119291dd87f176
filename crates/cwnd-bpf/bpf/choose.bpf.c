// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every TCP connection of a cgroup on one congestion control. Four programs, because each has the right moment of something:
//
// * connect4, connect6: the socket is still closed, so that the algorithm's `init` comes when the connection stands, with its
//   first RTT, as after a setsockopt() of the application. (The moment that sockops has for it is after the state changes.)
// * sockops: a listener, whose children inherit; and once more when a connection stands, for those that a route gave
//   another algorithm, or that came out of a listener from elsewhere. Where nothing is to be changed, nothing happens.
// * setsockopt: the application's own choice, which is answered as if it had been followed.

#include "types.bpf.h"

// ---- From the kernel's stable interface: the fields that are read, at their places

struct bpf_sock_ops {
	__u32 op;
};

#define BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB 4
#define BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB 5
#define BPF_SOCK_OPS_TCP_LISTEN_CB 11

struct bpf_sock_addr {
	__u32 user_family;
	__u32 user_ip4;
	__u32 user_ip6[4];
	__u32 user_port;
	__u32 family;
	__u32 type;
	__u32 protocol;
};

#define IPPROTO_TCP 6

struct bpf_sockopt {
	__u64 sk;
	__u64 optval;
	__u64 optval_end;
	__s32 level;
	__s32 optname;
	__s32 optlen;
	__s32 retval;
};

// ---- What the loader writes and reads

SEC(".rodata.choice") const volatile char choice[NAME_BYTES] = {};

// Connections that began, that were accepted, choices of the application that were answered with ours; attempts that the
// kernel refused, and the last one's error.
SEC(".data.uses") struct {
	__u64 connected;
	__u64 accepted;
	__u64 overridden;
	__u64 refused;
	__s64 error;
} uses = {};

SEC("license") char license_text[] = "Dual MIT/GPL";

// ---- The programs

static __always_inline long choose(void *socket)
{
	long error = bpf_setsockopt(socket, SOL_TCP, TCP_CONGESTION, (void *)choice, NAME_BYTES);

	if (error) {
		__sync_fetch_and_add(&uses.refused, 1);
		uses.error = error;
	}
	return error;
}

static __always_inline int connect(struct bpf_sock_addr *address)
{
	if (address->protocol == IPPROTO_TCP)
		choose(address);
	// The connection goes on in any case.
	return 1;
}

SEC("cgroup/connect4") int program_connect4(struct bpf_sock_addr *address)
{
	return connect(address);
}

SEC("cgroup/connect6") int program_connect6(struct bpf_sock_addr *address)
{
	return connect(address);
}

SEC("sockops") int program_sockops(struct bpf_sock_ops *ops)
{
	switch (ops->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
		__sync_fetch_and_add(&uses.connected, 1);
		break;
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		__sync_fetch_and_add(&uses.accepted, 1);
		break;
	case BPF_SOCK_OPS_TCP_LISTEN_CB:
		break;
	default:
		return 1;
	}
	choose(ops);
	return 1;
}

SEC("cgroup/setsockopt") int program_setsockopt(struct bpf_sockopt *option)
{
	if (option->level != SOL_TCP || option->optname != TCP_CONGESTION)
		return 1;
	__sync_fetch_and_add(&uses.overridden, 1);
	// By the program, which needs no right of the application's; the kernel is told that all is done. A refusal (a socket
	// of MPTCP, which passes the option on to its connections) becomes the application's.
	if (choose((void *)option->sk))
		return 0;
	option->optlen = -1;
	return 1;
}
