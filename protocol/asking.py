"""What a model can be asked with: kinds of values that settings hold and records keep."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from protocol.exact import MAX_EXACT
from protocol.extras import check_field, check_header
from protocol.record import Record

Temperature = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
TopP = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
SamplingSeed = Annotated[int, Field(ge=0, le=MAX_EXACT)]
Effort = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,19}$")]
"""A word of the endpoint's, such as `low`, `high` or `none`."""


class BodyField(Record):
    """A further field of the body of every request."""

    name: str
    value: str
    """Its value as JSON, without blanks, the keys of tables in order."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        check_field(self.name, self.value)
        return self


class Header(Record):
    """A further header of every request."""

    name: str
    """In lower case."""
    value: str | None
    """Null where it is a secret: such a value is sent and never written down."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        check_header(self.name, self.value)
        return self
