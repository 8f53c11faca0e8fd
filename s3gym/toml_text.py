"""Values as TOML writes them."""

from __future__ import annotations

from pathlib import Path


def toml_value(value: object) -> str:
    """Return a value as TOML.

    Raises:
        AssertionError: If it is of no kind that a setting has.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_toml_text(str(key))} = {toml_value(each)}' for key, each in value.items())}}}"
    if isinstance(value, (str, Path)):
        return _toml_text(str(value))
    raise AssertionError(f"{type(value).__name__} is of no kind that a setting has")


def _toml_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else _escape(each) for each in escaped) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
