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
#include <linux/slab.h>
#include <linux/version.h>
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

/*
 * A packet that the library has numbered. It tells of the end of its data, as buffers of zero-copy senders do: a destructor of the packet
 * would be called by disciplines that take it from its sender, such as fq.
 */
struct numbered {
	struct ubuf_info data;
	unsigned int link, number;
	bool is_sent;
};

static void freed(struct sk_buff *skb, struct ubuf_info *data, bool success)
{
	struct numbered *packet = container_of(data, struct numbered, data);
	unsigned long flags;

	if (!packet->is_sent) {
		local_irq_save(flags);
		links->dropped(cwnd_time(), packet->link, packet->number);
		cwnd_arm();
		local_irq_restore(flags);
	}
	kfree(packet);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
static const struct ubuf_info_ops ends = { .complete = freed };
#endif

static void give_number(struct sk_buff *skb, struct numbered *packet)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	packet->data.ops = &ends;
#else
	packet->data.callback = freed;
#endif
	/* Copies share the data. */
	packet->data.flags = SKBFL_ZEROCOPY_ENABLE | SKBFL_DONT_ORPHAN;
	refcount_set(&packet->data.refcnt, 1);
	skb_zcopy_init(skb, &packet->data);
}

static struct numbered *number_of(struct sk_buff *skb)
{
	struct ubuf_info *data = skb_zcopy(skb);

	return data ? container_of(data, struct numbered, data) : NULL;
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	struct numbered *packet = number_of(skb);
	unsigned long flags;

	/* Others are copies. */
	if (packet && !packet->is_sent) {
		packet->is_sent = true;
		netif_stop_queue(dev);
		dev->stats.tx_packets++;
		dev->stats.tx_bytes += skb->len;
		local_irq_save(flags);
		links->taken(cwnd_time(), packet->link, packet->number, skb->data, skb->len);
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
	dev = alloc_netdev(0, name, NET_NAME_USER, setup);
	if (!dev) {
		kfree(queue);
		return -ENOMEM;
	}
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
	struct numbered *numbered = kzalloc(sizeof(*numbered), GFP_ATOMIC);

	if (!skb || !numbered)
		panic("cwnd: no memory for a packet of a link");
	skb_put_data(skb, packet, length);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IP);
	skb_probe_transport_header(skb);
	/* As a router has it. */
	skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
	numbered->link = link;
	numbered->number = number;
	give_number(skb, numbered);
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
