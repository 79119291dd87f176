// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The part of the driver that is compiled as a program of the host: it loads the library of the links. */

#include <dlfcn.h>
#include <stddef.h>
#include <os.h>
#include "cwnd.h"

const struct cwnd_links *cwnd_load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct cwnd_links *(*links)(void);

	if (!library) {
		os_warn("cwnd: %s\n", dlerror());
		return NULL;
	}
	links = (const struct cwnd_links *(*)(void))dlsym(library, CWND_SYMBOL);
	if (!links) {
		os_warn("cwnd: %s\n", dlerror());
		return NULL;
	}
	return links();
}
