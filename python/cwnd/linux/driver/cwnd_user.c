// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The part of the driver that is compiled as a program of the host: it finds the library of the links, which the host has preloaded. */

#include <dlfcn.h>
#include <stddef.h>
#include "cwnd.h"

const struct cwnd_links *cwnd_find(void)
{
	const struct cwnd_links *(*links)(void) = (const struct cwnd_links *(*)(void))dlsym(RTLD_DEFAULT, CWND_SYMBOL);

	return links ? links() : NULL;
}
