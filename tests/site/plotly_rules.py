"""The style rules that plotly.js adds to a page by itself, read out of its bundle."""

import re

_RULE = re.compile(r"""("[^"]*"|[A-Z]):("[^"]*"|'[^']*'),?""")


def bundle_rules(bundle: str) -> list[str]:
    """Return the rules in the order of a style sheet in which later ones win.

    plotly.js inserts each rule above those before it; so the last one that it adds comes first.
    """
    start = bundle.index('={"X,X div":') + len("={")
    rules = []
    while match := _RULE.match(bundle, start):
        selector, body = match.group(1).strip('"'), match.group(2)[1:-1]
        selector = selector.replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")
        rules.append(f"{selector} {{ {body} }}")
        start = match.end()
    assert bundle[start] == "}"
    return rules[::-1]
