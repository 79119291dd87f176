/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the kernel and the library of the links call of each other. The library runs in the process of the kernel, which is a program of the
 * host; src/interface.rs has the same declarations.
 */
#ifndef CWND_H
#define CWND_H

/* What an algorithm sees of a connection: `cwnd::Conn`, whose documentation has meanings and units. */
struct cwnd_socket {
	unsigned long long now_us, delivered, pacing_rate;
	unsigned int ticks, tick_hz, lsndtime_ticks, mss, snd_una, snd_nxt, packets_out, in_flight, max_packets_out, cwnd, cwnd_cnt, ssthresh,
		prior_cwnd, cwnd_clamp, srtt_us8, min_rtt_us, gso_max_size;
	unsigned char is_cwnd_limited, ca_state, pacing_status;
};

/* What the library calls. */
struct cwnd_kernel {
	/*
	 * Hands a packet of IPv4 to the host of this side (0: the senders', 1: the receivers'). `merged` describes one that stands for
	 * several segments, as `struct virtio_net_hdr` does; it is null for any other.
	 */
	void (*deliver)(unsigned int side, const void *merged, const void *packet, unsigned int length);
	/*
	 * Makes an algorithm of the library a congestion control of this name; `sets_the_rate`: it has `cong_control`. Returns 0, or a
	 * negative error.
	 */
	int (*add)(unsigned int number, const char *name, int sets_the_rate);
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
	/* Lets happen what is due by now. */
	void (*due)(unsigned long long now);
	/* When something is due next; all ones for never. */
	unsigned long long (*next)(void);
	/* The guest's program says something; returns 0, or 1 for what is not understood. */
	int (*told)(unsigned long long now, const void *bytes, unsigned int length);
	/*
	 * A hook of an algorithm is called, with its arguments in words. `connection` is 0 at `init`, and what the library has put there at
	 * every other call. The library may change window, threshold, progress and rate of the socket. Returns what the hook does.
	 */
	unsigned int (*hook)(unsigned int algorithm, unsigned int hook, unsigned int *connection, struct cwnd_socket *socket,
			     const unsigned int *words);
};

#define CWND_VERSION 1
/* Name of the library's only symbol: `const struct cwnd_links *cwnd_links(void)`. */
#define CWND_SYMBOL "cwnd_links"

/* cwnd_tcp.c. */
void cwnd_tcp_start(const struct cwnd_links *links);
int cwnd_tcp_add(unsigned int number, const char *name, int sets_the_rate);

/* cwnd_user.c: the library in this process; null where there is none. */
const struct cwnd_links *cwnd_find(void);

#endif
