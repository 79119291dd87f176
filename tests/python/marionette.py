# SPDX-License-Identifier: MIT OR Apache-2.0
"""Firefox without a window, driven by its own remote protocol (Marionette): a length, a colon, a JSON list."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FIREFOX = shutil.which("firefox-esr")
PATIENCE_S = 120


class Firefox:
    """A running browser."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb")
        self._number = 0
        self._read()  # what it is
        self.send("WebDriver:NewSession", {})

    def _read(self) -> object:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            assert byte, "Firefox has ended"
            length += byte
        return json.loads(self._stream.read(int(length)))

    def send(self, command: str, arguments: dict[str, object]) -> object:
        """The result of a command."""
        self._number += 1
        text = json.dumps([0, self._number, command, arguments]).encode()
        self._connection.sendall(b"%d:%s" % (len(text), text))
        answer = self._read()
        assert isinstance(answer, list) and answer[2] is None, answer
        return answer[3]

    def run(self, script: str) -> object:
        """What a script returns; promises are waited for."""
        answer = self.send(
            "WebDriver:ExecuteScript",
            {"script": script, "args": [], "scriptTimeout": 1000 * PATIENCE_S, "sandbox": None},
        )
        assert isinstance(answer, dict)
        return answer["value"]


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Starts it with a profile of its own in this folder, on a port that is free."""
    assert FIREFOX
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "user.js").write_text(
        f'user_pref("marionette.port", {port});\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
        'user_pref("app.update.enabled", false);\nuser_pref("network.captive-portal-service.enabled", false);\n'
        'user_pref("network.connectivity-service.enabled", false);\nuser_pref("browser.safebrowsing.update.enabled", false);\n'
        'user_pref("extensions.systemAddon.update.enabled", false);\nuser_pref("services.settings.server", "");\n'
    )
    process = subprocess.Popen(
        [FIREFOX, "--headless", "--marionette", "--profile", folder, "--no-remote"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_HEADLESS": "1"},
    )
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
                break
            except ConnectionRefusedError:
                assert process.poll() is None, "Firefox has ended"
                assert time.monotonic() < until, "Firefox does not answer"
                time.sleep(0.1)
        with connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
