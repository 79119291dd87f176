/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the guest's program asks of /dev/cwnd; crates/cwnd-live/src/driver.rs has the same declarations. */
#ifndef CWND_IOCTL_H
#define CWND_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct cwnd_begin {
	__u64 lead;	/* least time until the scenario begins, ns */
	__u64 phase;	/* how long the kernel's count of ticks has run when it begins, ns; modulo CWND_PHASES ticks */
	__u64 zero;	/* answer: when it begins, ns on the monotonic clock */
};

/* The wheel of the kernel's timers has no coarser step for a wait of up to two minutes. */
#define CWND_PHASES 4096

#define CWND_MAKE_HOST _IO('c', 1)
/* The device of the link of this number, of which the kernel keeps the queue: "linkNUMBER" in the namespace of the caller. */
#define CWND_MAKE_LINK _IO('c', 3)
#define CWND_BEGIN _IOWR('c', 2, struct cwnd_begin)

#endif
