# SPDX-License-Identifier: MIT OR Apache-2.0
"""aioquic (pip install aioquic) as a child process of the simulator, with its own Reno or CUBIC.

    cwnd compare 'stock-cubic@stack=exec,exec=python3 docs/examples/exec/aioquic_stack.py' cubic --rate 10Mbit/s --rtt 40ms

`python3` is the one that has both cwnd and aioquic. Time is an argument of every call. Random numbers come from the seed; the keys of TLS
come from the system, so bytes differ between two runs, and lengths and times do not.
"""

import datetime
import math
import os
import random
import ssl
import sys
from collections.abc import Iterable

from aioquic.buffer import Buffer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived
from aioquic.quic.packet import pull_quic_header
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cwnd.stacks.exec_child import NONE, SENDER, Failed, Stack, serve

PEER = ("192.0.2.1", 443)
BACKLOG = 1 << 16
ALGORITHMS = ("reno", "cubic")


def certificate(configuration: QuicConfiguration) -> None:
    """A certificate that the receiver signs itself. Ed25519: its signatures are all of one length."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    begin = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, begin.replace(year=2120))
    configuration.certificate, configuration.private_key = builder.sign(key, None), key


class Aioquic(Stack):
    """One end of a connection."""

    def __init__(self, role: int, datagram: int, seed: int, name: str) -> None:
        super().__init__(role, datagram, seed, name)
        if name not in ALGORITHMS:
            raise Failed(f"stock-{name}: aioquic has {' and '.join(f'stock-{known}' for known in ALGORITHMS)}")
        os.urandom = random.Random(2 * seed + role).randbytes
        self.configuration = QuicConfiguration(
            is_client=role == SENDER,
            alpn_protocols=["exec"],
            congestion_control_algorithm=name,
            idle_timeout=100_000,
            max_data=1 << 40,
            max_datagram_size=datagram,
            max_stream_data=1 << 40,
            verify_mode=ssl.CERT_NONE,
        )
        self.quic: QuicConnection | None = None
        self.to_send = 0
        self.stream: int | None = None
        if role == SENDER:
            self.quic = QuicConnection(configuration=self.configuration)
            self.count_losses()
        else:
            certificate(self.configuration)

    def count_losses(self) -> None:
        """Counts the packets that aioquic tells its controller as lost: it keeps no count."""
        cc = self.quic._loss._cc
        tell = cc.on_packets_lost

        def count(*, now: float, packets: Iterable[object]) -> None:
            packets = list(packets)
            self.lost += len(packets)
            tell(now=now, packets=packets)

        cc.on_packets_lost = count

    def open(self, now: int) -> None:
        if self.quic is not None:
            self.quic.connect(PEER, now / 1e9)
            self.advance(now)

    def on_datagram(self, now: int, ecn: int, data: bytes) -> None:
        if self.quic is None:
            header = pull_quic_header(Buffer(data=data), host_cid_length=8)
            self.quic = QuicConnection(
                configuration=self.configuration, original_destination_connection_id=header.destination_cid
            )
        self.quic.receive_datagram(data, PEER, now / 1e9)
        self.advance(now)

    def on_timer(self, now: int) -> None:
        if self.quic is not None:
            self.quic.handle_timer(now / 1e9)
        self.advance(now)

    def write(self, now: int, size: int) -> None:
        self.to_send = min(self.to_send + size, NONE)
        self.advance(now)

    def finish(self, now: int) -> None:
        self.to_send = 0

    def advance(self, now: int) -> None:
        """Hands data over, sends what is to be sent, and looks at what the connection shows: much of that is private."""
        if self.quic is None:
            return
        while (event := self.quic.next_event()) is not None:
            if isinstance(event, StreamDataReceived):
                self.read += len(event.data)
            elif isinstance(event, ConnectionTerminated) and event.error_code:
                raise Failed(f"aioquic: {event.reason_phrase or hex(event.error_code)}")
        if self.to_send and self.stream is None:
            self.stream = self.quic.get_next_available_stream_id(is_unidirectional=True)
        loss = self.quic._loss
        while self.stream is not None and self.to_send:
            sender = self.quic._get_or_create_stream_for_send(self.stream).sender
            if sender._buffer_stop - sender._buffer_start > BACKLOG + 4 * loss.congestion_window:
                break
            piece = min(self.to_send, BACKLOG)
            self.quic.send_stream_data(self.stream, bytes(piece))
            self.to_send -= piece if self.to_send != NONE else 0
        self.out += [(0, datagram) for datagram, _ in self.quic.datagrams_to_send(now / 1e9)]
        timer = self.quic.get_timer()
        self.next_timer = NONE if timer is None else math.ceil(timer * 1e9) + 1
        self.congestion_events += loss.congestion_window < self.cwnd
        self.cwnd, self.in_flight = loss.congestion_window, loss.bytes_in_flight
        self.ssthresh = NONE if loss._cc.ssthresh is None else loss._cc.ssthresh
        if loss._rtt_initialized:
            self.srtt, self.min_rtt = int(loss._rtt_smoothed * 1e9), int(loss._rtt_min * 1e9)


if __name__ == "__main__":
    serve(Aioquic, sys.stdin.buffer, sys.stdout.buffer)
