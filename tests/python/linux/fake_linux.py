# SPDX-License-Identifier: MIT OR Apache-2.0
"""A source that looks like Linux's where cwnd looks, and whose make is done at once: its kernel is a script."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass, field
from pathlib import Path

#: A kernel that runs: as the first process of the trial would, it writes the line.
RUNS = r"""#!/bin/sh
echo 'the first process runs'
"""
#: What Linux 6.1 has where it does not count timeouts.
TCP_SOCK = "struct tcp_sock {\n\tu16\ttcp_header_len;\t/* Bytes of tcp header to send */\n};\n"
TIMER = "\ticsk->icsk_retransmits++;\n\tif (tcp_retransmit_skb(sk) > 0) {\n\t}\n\ticsk->icsk_retransmits++;\n"
TCP_INFO = (
    "struct tcp_info {\n\t__u32\ttcpi_snd_wnd;\t/* peer's window after\n\t\t\t * scaling (bytes)\n\t\t\t */\n};\n"
)
GET_INFO = "\tinfo->tcpi_rto = 0;\n"
MAKEFILE = """\
VERSION = {version}
PATCHLEVEL = {level}
SUBLEVEL = 7

mrproper:
\trm -f *.o

allnoconfig:
\tcp $(KCONFIG_ALLCONFIG) .config
\tawk '$$1 == "default" {{ print "CONFIG_HZ=" $$2; exit }}' $(KBUILD_KCONFIG) >>.config
{configure}
linux:
\t@echo '  CC      init/main.o'
\t@echo '  CC      net/ipv4/tcp.o'
{compile}
\tmkdir -p include/config
\techo {version}.{level}.7 >include/config/kernel.release
\tcp kernel linux
\tchmod +x linux
"""


@dataclass
class FakeLinux:
    """A source and what its make does besides."""

    version: str = "6.12"
    #: lines of shell
    configure: list[str] = field(default_factory=list)
    compile: list[str] = field(default_factory=list)
    #: the script that is the kernel
    kernel: str = RUNS
    kconfig: str = "config NET\n\tbool\n"
    #: which other lines the driver's place has
    drivers: str = "include $(srctree)/arch/um/scripts/Makefile.rules\n"

    def files(self) -> dict[str, str]:
        """The files of the source."""
        version, level = self.version.split(".")
        configure, compile_ = ("".join(f"\t{line}\n" for line in lines) for lines in (self.configure, self.compile))
        return {
            "Makefile": MAKEFILE.format(version=version, level=level, configure=configure, compile=compile_),
            "Kconfig": 'mainmenu "Linux"\n\nsource "scripts/Kconfig.include"\n\nsource "net/Kconfig"\n',
            "net/Kconfig": self.kconfig,
            "arch/um/Kconfig": "config HZ\n\tint\n\tdefault 100\n",
            "arch/um/drivers/Makefile": self.drivers,
            "arch/x86/um/user-offsets.c": "\tDEFINE_LONGS(HOST_FP_SIZE, 2696);\n",
            "net/ipv4/tcp_input.c": "{\n\ttrace_tcp_probe(sk, skb);\n}\n",
            "net/core/dev.c": "{\n\ttrace_net_dev_queue(skb);\n}\n",
            **(
                {
                    "include/linux/tcp.h": TCP_SOCK,
                    "net/ipv4/tcp_timer.c": TIMER,
                    "include/uapi/linux/tcp.h": TCP_INFO,
                    "net/ipv4/tcp.c": GET_INFO,
                }
                if self.version == "6.1"
                else {}
            ),
            "kernel": self.kernel,
            "drivers/gpu/drm/large.c": "large\n",
            "drivers/gpu/Makefile": "obj-y += drm/\n",
        }

    def folder(self, place: Path) -> Path:
        """Writes it as an unpacked folder."""
        for name, text in self.files().items():
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return place

    def tarball(self, place: Path) -> Path:
        """Writes it as Debian's package has it, into this folder."""
        name = f"linux-source-{self.version}"
        unpacked = self.folder(place / f"of-{name}" / name)
        path = place / f"{name}.tar.xz"
        with tarfile.open(path, "w:xz") as archive:
            archive.add(unpacked, name)
        return path
