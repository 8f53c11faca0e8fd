"""``s3gym cache``."""

from __future__ import annotations

from typing import Annotated

import typer

from s3gym.output import out, plain, plain_errors, write_json

app = typer.Typer(
    no_args_is_help=True,
    help="The cache of accepted bundles: score and site build verify an unchanged bundle once.",
)


@app.command("path")
def path() -> None:
    """Print the folder of the cache: S3GYM_CACHE, else s3gym in XDG_CACHE_HOME, else in ~/.cache."""
    from s3gym.caching import cache_folder

    with plain_errors():
        write_json(str(cache_folder()))


@app.command("stats")
def stats() -> None:
    """Print what the cache holds; every entry of this scorer is read."""
    from s3gym.caching import cache_folder
    from scoring.cache import Cache

    with plain_errors():
        stored = Cache(cache_folder()).stored()
        out().print(
            f"{plain(str(cache_folder()))}\n"
            f"entries of this scorer: {stored.entries}\n"
            f"entries of other scorers, never read: {stored.others}\n"
            f"damaged, made anew when they are asked for: {stored.damaged}\n"
            f"size: {stored.bytes / 1e6:.1f} MB"
        )


@app.command("prune")
def prune(
    everything: Annotated[bool, typer.Option("--all", help="Remove the entries of this scorer too.")] = False,
) -> None:
    """Remove entries of other scorers and what is damaged or left half written. What was removed is made anew."""
    from s3gym.caching import cache_folder
    from scoring.cache import Cache

    with plain_errors():
        removed = Cache(cache_folder()).prune(everything=everything)
        out().print(f"removed: {removed}")
