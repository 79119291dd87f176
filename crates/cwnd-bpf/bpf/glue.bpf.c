// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Between the kernel's tcp_congestion_ops and the hooks of one algorithm; the only file that knows kernel names.
//
// Compiled once per algorithm. The build defines ALGORITHM (a string, as in the registry), PARAMS (how many) and
// PARAM_DEFAULTS, and writes layout.h from the Rust types. Structs below hold only the fields that are read, found on
// the running kernel by name (CO-RE): no headers of a particular kernel are needed.

// What libbpf's headers otherwise want from linux/types.h.
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "layout.h"

// ---- The kernel's side

#define KERNEL_STRUCT __attribute__((preserve_access_index))

struct sock {
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
	unsigned int sk_gso_max_size;
} KERNEL_STRUCT;

struct inet_sock {
	struct sock sk;
} KERNEL_STRUCT;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
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
	__u32 delivered;
	__u32 lsndtime;
	__u32 mss_cache;
	__u32 snd_una;
	__u32 snd_nxt;
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
} KERNEL_STRUCT;

// The kernel's own is the same to the byte (and stable: it is what its modules and BPF programs are given).
struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
} KERNEL_STRUCT;

enum tcp_ca_event { CA_EVENT_UNUSED };

// The loader writes the name into the first 16 bytes; libbpf finds members by name, so their order is free.
struct tcp_congestion_ops {
	char name[16];
	__u32 flags;
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

// A flow in a namespace may choose the algorithm without being privileged.
#define TCP_CONG_NON_RESTRICTED 1

// From the kernel's published configuration, which must be there only for an algorithm that reads tick_hz: the others'
// objects do not mention it, as what a hook does not use is optimised away.
extern int CONFIG_HZ __kconfig;

// ---- Rust's side

// cwnd::Conn, field for field; layout.h asserts it.
struct conn {
	__u64 now_us;
	__u64 delivered;
	__u64 pacing_rate;
	__u32 ticks;
	__u32 tick_hz;
	__u32 lsndtime_ticks;
	__u32 mss;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 packets_out;
	__u32 in_flight;
	__u32 max_packets_out;
	__u32 cwnd;
	__u32 cwnd_cnt;
	__u32 ssthresh;
	__u32 prior_cwnd;
	__u32 cwnd_clamp;
	__u32 srtt_us8;
	__u32 min_rtt_us;
	__u32 gso_max_size;
	_Bool is_cwnd_limited;
	__u8 ca_state;
	__u8 pacing_status;
};
ASSERT_CONN_LAYOUT

// cwnd::AckSample
struct sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};
ASSERT_SAMPLE_LAYOUT

struct params {
	__u32 value[PARAMS];
};

#define CORE(hook) __asm__("cwnd_" ALGORITHM "_" #hook)
void core_init(void *, struct conn *, const struct params *) CORE(init);
void core_release(void *, struct conn *, const struct params *) CORE(release);
__u32 core_ssthresh(void *, struct conn *, const struct params *) CORE(ssthresh);
void core_cong_avoid(void *, struct conn *, const struct params *, __u32 ack, __u32 acked) CORE(cong_avoid);
void core_set_state(void *, struct conn *, const struct params *, __u8 state) CORE(set_state);
void core_cwnd_event(void *, struct conn *, const struct params *, __u32 event) CORE(cwnd_event);
void core_in_ack_event(void *, struct conn *, const struct params *, __u32 flags) CORE(in_ack_event);
__u32 core_undo_cwnd(void *, struct conn *, const struct params *) CORE(undo_cwnd);
void core_pkts_acked(void *, struct conn *, const struct params *, const struct sample *) CORE(pkts_acked);

