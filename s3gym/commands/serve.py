"""``s3gym serve-builtin``."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.players import BUILTIN_NAMES
from s3gym.output import out, plain_errors


def serve_builtin(
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8080,
) -> None:
    """Serve the built-in models as an OpenAI-compatible endpoint on this machine, to try a set-up without a key.

    Then, elsewhere: s3gym run --base-url http://127.0.0.1:8080/v1 --model greedy --key keys/team.key
    """
    from runner.serve import BuiltinServer

    with plain_errors(), BuiltinServer(port) as server:
        out().print(f"{server.base_url}  models: {', '.join(BUILTIN_NAMES)}  (Ctrl-C ends it)")
        try:
            server.wait()
        except KeyboardInterrupt:
            out().print("ended")
