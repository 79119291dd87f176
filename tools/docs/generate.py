# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes the generated parts of docs/: pages and pictures of the algorithms, the keys of a scenario, the commands, the hosts,
the package's public names, the statements of RFC 9438 and RFC 9406, the README's picture."""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import DOCS, ROOT
from tools.docs import commands_page, hosts_pages, pages, python_page, rfc_statements, scenario_page


def demo() -> list[str]:
    """What `make demo` tells the program, without the folder that it writes to."""
    _, _, recipe = (ROOT / "Makefile").read_text().partition("\ndemo: ")
    command = recipe.split("\n\n")[0].partition("cwnd compare ")[2].splitlines()[0]
    arguments, _, _ = command.partition(" -o ")
    return ["compare", *shlex.split(arguments)]


def picture(path: Path = DOCS / "pictures" / "fig6.png") -> None:
    """docs/pictures/fig6.png: the README's picture, drawn by the demo's own command."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(sys.executable).with_name("cwnd"))
        subprocess.run([program, *demo(), "-o", f"{folder}/fig6"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(f"{folder}/fig6/overview.png", path)


def cube_root() -> None:
    """docs/results/cube-root.md and its picture: clocks of this machine, errors of any."""
    subprocess.run(
        [sys.executable, "-m", "tools.bench.cube_root", "--page", str(DOCS / "results" / "cube-root.md")],
        check=True,
        cwd=ROOT,
    )


def texts() -> dict[Path, str]:
    """Every generated page; raises `pages.FragmentError` and `python_page.MissingTextError`."""
    algorithm_pages = pages.pages()
    folder = pages.ALGORITHMS
    generated = {folder / f"{page.name}.md": pages.render(page) for page in algorithm_pages}
    return (
        generated
        | {folder / "README.md": pages.gallery(algorithm_pages)}
        | {folder / f"rfc{document}.md": rfc_statements.page(document) for document in rfc_statements.DOCUMENTS}
        | {folder / "slow-start.md": pages.slow_starts()}
        | {scenario_page.PAGE: scenario_page.page()}
        | {commands_page.PAGE: commands_page.page()}
        | python_page.texts()
        | hosts_pages.texts()
    )


def stale(generated: dict[Path, str]) -> list[str]:
    """Pages that are not what the code and the fragments say, and pages of algorithms and hosts that are gone."""
    wrong = [path.name for path, text in generated.items() if not path.exists() or path.read_text() != text]
    there = [*pages.ALGORITHMS.glob("*.md"), *hosts_pages.FOLDER.glob("*.md")]
    return wrong + [path.name for path in there if path not in generated]


def draw(only: list[str]) -> None:
    """The pictures of the algorithms, all of them or only some."""
    from tools.docs import hook_picture, pictures

    folder = DOCS / "pictures" / "algorithms"
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages.pages():
        if not only or page.name in only:
            wanted, path = page.picture, folder / f"{page.name}.png"
            pictures.one_loss(wanted["sets"], wanted["window"], wanted["seconds"], wanted["rate"], wanted["loss"], path)
    if not only or "kernel" in only:
        hook_picture.draw(DOCS / "pictures" / "kernel.png")
    if not only or "ha2008-fig1" in only:
        pictures.figure_1(DOCS / "pictures" / "ha2008-fig1.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is out of date")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="draw only these algorithms' pictures, or kernel, or fig6"
    )
    args = parser.parse_args()
    try:
        generated = texts()
    except (pages.FragmentError, python_page.MissingTextError) as error:
        raise SystemExit(str(error)) from None
    if args.check:
        if wrong := stale(generated):
            raise SystemExit(f"out of date in docs/reference: {', '.join(sorted(wrong))}; run make docs")
        return
    for path, text in generated.items():
        path.write_text(text)
    draw(args.only)
    if not args.only or "fig6" in args.only:
        picture()
    if not args.only:
        cube_root()


if __name__ == "__main__":
    main()
