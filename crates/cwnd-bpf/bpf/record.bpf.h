// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the objects that register an algorithm share: who they are, and the record of a call. The columns of the tables that
// `cwnd kernel trace` writes of it are in cwnd-record's tables/kernel_trace.rs.
#pragma once

#include "kernel.bpf.h"

// One call, as cwnd_bpf::Recorder reads it; layout.h asserts it. before.tick_hz stays 0: the reader knows it.
struct record {
	struct conn before;
	struct socket kernel;
	__u64 seq;
	__u64 socket;
	// When the call was made, on the clock of before.now_us. A socket that was just accepted has no clock yet; a record has.
	__u64 time_us;
	__u64 pacing_rate_after;
	__u32 state_before[PRIVATE_BYTES / 4];
	__u32 state_after[PRIVATE_BYTES / 4];
	__u32 args[ARGUMENT_WORDS];
	__u32 returned;
	__u32 hook;
	__u32 ticks_after;
	__u32 cwnd_after;
	__u32 ssthresh_after;
	__u32 cwnd_cnt_after;
	__u32 pacing_status_after;
	// 1 for a call by the glue in place of one that the kernel skipped; see contain.bpf.h.
	__u32 repaired;
};
ASSERT_RECORD_LAYOUT

// Who this is, for other loaders: cwnd_bpf::registration reads and writes it; layout.h asserts it. As long as a program
// of the object lives, so does this map.
struct identity {
	char name[16];
	char set[40];
	__u64 hash;
	__u32 link;
	__u32 counters;
	__u32 pid;
	__u32 sharers;
	__u32 params;
	char file[FILE_BYTES];
};
ASSERT_IDENTITY_LAYOUT
SEC(".data.identity") struct identity identity = {};
// Or the object would not have the map.
#define KEEP_IDENTITY asm volatile("" : : "r"(&identity))

// Whether calls are recorded: the bytes that wake their reader, or 0. The verifier sees the value and removes what it rules out, so that recording costs nothing
// where it is off.
SEC(".rodata.recording") const volatile __u32 recording = 0;

// The two halves of a record are functions of their own: they exist once in the object, not once in each program, and where
// recording is off the verifier removes them whole. The first reads the connection for itself: the socket is locked, so that
// the hook sees the same; but a tick may fall between the two.
static __noinline struct record *record_before(struct tcp_sock *tp, __u32 hook)
{
	__u64 seq = __sync_fetch_and_add(&counters.seq, 1);
	struct record *record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);

	if (!record) {
		__sync_fetch_and_add(&counters.lost, 1);
		return 0;
	}
	read_conn(tp, &record->before);
	read_socket(tp, &record->kernel);
	record->seq = seq;
	record->socket = (__u64)tp;
	record->time_us = record->before.now_us ? record->before.now_us : bpf_ktime_get_ns() / 1000;
	__builtin_memcpy(record->state_before, tp->inet_conn.icsk_ca_priv, PRIVATE_BYTES);
	__builtin_memset(record->args, 0, sizeof(record->args));
	record->hook = hook;
	record->repaired = 0;
	return record;
}

static __noinline void record_after(struct tcp_sock *tp, struct record *record, __u32 returned)
{
	__builtin_memcpy(record->state_after, tp->inet_conn.icsk_ca_priv, PRIVATE_BYTES);
	record->returned = returned;
	record->ticks_after = bpf_jiffies64();
	// A call by the glue sees the window as it should have been; no hook with a result changes it.
	record->cwnd_after = record->repaired ? record->before.cwnd : tp->snd_cwnd;
	record->ssthresh_after = tp->snd_ssthresh;
	record->cwnd_cnt_after = tp->snd_cwnd_cnt;
	record->pacing_rate_after = tp->inet_conn.icsk_inet.sk.sk_pacing_rate;
	record->pacing_status_after = tp->inet_conn.icsk_inet.sk.sk_pacing_status;
	bpf_ringbuf_submit(record, wakeup(recording));
}

// The kernel passes a hook's arguments as an array of 64-bit values.
#define PROGRAM(hook, type) SEC("struct_ops/" #hook) type program_##hook(const __u64 *args)

// A hook's record has as many words of arguments as the table of hooks says.
#define ASSERT_WORDS(hook, ...)                                                      \
	_Static_assert(sizeof((const __u32[]){ __VA_ARGS__ }) == 4 * WORDS_##hook,   \
		       "the recorded words of " #hook " are not those of for_each_hook!")

// A call that is recorded, with these words. Writes them: record_before has no room for them among its arguments.
static __always_inline struct record *record_call(struct tcp_sock *tp, __u32 hook, const __u32 *words)
{
	struct record *record = recording ? record_before(tp, hook) : 0;

	if (record)
		__builtin_memcpy(record->args, words, sizeof(record->args));
	return record;
}
