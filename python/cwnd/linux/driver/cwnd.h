/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The calls between the kernel and the library of the links. The library runs in the process of the kernel, which is a program of the
 * host; crates/cwnd-linux/src/interface.rs has the same declarations.
 */
#ifndef CWND_H
#define CWND_H

/* What an algorithm sees of a connection: `cwnd::Conn`, whose documentation has meanings and units. */
struct cwnd_conn {
	unsigned long long now_us, delivered, pacing_rate;
	unsigned int ticks, tick_hz, lsndtime_ticks, mss, snd_una, snd_nxt, packets_out, in_flight, max_packets_out, cwnd, cwnd_cnt, ssthresh,
		prior_cwnd, cwnd_clamp, srtt_us8, min_rtt_us, delivered_us, first_sent_us, delivered_ce, lost, app_limited, paced_ahead_us, random, gso_max_size;
	unsigned char is_cwnd_limited, ca_state, pacing_status, pacing_shift;
};

/*
 * What is recorded: `Socket`, `RawRecord`, `RawRateSample` and `RawPacket` of cwnd-bpf-build, whose documentation has meanings and units.
 * Their sizes are checked in C and in Rust. The library numbers them.
 */
#define CWND_PRIVATE_WORDS 26
#define CWND_ARGUMENT_WORDS 13
#define CWND_HEADER_BYTES 60

struct cwnd_inside {
	unsigned int packets_out, sacked_out, lost_out, retrans_out, rtt_min_us, mdev_us, rttvar_us, lost, total_retrans, prior_ssthresh,
		high_seq, undo_marker, app_limited, snd_wnd;
	unsigned short local_port, remote_port;
};

struct cwnd_call {
	struct cwnd_conn before;
	struct cwnd_inside inside;
	unsigned long long seq, socket, time_us, pacing_rate_after;
	unsigned int private_before[CWND_PRIVATE_WORDS], private_after[CWND_PRIVATE_WORDS], args[CWND_ARGUMENT_WORDS], returned, hook, ticks_after, cwnd_after,
		ssthresh_after, cwnd_cnt_after, pacing_status_after, repaired;
	/* Of the rate sample that `cong_control` was given, what is not among its arguments. */
	unsigned long long prior_mstamp_us;
};

struct cwnd_packet {
	struct cwnd_conn conn;
	struct cwnd_inside inside;
	unsigned long long seq, socket, time_ns, sent_ns;
	unsigned int kind, bytes, gso_size, write_seq, pending, expires_ticks, rto_ticks, backoff, rack_rtt_us, reo_wnd_steps, reo_wnd_persist,
		reordering, reord_seen, tlp_high_seq, undo_retrans, retrans_stamp, frto, data_segs_out;
	unsigned char header[CWND_HEADER_BYTES];
};

_Static_assert(sizeof(struct cwnd_conn) == 128 && sizeof(struct cwnd_inside) == 60, "as in Rust");
_Static_assert(sizeof(struct cwnd_call) == 528 && sizeof(struct cwnd_packet) == 360, "as in Rust");

/* What the library calls. */
struct cwnd_kernel {
	/*
	 * Hands a packet of IPv4 to the host of this side (0: the senders', 1: the receivers'). `merged` describes one that stands for
	 * several segments, as `struct virtio_net_hdr` does; it is null for any other.
	 */
	void (*deliver)(unsigned int side, const void *merged, const void *packet, unsigned int length);
	/*
	 * Makes an algorithm of the library a congestion control of this name; `sets_the_rate`: it has `cong_control`. With `kernels` it is
	 * that of the kernel with that name instead. `recorded`: what its connections do is recorded. Returns 0, or a negative error.
	 */
	int (*add)(unsigned int number, const char *name, int sets_the_rate, const char *kernels, int recorded);
	/* A packet of IPv4 arrives at the queue of a link, which is that of a device here. `number`: which one it is. */
	void (*enqueue)(unsigned int link, unsigned int number, const void *packet, unsigned int length);
	/* A link can send the next packet of its queue. */
	void (*ready)(unsigned int link);
};