// One call, as cwnd_bpf::Recorder reads it; layout.h asserts it. before.tick_hz stays 0: to mention CONFIG_HZ here would make
// every object need it, and the loader knows it wherever the algorithm does.
struct record {
	struct conn before;
	__u64 seq;
	__u64 socket;
	__u32 state_before[PRIVATE_BYTES / 4];
	__u32 state_after[PRIVATE_BYTES / 4];
	__u32 args[3];
	__u32 returned;
	__u32 hook;
	__u32 ticks_after;
	__u32 cwnd_after;
	__u32 ssthresh_after;
	__u32 cwnd_cnt_after;
};
ASSERT_RECORD_LAYOUT

// ---- What the loader reads and writes

// The default parameter set, or what the loader puts here before the object goes into the kernel.
SEC(".rodata.params") const volatile struct params params = { { PARAM_DEFAULTS } };

// Calls of each hook (HOOK_*), calls of set_state for each state, calls that were to be recorded, those of them that found
// no room in the ring buffer.
SEC(".data.counters") struct {
	__u64 calls[HOOKS];
	__u64 states[STATES];
	__u64 seq;
	__u64 lost;
} counters = {};

// Whether calls are recorded. The verifier sees the value and removes what it rules out, so that recording costs nothing
// where it is off.
SEC(".rodata.recording") const volatile __u32 recording = 0;

// From the kernel's stable interface (bpf_map_type).
#define BPF_MAP_TYPE_RINGBUF 27

// The loader sets the size; where nothing is recorded, it leaves the map out.
SEC(".maps") struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 12);
} records;

SEC("license") char license_text[] = "Dual MIT/GPL";

// ---- Between the two

struct call {
	struct tcp_sock *tp;
	void *state;
	struct conn before;
	struct conn conn;
	const struct params *params;
	struct record *record;
};

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
	c->gso_max_size = sk->sk_gso_max_size;
	c->is_cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
	// Rust's enums hold nothing but their own values.
	c->ca_state = ca_state < STATES ? ca_state : 0;
	c->pacing_status = pacing_status <= 2 ? pacing_status : 0;
}

// The two halves of a record are functions of their own: they exist once in the object, not once in each program, and where
// recording is off the verifier removes them whole. The first reads the connection for itself: the socket is locked, so that
// the hook sees the same; but a tick may fall between the two.
static __noinline struct record *record_before(struct tcp_sock *tp, __u32 hook, __u32 arg0, __u32 arg1, __u32 arg2)
{
	__u64 seq = __sync_fetch_and_add(&counters.seq, 1);
	struct record *record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);

	if (!record) {
		__sync_fetch_and_add(&counters.lost, 1);
		return 0;
	}
	read_conn(tp, &record->before);
	record->seq = seq;
	record->socket = (__u64)tp;
	__builtin_memcpy(record->state_before, tp->inet_conn.icsk_ca_priv, PRIVATE_BYTES);
	record->args[0] = arg0;
	record->args[1] = arg1;
	record->args[2] = arg2;
	record->hook = hook;
	return record;
}

