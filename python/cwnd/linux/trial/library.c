// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A library of links without any: for the trial of a kernel. */
#include <cwnd.h>

static int open_none(const struct cwnd_kernel *kernel)
{
	(void)kernel;
	return 0;
}

static void sent(unsigned int side, unsigned long long now, const void *packet, unsigned int length, unsigned int cwnd,
		 unsigned int ssthresh)
{
	(void)side;
	(void)now;
	(void)packet;
	(void)length;
	(void)cwnd;
	(void)ssthresh;
}

static void due(unsigned long long now)
{
	(void)now;
}

static unsigned long long next(void)
{
	return ~0ULL;
}

static int told(unsigned long long now, const void *bytes, unsigned int length)
{
	(void)now;
	(void)bytes;
	(void)length;
	return 0;
}

static unsigned int hook(unsigned int algorithm, unsigned int number, unsigned int *connection, struct cwnd_conn *conn,
			 const unsigned int *words)
{
	(void)algorithm;
	(void)number;
	(void)connection;
	(void)conn;
	(void)words;
	return 0;
}

static void recorded(unsigned int algorithm, unsigned int connection, const void *record, unsigned int length)
{
	(void)algorithm;
	(void)connection;
	(void)record;
	(void)length;
}

static void taken(unsigned long long now, unsigned int link, unsigned int number, const void *packet, unsigned int length)
{
	(void)now;
	(void)link;
	(void)number;
	(void)packet;
	(void)length;
}

static void dropped(unsigned long long now, unsigned int link, unsigned int number)
{
	(void)now;
	(void)link;
	(void)number;
}

static const struct cwnd_links links = {
	CWND_VERSION, open_none, sent, due, next, told, hook, recorded, taken, dropped
};

const struct cwnd_links *cwnd_links(void)
{
	return &links;
}