/* What the kernel calls. Times are ns of the scenario; before its beginning they are 0. */
struct cwnd_links {
	/* The driver and the library fit each other if they have the same number here. */
	unsigned int version;
	/* Makes the network of the scenario; returns 0, or 1 where there is none. */
	int (*open)(const struct cwnd_kernel *kernel);
	/* A host has sent a packet. `cwnd` and `ssthresh` are those of its connection of TCP, 0 where it has none. */
	void (*sent)(unsigned int side, unsigned long long now, const void *packet, unsigned int length, unsigned int cwnd,
		     unsigned int ssthresh);
	/* Runs what is due by now. */
	void (*due)(unsigned long long now);
	/* When something is due next; all ones for never. */
	unsigned long long (*next)(void);
	/* The guest's program says something; returns 0, or 1 for what is not understood. */
	int (*told)(unsigned long long now, const void *bytes, unsigned int length);
	/*
	 * A hook of an algorithm is called, with its arguments in words. `connection` is 0 at `init`, and what the library has put there at
	 * every other call. The library may change window, threshold, progress and rate of the connection. Returns what the hook does.
	 */
	unsigned int (*hook)(unsigned int algorithm, unsigned int hook, unsigned int *connection, struct cwnd_conn *conn,
			     const unsigned int *words);
	/*
	 * A connection of the algorithm `algorithm`, whose connections are recorded, has done something: a `struct cwnd_call`, for which
	 * `connection` is as above, or a `struct cwnd_packet`.
	 */
	void (*recorded)(unsigned int algorithm, unsigned int connection, const void *record, unsigned int length);
	/* The queue of a link gives it this packet to send, and no other one before the library says `ready`. */
	void (*taken)(unsigned long long now, unsigned int link, unsigned int number, const void *packet, unsigned int length);
	/* The queue of a link drops a packet. */
	void (*dropped)(unsigned long long now, unsigned int link, unsigned int number);
};

#define CWND_VERSION 4
/* Name of the library's only symbol: `const struct cwnd_links *cwnd_links(void)`. */
#define CWND_SYMBOL "cwnd_links"

/*
 * What the head of a packet has room for where a driver gives it half a page, as usual drivers do: receive windows and the memory of queues
 * depend on it.
 */
#define CWND_ROOM (SKB_WITH_OVERHEAD(2048) - NET_SKB_PAD)

/* cwnd_kern.c: the time of the scenario, ns, and waiting for what the library has due next; with interrupts off. */
unsigned long long cwnd_time(void);
void cwnd_arm(void);

/* cwnd_queue.c. `cwnd_make_link` makes the device of a link in the namespace of the caller. */
void cwnd_queue_start(const struct cwnd_links *links);
long cwnd_make_link(unsigned long number);
void cwnd_enqueue(unsigned int link, unsigned int number, const void *packet, unsigned int length);
void cwnd_ready(unsigned int link);

/* cwnd_tcp.c. */
void cwnd_tcp_start(const struct cwnd_links *links);
int cwnd_tcp_add(unsigned int number, const char *name, int sets_the_rate, const char *kernels, int recorded);

/* cwnd_record.c, where `sock` and `sk_buff` are the kernel's. */
struct sock;
void cwnd_show(const struct sock *sk, struct cwnd_conn *conn);
void cwnd_call_begins(struct sock *sk, struct cwnd_call *call);
void cwnd_call_ends(struct sock *sk, struct cwnd_call *call);
/* Tells of the timer of this connection from now on. */
void cwnd_record_timer(struct sock *sk);
/* cwnd_tcp.c: whether what the connection does is recorded; then it is told, with the algorithm's number. */
int cwnd_is_recorded(const struct sock *sk);
void cwnd_tell(struct sock *sk, const void *record, unsigned int length);

/* cwnd_user.c: the library in this process; null where there is none. */
const struct cwnd_links *cwnd_find(void);

#endif