static __noinline void record_after(struct tcp_sock *tp, struct record *record, __u32 returned)
{
	__builtin_memcpy(record->state_after, tp->inet_conn.icsk_ca_priv, PRIVATE_BYTES);
	record->returned = returned;
	record->ticks_after = bpf_jiffies64();
	record->cwnd_after = tp->snd_cwnd;
	record->ssthresh_after = tp->snd_ssthresh;
	record->cwnd_cnt_after = tp->snd_cwnd_cnt;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void enter(struct call *call, __u32 hook, const __u32 *args)
{
	__sync_fetch_and_add(&counters.calls[hook], 1);
	call->record = recording ? record_before(call->tp, hook, args[0], args[1], args[2]) : 0;
	read_conn(call->tp, &call->conn);
	call->conn.tick_hz = CONFIG_HZ;
	call->before = call->conn;
	call->params = (const struct params *)&params;
	// Or the compiler takes the values that it sees here. The verifier then knows those that the loader put there.
	asm("" : "+r"(call->params));
}

// Writes what the hook changed; where it can change nothing, nothing is left of this.
static __always_inline void leave(const struct call *call, __u32 returned)
{
	const struct conn *old = &call->before, *c = &call->conn;
	struct tcp_sock *tp = call->tp;

	if (c->cwnd != old->cwnd)
		tp->snd_cwnd = c->cwnd;
	if (c->cwnd_cnt != old->cwnd_cnt)
		tp->snd_cwnd_cnt = c->cwnd_cnt;
	if (c->ssthresh != old->ssthresh)
		tp->snd_ssthresh = c->ssthresh;
	if (c->pacing_rate != old->pacing_rate)
		tp->inet_conn.icsk_inet.sk.sk_pacing_rate = c->pacing_rate;
	if (call->record)
		record_after(tp, call->record, returned);
}

// The kernel passes a hook's arguments as an array of 64-bit values.
#define PROGRAM(hook, type) SEC("struct_ops/" #hook) type program_##hook(const __u64 *args)

// Makes `call`; the numbers after the hook are recorded with it.
#define ENTER(hook, ...)                                                        \
	struct tcp_sock *tp = (struct tcp_sock *)args[0];                       \
	struct call call = { .tp = tp, .state = tp->inet_conn.icsk_ca_priv };   \
	enter(&call, HOOK_##hook, (const __u32[3]){ __VA_ARGS__ })

// A hook without a result, with further arguments of the call into the core.
#define PROGRAM_VOID(hook, ...)                                                 \
	PROGRAM(hook, int)                                                      \
	{                                                                       \
		ENTER(hook, __VA_ARGS__);                                       \
		core_##hook(call.state, &call.conn, call.params, ##__VA_ARGS__); \
		leave(&call, 0);                                                \
		return 0;                                                       \
	}

#define PROGRAM_U32(hook)                                                       \
	PROGRAM(hook, __u32)                                                    \
	{                                                                       \
		ENTER(hook);                                                    \
		__u32 result = core_##hook(call.state, &call.conn, call.params); \
		leave(&call, result);                                           \
		return result;                                                  \
	}

PROGRAM_VOID(init)
PROGRAM_VOID(release)
PROGRAM_U32(ssthresh)
PROGRAM_VOID(cong_avoid, args[1], args[2])
PROGRAM_VOID(cwnd_event, args[1])
PROGRAM_VOID(in_ack_event, args[1])
PROGRAM_U32(undo_cwnd)

PROGRAM(set_state, int)
{
	__u64 new = (__u8)args[1];

	// Or the compiler checks one copy of it and adds with another, which the verifier cannot follow.
	barrier_var(new);
	if (new < STATES)
		__sync_fetch_and_add(&counters.states[new], 1);
	ENTER(set_state, new);
	core_set_state(call.state, &call.conn, call.params, new);
	leave(&call, 0);
	return 0;
}

PROGRAM(pkts_acked, int)
{
	const struct ack_sample *given = (const struct ack_sample *)args[1];
	struct sample sample = { given->pkts_acked, given->rtt_us };

	// The kernel's is in bytes, the core's in packets. A division by zero is zero here.
	sample.in_flight = given->in_flight / ((struct tcp_sock *)args[0])->mss_cache;
	ENTER(pkts_acked, sample.pkts_acked, sample.rtt_us, sample.in_flight);
	core_pkts_acked(call.state, &call.conn, call.params, &sample);
	leave(&call, 0);
	return 0;
}

// .link: registered as long as the loader holds its link, even if the loader is killed.
SEC(".struct_ops.link") struct tcp_congestion_ops ops = {
	.name = "cwnd_" ALGORITHM,
	.flags = TCP_CONG_NON_RESTRICTED,
	.init = (void *)program_init,
	.release = (void *)program_release,
	.ssthresh = (void *)program_ssthresh,
	.cong_avoid = (void *)program_cong_avoid,
	.set_state = (void *)program_set_state,
	.cwnd_event = (void *)program_cwnd_event,
	.in_ack_event = (void *)program_in_ack_event,
	.undo_cwnd = (void *)program_undo_cwnd,
	.pkts_acked = (void *)program_pkts_acked,
};
