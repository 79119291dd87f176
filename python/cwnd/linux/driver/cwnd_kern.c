// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The links of a scenario in a user-mode kernel in virtual time.
 *
 * /dev/cwnd gives the two hosts, which are network namespaces, a device each. What a host sends goes to a library in the process of this
 * kernel, which has the links; what arrives at a host comes from there. Both happen at the exact nanosecond of virtual time: an event of the
 * virtual clock, not a timer of the kernel, whose clock counts in steps of 256 ns.
 */

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/init.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/virtio_net.h>
#include <linux/time-internal.h>
#include <net/net_namespace.h>
#include <net/tcp.h>
#include "cwnd.h"
#include "cwnd_ioctl.h"

/* kernel/time/tick-common.c: when the next tick is due, on the monotonic clock. */
extern ktime_t tick_next_period;

static const struct cwnd_links *links;
static struct net_device *hosts[2];
static bool has_begun;
/* Time 0 of the scenario on the virtual clock, ns. */
static u64 zero;

static void happen(struct time_travel_event *event);
static struct time_travel_event due = { .fn = happen };

/* The virtual clock, ns. Nothing tells it but an event that is due now. */
static u64 virtual_clock(void)
{
	struct time_travel_event now = { .fn = happen };

	time_travel_add_event_rel(&now, 0);
	time_travel_del_event(&now);
	return now.time;
}

unsigned long long cwnd_time(void)
{
	u64 now = virtual_clock();

	return has_begun && now > zero ? now - zero : 0;
}

void cwnd_arm(void)
{
	u64 next, now;

	if (!has_begun)
		return;
	next = links->next();
	time_travel_del_event(&due);
	if (next == U64_MAX)
		return;
	now = virtual_clock();
	next += zero;
	time_travel_add_event_rel(&due, next > now ? next - now : 0);
}

/*
 * An interrupt of the clock. What it hands to the hosts is worked through behind it, by the softirq.
 *
 * A tick that is due counts first. A kernel that sleeps through ticks counts it as it wakes; one that does not has an interrupt for it, up to a
 * step of its clock from now.
 */
static void happen(struct time_travel_event *event)
{
	if (ktime_get() >= tick_next_period) {
		time_travel_add_event_rel(&due, TIMER_MULTIPLIER);
		return;
	}
	links->due(cwnd_time());
	cwnd_arm();
}

static void deliver(unsigned int side, const void *merged, const void *packet, unsigned int length)
{
	struct net_device *dev = hosts[side];
	struct sk_buff *skb = netdev_alloc_skb(dev, max_t(unsigned int, length, CWND_ROOM));

	if (!skb) {
		dev->stats.rx_dropped++;
		return;
	}
	skb_put_data(skb, packet, length);
	skb_reset_mac_header(skb);
	skb->protocol = htons(ETH_P_IP);
	skb_reset_network_header(skb);
	if (merged && virtio_net_hdr_to_skb(skb, merged, true)) {
		dev->stats.rx_frame_errors++;
		kfree_skb(skb);
		return;
	}
	skb_probe_transport_header(skb);
	dev->stats.rx_packets++;
	dev->stats.rx_bytes += length;
	/* Counts what finds no place. */
	netif_rx(skb);
}

static const struct cwnd_kernel kernel = {
	.deliver = deliver,
	.add = cwnd_tcp_add,
	.enqueue = cwnd_enqueue,
	.ready = cwnd_ready,
};

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	unsigned int side = dev == hosts[1], cwnd = 0, ssthresh = 0;
	struct sock *sk = skb->sk;
	unsigned long flags;

	if (skb->protocol != htons(ETH_P_IP) || skb_linearize(skb)) {
		dev->stats.tx_dropped++;
	} else {
		if (sk && sk_fullsock(sk) && sk_is_tcp(sk)) {
			cwnd = tcp_sk(sk)->snd_cwnd;
			ssthresh = tcp_sk(sk)->snd_ssthresh;
		}
		dev->stats.tx_packets++;
		dev->stats.tx_bytes += skb->len;
		local_irq_save(flags);
		links->sent(side, cwnd_time(), skb->data, skb->len, cwnd, ssthresh);
		cwnd_arm();
		local_irq_restore(flags);
	}
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = transmit };

