"""``s3gym demo``: the main job from end to end, on embedded defaults."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from s3gym.output import fail, out, plain, plain_errors


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where everything goes.")] = Path("build/demo"),
    site: Annotated[Path, typer.Option(help="Where the site goes.")] = Path("build/site"),
) -> None:
    """Run the main job from end to end: play, sign, verify by replay, score, browse.

    A small real model (SmolLM2-135M-Instruct, on this machine, no key, no network) and two built-in baselines play
    the smoke-1 protocol on both pathways; every bundle is signed, verified by replay and scored, and the site and
    the documentation are built.
    """
    from protocol.preset import preset_named
    from runner.retry import PauseRunError
    from s3gym.accepting import accept_all
    from s3gym.demonstration import PROTOCOL, TEAM, build_docs, models, play_all, prepare
    from s3gym.score_tables import View, show_results
    from s3gym.sheets import sheets
    from s3gym.site_building import build_from, check_installed
    from scoring.score import results_of
    from scoring.submitting import KEYS, submit, submitted

    console = out()
    with plain_errors():
        check_installed()
        started = time.monotonic()
        console.print(f"[bold]1/4[/] A key for team {TEAM} and an empty board in {plain(str(folder))}")
        place = prepare(folder)
        console.print(f"[bold]2/4[/] Play, sign, verify and submit (protocol {PROTOCOL})")
        try:
            played = play_all(place, models())
        except PauseRunError as pause:
            fail(f"{pause}")
        for bundle in played:
            verified, _ = submit(bundle, place.submissions)
            console.print(f"  {verified.manifest.entry}: signed, verified by replay, submitted")
        console.print("[bold]3/4[/] Score what was verified")
        preset_of = preset_named
        bundles = list(submitted(place.submissions))
        results = results_of(accept_all(bundles, place.submissions / KEYS, preset_of))
        show_results(out(), sheets(results), View(judging=False))
        console.print("[bold]4/4[/] Build the documentation and the site")
        docs = build_docs(Path.cwd(), Path("build/docs").absolute())
        pages = build_from(place.submissions, site, docs, preset_of)
        console.print(f"Done in {time.monotonic() - started:.0f} s: {pages} pages.")
    console.print(f"Open [bold]{plain(str((site / 'index.html').absolute()))}[/]")
    console.print(f"or run: s3gym site serve --site {plain(shlex.quote(str(site)))}")
    console.print("A real protocol on your own model: s3gym run --help")
