# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the record of a public API takes from rustdoc's pages, and how it says that the API changed; what it guards is `make published`."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from conftest import cargo

from tools import ROOT
from tools.published import CRATES
from tools.published.api import changes, declarations, items
from tools.unlinked import options

ITEM = """
<pre class="rust item-decl"><code><div class="code-attributes">#[non_exhaustive]</div>pub struct Window<br>{ <details><summary class="hideme">
<span>Show 2 fields</span></summary>pub bytes: <a href="u64.html">u64</a>, }</details></code></pre>
<h2 class="section-header">Implementations</h2>
<section class="impl"><a class="src rightside">Source</a><h3 class="code-header">impl Window</h3></section>
<section id="method.new" class="method"><h4 class="code-header">pub const fn <a class="fn">new</a>(bytes: u64) -&gt; Self</h4></section>
<section id="impl-Clone-for-Window" class="impl"><h3 class="code-header">impl Clone for Window<div class="where">where u64: Clone</div></h3></section>
<section id="method.clone" class="method trait-impl"><h4 class="code-header">fn clone(&amp;self) -> Window</h4></section>
<div id="synthetic-implementations-list"><h3 class="code-header">impl Send for Window</h3></div>
<div id="blanket-implementations-list"><h3 class="code-header">impl&lt;T&gt; Any for T</h3></div>
"""
LINES = [
    "#[non_exhaustive] pub struct Window { pub bytes: u64, }",
    "impl Window",
    "pub const fn new(bytes: u64) -> Self",
    "impl Clone for Window where u64: Clone",
]


def test_a_page_gives_the_item_its_own_methods_and_its_traits_and_nothing_that_all_types_have() -> None:
    assert declarations(ITEM) == LINES


def test_items_stand_under_their_paths_and_what_is_exported_again_under_its_modules(tmp_path: Path) -> None:
    folder = tmp_path / "core"
    (folder / "units").mkdir(parents=True)
    (folder / "units" / "struct.Window.html").write_text(ITEM)
    (folder / "units" / "index.html").write_text("<h1>units</h1>")
    (folder / "index.html").write_text('<dt id="reexport.Window"><code>pub use units::<a>Window</a>;</code></dt>')
    (folder / "all.html").write_text(ITEM)
    expected = [
        "mod core",
        "    pub use units::Window;",
        "struct core::units::Window",
        *(f"    {line}" for line in LINES),
    ]
    assert list(items(folder)) == expected


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ("pub fn window(&self) -> u64\n", []),
        ("pub fn window(&self) -> u32\n", ["-pub fn window(&self) -> u64", "+pub fn window(&self) -> u32"]),
        ("", ["-pub fn window(&self) -> u64"]),
    ],
)
def test_a_change_of_the_api_is_said_line_by_line(now: str, says: list[str]) -> None:
    assert [line for line in changes("pub fn window(&self) -> u64\n", now) if line[1:3] not in ("--", "++")] == says


@pytest.mark.parametrize("crate", CRATES)
def test_every_published_crate_has_its_api_on_record(crate: str) -> None:
    assert f" {crate.replace('-', '_')}::" in (ROOT / "crates" / crate / "api.txt").read_text()


# Only of these: a script that is not run cannot say what the compiler is to know.
@pytest.mark.slow
@cargo
def test_a_check_does_not_compile_the_three_libraries_in_c() -> None:
    named = [re.match(r"--config=target\.[\w-]+\.(aws_lc|bpf|ring_core)", option) for option in options()]
    assert Counter(match[1] if match else None for match in named) == {"aws_lc": 2, "bpf": 1, "ring_core": 1}
