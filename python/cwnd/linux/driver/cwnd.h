/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the kernel and the library of the links call of each other. The library runs in the process of the kernel, which is a program of the
 * host; src/interface.rs has the same declarations.
 */
#ifndef CWND_H
#define CWND_H

/* What the library calls. */
struct cwnd_kernel {
	/*
	 * Hands a packet of IPv4 to the host of this side (0: the senders', 1: the receivers'). `merged` describes one that stands for
	 * several segments, as `struct virtio_net_hdr` does; it is null for any other.
	 */
	void (*deliver)(unsigned int side, const void *merged, const void *packet, unsigned int length);
};

/* What the kernel calls. Times are ns of the scenario; before its beginning they are 0. */
struct cwnd_links {
	/* The driver and the library fit each other if they have the same number here. */
	unsigned int version;
	/* Makes the network of the scenario in this folder of the host; returns 0, or 1 after a message. */
	int (*open)(const struct cwnd_kernel *kernel, const char *folder);
	/* A host has sent a packet. `cwnd` and `ssthresh` are those of its connection of TCP, 0 where it has none. */
	void (*sent)(unsigned int side, unsigned long long now, const void *packet, unsigned int length, unsigned int cwnd,
		     unsigned int ssthresh);
	/* Lets happen what is due by now. */
	void (*due)(unsigned long long now);
	/* When something is due next; all ones for never. */
	unsigned long long (*next)(void);
	/* The guest's program says something; returns 0, or 1 for what is not understood. */
	int (*told)(unsigned long long now, const void *bytes, unsigned int length);
};

#define CWND_VERSION 1
/* Name of the library's only symbol: `const struct cwnd_links *cwnd_links(void)`. */
#define CWND_SYMBOL "cwnd_links"

/* cwnd_user.c: loads the library; null, after a message, where that fails. */
const struct cwnd_links *cwnd_load(const char *path);

#endif
