"""``s3gym site``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import SUBMISSIONS, NoCache, ProtocolFiles, Submissions
from s3gym.output import REFUSED, out, plain, plain_errors, warn

SITE = Path("build/site")
app = typer.Typer(no_args_is_help=True, help="The static leaderboard.")


@app.command("build")
def build(
    submissions: Submissions = SUBMISSIONS,
    folder: Annotated[Path, typer.Option("--out", help="Where the site goes.")] = SITE,
    docs: Annotated[Path | None, typer.Option(help="Built documentation, to be joined as docs/.")] = None,
    protocol: ProtocolFiles = None,
    no_cache: NoCache = False,
) -> None:
    """Verify and score every submitted entry, and build the site: plain files for any static host or from disk.

    An entry that this scorer accepted before and that is unchanged is not replayed again (s3gym cache).
    """
    from protocol.own import protocols
    from s3gym.caching import usable_cache
    from s3gym.site_building import build_from
    from s3gym.verifying import show_report
    from scoring.verify import RefusedError

    with plain_errors():
        try:
            cache = usable_cache(wanted=not no_cache)
            pages = build_from(submissions, folder, docs, protocols(protocol, submissions), cache=cache)
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
    out().print(f"{pages} pages: {plain(str(folder / 'index.html'))}")


@app.command("serve")
def serve(
    folder: Annotated[Path, typer.Option("--site", help="The built site.")] = SITE,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8000,
) -> None:
    """Serve a built site on this machine until Ctrl-C (opening index.html from disk works too)."""
    import functools
    import http.server

    from leaderboard.output import MANIFEST, is_whole

    with plain_errors():
        if not (folder / "index.html").is_file():
            raise ValueError(f"site: expected a built site, found none at {folder}; run: s3gym site build")
        if (folder / MANIFEST).is_file() and not is_whole(folder):
            warn(f"{folder}: the last build stopped before its end: its pages are of two builds; run: s3gym site build")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
            out().print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends it)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                out().print("ended")
