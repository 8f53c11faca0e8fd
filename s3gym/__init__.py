"""Run, verify and rank agents that test and judge themselves in seven small games."""

from __future__ import annotations

from importlib import import_module

__all__ = ["S3GymEnv", "S3GymHarness", "S3GymTaskset"]
"""What the verifiers library looks for in the package that a taskset's id names."""


def __getattr__(name: str) -> object:
    """Return a class of the verifiers adapter, which is imported when it is asked for."""
    if name in __all__:
        return getattr(import_module("s3gym.adapters.verifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
