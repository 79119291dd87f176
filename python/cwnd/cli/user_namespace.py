# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd shell` without root: the program restarts in new user and network namespaces, where the user may create networks."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

TUN = Path("/dev/net/tun")
#: Set if the program has restarted in a new namespace.
INSIDE = "CWND_USER_NAMESPACE"
#: The user stays who he is, and has the capabilities there.
UNSHARE = ("unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--")

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
# linux/if.h, linux/sockios.h
SIOCSIFFLAGS, IFF_UP_AND_RUNNING = 0x8914, 0x41


def may_make_networks() -> bool:
    """Whether this process has the capabilities that namespaces and devices need."""
    match = re.search(r"^CapEff:\s*([0-9a-f]+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    capabilities = int(match[1], 16) if match else 0
    return all(capabilities >> number & 1 for number in (CAP_NET_ADMIN, CAP_SYS_ADMIN))


def why_not() -> str | None:
    """What this system lacks for networks without root; `None` where nothing is."""
    if not os.access(TUN, os.R_OK | os.W_OK):
        return f"{TUN} is not open to this user; expected root, or read and write permission for it"
    found = shutil.which(UNSHARE[0])
    if found is None or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0:
        return (
            "this system does not let users create namespaces (user.max_user_namespaces, kernel.unprivileged_userns_clone, "
            "kernel.apparmor_restrict_unprivileged_userns); expected root, or permission for them"
        )
    return None


def enter() -> None:
    """Does nothing if this process may create networks; otherwise restarts the program in new namespaces. Raises `OSError` if that is impossible."""
    inside = os.environ.pop(INSIDE, None)
    if may_make_networks():
        if inside is not None:
            bring_up_loopback()
        return
    why = why_not()
    if why is not None or inside is not None:
        raise OSError(f"cwnd shell without root: {why or 'no capabilities in the namespace; expected root'}")
    command = [*UNSHARE, sys.executable, *sys.orig_argv[1:]]
    os.execvpe(UNSHARE[0], command, {**os.environ, INSIDE: "1"})


def bring_up_loopback() -> None:
    """Brings `lo` up, which is down in a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as request:
        fcntl.ioctl(request, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP_AND_RUNNING))