/* As a TUN device without offloads. */
static void setup(struct net_device *dev)
{
	dev->netdev_ops = &operations;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP | IFF_MULTICAST;
	dev->mtu = ETH_DATA_LEN;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->needs_free_netdev = true;
}

/* Gives the namespace of the caller the device of a host. */
static long make_host(unsigned long side)
{
	struct net_device *dev;
	int error;

	if (side > 1)
		return -EINVAL;
	if (hosts[side])
		return -EEXIST;
	dev = alloc_netdev(0, "cwnd", NET_NAME_USER, setup);
	if (!dev)
		return -ENOMEM;
	dev_net_set(dev, current->nsproxy->net_ns);
	error = register_netdev(dev);
	if (error) {
		free_netdev(dev);
		return error;
	}
	hosts[side] = dev;
	return 0;
}

/* Time 0 of the scenario is behind `lead`, where the count of ticks has run for `phase`, ns; tells when that is on the monotonic clock. */
static long begin(unsigned long arg)
{
	struct cwnd_begin times;
	unsigned long flags;
	u64 now, monotonic, at, ticks;

	if (has_begun || !hosts[0] || !hosts[1])
		return -EINVAL;
	if (copy_from_user(&times, (void __user *)arg, sizeof(times)))
		return -EFAULT;
	local_irq_save(flags);
	now = virtual_clock();
	monotonic = ktime_get_ns();
	/* The next tick is the one behind `jiffies`. */
	ticks = (div_u64(times.phase, TICK_NSEC) - (jiffies + 1)) % CWND_PHASES;
	at = tick_next_period + ticks * TICK_NSEC + times.phase % TICK_NSEC;
	while (at < monotonic + times.lead)
		at += CWND_PHASES * TICK_NSEC;
	/* The monotonic clock shows whole steps. */
	zero = now - now % TIMER_MULTIPLIER + (at - monotonic);
	has_begun = true;
	cwnd_arm();
	local_irq_restore(flags);
	times.zero = at;
	return copy_to_user((void __user *)arg, &times, sizeof(times)) ? -EFAULT : 0;
}

static long control(struct file *file, unsigned int command, unsigned long arg)
{
	switch (command) {
	case CWND_MAKE_HOST:
		return make_host(arg);
	case CWND_MAKE_LINK:
		return cwnd_make_link(arg);
	case CWND_BEGIN:
		return begin(arg);
	}
	return -ENOTTY;
}

#define MESSAGE (1 << 16)

static ssize_t told(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	unsigned long flags;
	void *bytes;
	int refused;

	if (length > MESSAGE)
		return -EMSGSIZE;
	bytes = memdup_user(from, length);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	local_irq_save(flags);
	refused = links->told(cwnd_time(), bytes, length);
	cwnd_arm();
	local_irq_restore(flags);
	kfree(bytes);
	return refused ? -EINVAL : length;
}

static const struct file_operations files = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = control,
	.write = told,
};

static struct miscdevice device = { .minor = MISC_DYNAMIC_MINOR, .name = "cwnd", .fops = &files };

static int __init start(void)
{
	links = cwnd_find();
	/* Without it this is a kernel as any other. */
	if (!links)
		return 0;
	if (links->version != CWND_VERSION)
		panic("cwnd: driver and library do not fit: %u and %u", CWND_VERSION, links->version);
	cwnd_tcp_start(links);
	cwnd_queue_start(links);
	if (links->open(&kernel))
		panic("cwnd: no scenario");
	return misc_register(&device);
}
late_initcall(start);
