"""What holds for every kind of record that is read from outside."""

import importlib
import pkgutil
from typing import get_args, get_origin

import pytest
from pydantic import BaseModel, FailFast

import protocol
import runner
import scoring
from protocol.records import EpisodeRecord
from scoring.results import Results


def _models() -> list[type[BaseModel]]:
    """Import all of the packages that read, and list their pydantic models."""
    for package in (protocol, runner, scoring):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)

    def below(kind: type[BaseModel]) -> list[type[BaseModel]]:
        return [each for child in kind.__subclasses__() for each in (child, *below(child))]

    packages = ("protocol.", "runner.", "scoring.")
    return sorted({each for each in below(BaseModel) if each.__module__.startswith(packages)}, key=repr)


MODELS = _models()


def test_the_models_are_found() -> None:
    assert {EpisodeRecord, Results} < set(MODELS)


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_BN_05_the_first_bad_item_of_any_list_ends_its_reading(kind: type[BaseModel]) -> None:
    """A fault takes far more memory than the item that it is about."""
    for name, field in kind.model_fields.items():
        if get_origin(field.annotation) is tuple and get_args(field.annotation)[1:] == (...,):
            assert any(isinstance(each, FailFast) for each in field.metadata), f"{name}: expected Several[...]"
        else:
            assert "tuple" not in str(field.annotation) or ", ...]" not in str(field.annotation), name
