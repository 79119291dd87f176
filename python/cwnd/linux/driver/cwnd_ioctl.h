/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the guest's program asks of /dev/cwnd; src/device.rs of the guest has the same declarations. */
#ifndef CWND_IOCTL_H
#define CWND_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct cwnd_begin {
	__u64 lead;	/* least time until the scenario begins, ns */
	__u64 phase;	/* how long after a tick of the kernel it begins, ns */
	__u64 zero;	/* answer: when it begins, ns on the monotonic clock */
};

#define CWND_MAKE_HOST _IO('c', 1)
#define CWND_BEGIN _IOWR('c', 2, struct cwnd_begin)

#endif
