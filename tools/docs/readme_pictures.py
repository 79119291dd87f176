# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws the README's pictures with the README's own commands: python -m tools.docs.readme_pictures

Writes docs/pictures/readme. That of the lab needs the web page and Chromium, and stays where one is missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import DOCS, ROOT

README = ROOT / "README.md"
FOLDER = DOCS / "pictures" / "readme"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: What the README's commands leave, and under which name it is shown.
PICTURES = {
    "beta": "out/beta/windows.png",
    "study": "out/study/response.png",
    "quic": "out/quic/cwnd.png",
    "lull": "out/lull/cwnd.png",
}
LAB = ROOT / "python" / "cwnd" / "page" / "lab.html"
#: Of the window that the lab's picture shows.
SIZE = "1200,760"


def commands() -> list[str]:
    """The README's blocks that run the program: not make, not root's, and not the one that needs the web page."""
    blocks = BLOCK.findall(README.read_text())
    return [text for text in blocks if not text.startswith(("make ", "sudo ")) and "--page" not in text]


def draw(folder: Path) -> None:
    """The pictures of runs, each `NAME.png` in the folder."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / ".venv").symlink_to(Path(sys.executable).parents[1])
        for text in commands():
            command = ["bash", "-euo", "pipefail", "-c", text]
            subprocess.run(command, cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL)
        for name, picture in PICTURES.items():
            shutil.copy(Path(place) / picture, folder / f"{name}.png")


def draw_lab(path: Path) -> None:
    """The lab's picture, as the browser shows it a moment after it was opened."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None or not LAB.exists():
        print(f"{path.relative_to(ROOT)} stays: it needs the web page (make page) and Chromium", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={profile}"]
        command += ["--blink-settings=preferredColorScheme=1", "--virtual-time-budget=10000"]
        command += [f"--window-size={SIZE}", f"--screenshot={path}", LAB.as_uri()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw(FOLDER)
    draw_lab(FOLDER / "lab.png")


if __name__ == "__main__":
    main()
