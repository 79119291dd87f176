// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Queues of links that the kernel keeps: each is the qdisc of a device. The library says what arrives there and when the link is ready;
 * the device takes a packet from the qdisc then, and says which. What the qdisc frees before that, it has dropped.
 */

#include <linux/if_arp.h>
#include <linux/interrupt.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/pkt_sched.h>
#include <net/route.h>
#include "cwnd.h"

#define LINKS 1024

struct queue {
	struct net_device *dev;
	/* What has arrived and is not handed to the qdisc yet: that may not happen while the library runs. */
	struct sk_buff_head arrived;
	struct tasklet_struct hand_over;
};

static const struct cwnd_links *links;
static struct queue *queues[LINKS];

static unsigned int number_of(const struct sk_buff *skb)
{
	return (unsigned long)skb_shinfo(skb)->destructor_arg;
}

static unsigned int link_of(const struct net_device *dev)
{
	return *(unsigned int *)netdev_priv(dev);
}

static void freed(struct sk_buff *skb)
{
	unsigned long flags;

	local_irq_save(flags);
	links->dropped(cwnd_time(), link_of(skb->dev), number_of(skb));
	cwnd_arm();
	local_irq_restore(flags);
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	unsigned long flags;

	/* Others are copies, which nobody has numbered. */
	if (skb->destructor == freed) {
		skb->destructor = NULL;
		netif_stop_queue(dev);
		dev->stats.tx_packets++;
		dev->stats.tx_bytes += skb->len;
		local_irq_save(flags);
		links->taken(cwnd_time(), link_of(dev), number_of(skb), skb->data, skb->len);
		cwnd_arm();
		local_irq_restore(flags);
	} else {
		dev->stats.tx_dropped++;
	}
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = transmit };

static void setup(struct net_device *dev)
{
	dev->netdev_ops = &operations;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP;
	dev->mtu = ETH_MAX_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	/* As Ethernet's: the limit of qdiscs that are given none. */
	dev->tx_queue_len = DEFAULT_TX_QUEUE_LEN;
	dev->needs_free_netdev = true;
}

static void hand_over(struct tasklet_struct *tasklet)
{
	struct queue *queue = from_tasklet(queue, tasklet, hand_over);
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&queue->arrived)))
		dev_queue_xmit(skb);
}

long cwnd_make_link(unsigned long number)
{
	struct net_device *dev;
	struct queue *queue;
	char name[IFNAMSIZ];
	int error;

	if (number >= LINKS)
		return -EINVAL;
	if (queues[number])
		return -EEXIST;
	queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return -ENOMEM;
	snprintf(name, sizeof(name), "link%lu", number);
	dev = alloc_netdev(sizeof(unsigned int), name, NET_NAME_USER, setup);
	if (!dev) {
		kfree(queue);
		return -ENOMEM;
	}
	*(unsigned int *)netdev_priv(dev) = number;
	dev_net_set(dev, current->nsproxy->net_ns);
	error = register_netdev(dev);
	if (error) {
		free_netdev(dev);
		kfree(queue);
		return error;
	}
	queue->dev = dev;
	skb_queue_head_init(&queue->arrived);
	tasklet_setup(&queue->hand_over, hand_over);
	queues[number] = queue;
	rtnl_lock();
	error = dev_open(dev, NULL);
	rtnl_unlock();
	return error;
}

void cwnd_enqueue(unsigned int link, unsigned int number, const void *packet, unsigned int length)
{
	struct queue *queue = queues[link];
	struct sk_buff *skb = netdev_alloc_skb(queue->dev, max_t(unsigned int, length, CWND_ROOM));

	if (!skb)
		panic("cwnd: no memory for a packet of a link");
	skb_put_data(skb, packet, length);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IP);
	skb_probe_transport_header(skb);
	/* As a router has it. */
	skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
	skb_shinfo(skb)->destructor_arg = (void *)(unsigned long)number;
	skb->destructor = freed;
	skb_queue_tail(&queue->arrived, skb);
	tasklet_schedule(&queue->hand_over);
}

void cwnd_ready(unsigned int link)
{
	netif_wake_queue(queues[link]->dev);
}

void cwnd_queue_start(const struct cwnd_links *with)
{
	links = with;
}
