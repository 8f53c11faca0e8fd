"""What tokens cost: a small table that a user writes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_MILLION = 1_000_000
_Price = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Prices(BaseModel):
    """Prices of one model, in one currency a million tokens."""

    model_config = ConfigDict(frozen=True, strict=False, extra="forbid")

    input: _Price
    output: _Price
    cached_input: _Price | None = None
    """Of input tokens that the endpoint's prompt cache serves; None: the same as other input."""
    currency: Annotated[str, Field(min_length=1, max_length=12)] = "USD"

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """Return what so many tokens cost.

        Args:
            tokens_in: Input tokens, cached ones included.
            tokens_cached: Those of them that the prompt cache served.
            tokens_out: Output tokens, reasoning included.
        """
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(0, tokens_in - tokens_cached)
        return (fresh * self.input + tokens_cached * cached + tokens_out * self.output) / _MILLION


def read_prices(path: Path, model: str) -> Prices:
    """Return the prices of a model from a table.

    The table is TOML, one section a model::

        [my-model]
        input = 2.5
        cached_input = 0.25
        output = 10.0
        currency = "USD"

    Raises:
        ValueError: If the table cannot be read or has no such model.
        OSError: If the file cannot be read.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected a TOML table of prices, got: {error}") from error
    if model not in table:
        known = ", ".join(sorted(table)) or "none"
        raise ValueError(f'{path}: expected a section ["{model}"], found only: {known}')
    try:
        return Prices.model_validate(table[model])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join([model, *map(str, first["loc"])])
        raise ValueError(
            f"{path}, {where}: {first['msg'].lower()}; a section holds input, output, and if known cached_input and "
            "currency, prices of a million tokens"
        ) from error
