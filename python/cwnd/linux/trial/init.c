// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The first process of a kernel on trial: writes a line and turns the kernel off. It is linked with nothing. */
#include <linux/reboot.h>
#include <sys/syscall.h>

static const char written[] = "the first process runs\n";

static long call(long number, long first, long second, long third, long fourth)
{
	register long r10 __asm__("r10") = fourth;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

void _start(void)
{
	call(SYS_write, 1, (long)written, sizeof(written) - 1, 0);
	call(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, 0);
	for (;;)
		call(SYS_pause, 0, 0, 0, 0);
}
