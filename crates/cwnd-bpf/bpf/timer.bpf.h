// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The connection that a timer belongs to.
#pragma once

#include "kernel.bpf.h"

extern void *bpf_rdonly_cast(const void *, __u32) __ksym;

// The connection at an address, which the verifier takes for no more than readable.
static __always_inline struct tcp_sock *connection_at(__u64 address)
{
	return bpf_rdonly_cast((const void *)address, bpf_core_type_id_kernel(struct tcp_sock));
}

// The function that the kernel calls for the timer for timeouts, probes and reordering.
extern const void tcp_write_timer __ksym;

// The connection whose timer for timeouts, probes and reordering this is; 0 for another timer.
static __always_inline struct tcp_sock *connection_of_timer(const struct timer_list *timer)
{
	__u64 place = bpf_core_field_offset(struct inet_connection_sock, icsk_retransmit_timer);

	return (__u64)timer->function == (__u64)&tcp_write_timer ? connection_at((__u64)timer - place) : 0;
}
