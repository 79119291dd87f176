# SPDX-License-Identifier: MIT OR Apache-2.0
"""The content security policy of the lab's page, in a browser: what the page does is allowed, what a link could bring in is not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from needs import needs

from cwnd.page.html import PAGE
from tools.web.build import policy

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# As `web/src/boot.ts` starts the page's program, and that its workers.
BOOT = 'const made = document.createElement("script"); made.textContent = document.getElementById("program").textContent; document.head.append(made);'
PROGRAM = """
const seen = {};
const tell = () => { document.getElementById("out").textContent = JSON.stringify(seen); };
addEventListener("securitypolicyviolation", (event) => { seen[event.effectiveDirective] = true; tell(); });
seen.worker = new Worker(URL.createObjectURL(new Blob(["0"], { type: "text/javascript" }))) instanceof Worker;
try { seen.module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) instanceof WebAssembly.Module; } catch { seen.module = "refused"; }
try { seen.evaluated = eval("1 + 1"); } catch { seen.evaluated = "refused"; }
window.ran = "nothing";
const host = document.createElement("div");
host.innerHTML = '<p style="width: 7px">x</p><img src="nowhere" onerror="window.ran = 1"><svg onload="window.ran = 2"></svg>';
document.body.append(host);
seen.width = host.firstChild.style.width;
const script = document.createElement("script");
script.textContent = "window.ran = 3";
document.head.append(script);
fetch("https://example.invalid/").catch(() => { seen.fetched = "refused"; tell(); });
setTimeout(() => { seen.ran = window.ran; tell(); }, 1000);
"""


@pytest.mark.slow
@needs("chromium")
def test_the_page_may_do_what_it_does_and_a_link_nothing(tmp_path: Path) -> None:
    program = PROGRAM.strip()
    page = tmp_path / "page.html"
    page.write_text(
        f'<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy(BOOT, program)}">'
        f'</head><body><pre id="out"></pre><script type="text/plain" id="program">{program}</script><script>{BOOT}</script></body></html>'
    )
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    found = re.search(r'<pre id="out">(.*?)</pre>', done.stdout)
    assert found, done.stdout
    seen = json.loads(found[1])
    assert (seen["worker"], seen["module"], seen["width"], "worker-src" in seen) == (True, True, "7px", False), seen
    assert (seen["evaluated"], seen["ran"], seen["fetched"]) == ("refused", "nothing", "refused"), seen


@needs("page")
def test_the_page_has_the_policy_of_its_scripts() -> None:
    html = PAGE.read_text(encoding="utf-8")
    script = html.rpartition("<script>")[2].partition("</script>")[0]
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert found
    # Of the two scripts the second is packed; the first one's digest is in the policy of any program.
    assert policy(script).split("script-src 'wasm-unsafe-eval' ")[1].split(";")[0] in found[1]
    assert "unsafe-inline" not in found[1].partition("script-src")[2].partition(";")[0]
