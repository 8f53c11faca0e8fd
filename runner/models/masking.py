"""Keeps keys out of every message, and untrusted text from driving a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "***"
MAX_SHOWN = 300
"""Characters of an endpoint's own words that a message repeats."""
_SHAPES = re.compile(
    r"(?P<keep>[?&](?:api[-_]?key|key|token|access[-_]token|sig|secret|password)=|://(?=[^\s/@]{1,400}@))"
    r"[^\s\"'&@<>]{1,400}"
    r"|(?P<scheme>\b(?:bearer|basic)\s{1,4})[^\s\"'<>]{8,4000}"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|glpat|github_pat|r8)[-_][a-z0-9_-]{16,400}"
    r"|\b(?:akia|aiza)[a-z0-9_-]{16,400}"
    r"|\beyj[a-z0-9_-]{8,2000}\.[a-z0-9_-]{8,4000}(?:\.[a-z0-9_-]{1,2000})?",
    re.IGNORECASE,
)
"""Shapes of keys that are not ours but that an endpoint may echo: URLs, headers, common prefixes, JSON web tokens."""


_MIN_KEY = 16
"""Characters of a secret that is looked for in replies; a shorter one is no key, and may be a word of the model's."""


class Masker:
    """Masks known secrets, and whatever else looks like one, in text that is shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if secret for form in (secret, quote(secret, safe=""), quote_plus(secret))}
        # The longest first, or the rest of a secret that contains another one would stay.
        self._known = sorted(forms, key=len, reverse=True)

    def without_keys(self, text: str) -> str:
        """Return a reply without our own keys, should the endpoint have echoed them; all else stays as it is."""
        for secret in self._known:
            if len(secret) >= _MIN_KEY:
                text = text.replace(secret, MASK)
        return text

    def mask(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        return _SHAPES.sub(lambda match: (match["keep"] or match["scheme"] or "") + MASK, text)

    def shown(self, text: str) -> str:
        """Return untrusted text fit for one line of a message: masked, cut, control characters escaped."""
        masked = " ".join(self.mask(text).split())
        cut = masked if len(masked) <= MAX_SHOWN else f"{masked[:MAX_SHOWN]}…"
        return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in cut)
