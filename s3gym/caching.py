"""Where the cache of accepted bundles lies, and how commands use it."""

from __future__ import annotations

import os
from pathlib import Path

from s3gym.output import err, plain
from scoring.cache import Cache


def cache_folder() -> Path:
    """Return the folder of the cache: S3GYM_CACHE, else s3gym in XDG_CACHE_HOME, else in ~/.cache."""
    own = os.environ.get("S3GYM_CACHE")
    if own:
        return Path(own).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    # The specification has relative paths ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "s3gym"


def usable_cache(wanted: bool = True) -> Cache | None:
    """Return the cache, or None if it is not wanted or cannot be used; then a line on standard error says why."""
    if not wanted:
        return None
    try:
        return Cache(cache_folder())
    except (ValueError, OSError, RuntimeError) as error:
        # RuntimeError: a user without a home folder.
        err().print(f"[yellow]without a cache:[/] {plain(str(error))}")
        return None
