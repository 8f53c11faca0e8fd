"""``s3gym rerun``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import ROOT_KEY, SUBMISSIONS, ProtocolFiles, RootKeyFile, Submissions
from s3gym.output import INTERRUPTED, PAUSED, REFUSED, board_console, err, out, plain, plain_errors


def rerun(
    bundle: Annotated[Path, typer.Argument(help="The entry's folder on the board, submissions/entries/ENTRY.")],
    model: Annotated[str, typer.Option(help="The model to ask, as for s3gym run.")],
    round_name: Annotated[
        str, typer.Option("--round", help="A name that nobody could know when the entry was played.")
    ],
    base_url: Annotated[str | None, typer.Option(help="The organisers' own endpoint for that model.")] = None,
    episodes: Annotated[int, typer.Option(min=1, max=1000, help="Strict episodes of each game.")] = 16,
    submissions: Submissions = SUBMISSIONS,
    root_key: RootKeyFile = ROOT_KEY,
    folder: Annotated[Path | None, typer.Option("--out", help="The journal. Default: runs/rerun-ENTRY-ROUND.")] = None,
    api_key_env: Annotated[str, typer.Option(help="Environment variable that holds the key.")] = "OPENAI_API_KEY",
    api_key_header: Annotated[
        str | None, typer.Option(help="Header that holds the key alone, such as api-key.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for one reply.")] = 300.0,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Episodes played at once.")] = 1,
    max_requests: Annotated[int | None, typer.Option(min=1, help="Stop, resumably, after so many requests.")] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on though eight of the first ten replies hold no answer.")
    ] = False,
    protocol: ProtocolFiles = None,
    send_extras: Annotated[
        bool, typer.Option("--send-extras", help="Send the further fields and headers that the entry declares.")
    ] = False,
) -> None:
    """Ask the model of an entry again, as organisers: its last checkpoint, on fresh seeds, with what the entry carried.

    History or memory are built again from the verified records. What comes is signed with the root key and laid beside
    the entry; the site shows it, with its interval, next to what the entry claims. Run the same command again to go on
    after any interruption. It says nothing of how the entry came to its history: that was the team's run.

    [bold]Example[/]

    s3gym rerun submissions/entries/ENTRY --model NAME --base-url http://localhost:8000/v1 --round check-7f3a
    """
    from protocol.durable import write_folder
    from protocol.names import check_name
    from protocol.own import protocols
    from protocol.signing import load_key
    from runner.ledger import Ledger
    from runner.models.base_url import read_base_url
    from runner.retry import Asker, PauseRunError, RetryPolicy, StoppedRunError
    from runner.together import Seats
    from s3gym.confirmation_view import board_bundle, show_confirmation
    from s3gym.opening import open_model
    from s3gym.rerunning import Rerun, access_to, decoding_to_send
    from s3gym.rerunning import rerun as play_again
    from s3gym.stopping import stoppable
    from s3gym.verifying import show_report
    from s3gym.watching import ProgressBoard
    from scoring.board import open_board
    from scoring.confirmation import CONFIRMATIONS, confirmation_files, fresh_preset
    from scoring.confirming import read_confirmation
    from scoring.root_keys import root_of
    from scoring.verify import RefusedError

    with plain_errors():
        check_name(round_name)
        board = open_board(submissions)
        key = load_key(root_key.read_bytes())
        roots = board.keyring.roots
        if roots is None or root_of(key) != roots.current:
            raise ValueError("root key: expected the key that signs this board's registry (s3gym registry init)")
        try:
            verified = board_bundle(board, bundle, protocols(protocol, submissions))
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
        entry = verified.manifest.entry
        target = submissions / CONFIRMATIONS / entry / round_name
        if target.exists():
            raise ValueError(f"{target}: expected no confirmation of this round yet, found one")
        address = None if base_url is None else read_base_url(base_url).shown
        plan = Rerun(verified, fresh_preset(verified, round_name, episodes), model, address)
        decoding = decoding_to_send(verified.manifest, send_extras=send_extras)
        access = access_to(verified.manifest.endpoint, base_url, api_key_env, api_key_header, timeout)
        opened = open_model(model, access, decoding)
        ledger = Ledger(max_requests=max_requests)
        asker = Asker(RetryPolicy().for_timeout(timeout))
        where = folder or Path("runs") / f"rerun-{entry}-{round_name}"
        try:
            with ProgressBoard(board_console(), ledger) as board_of_bars:
                games = tuple(run.game.id for run in verified.runs)
                watcher = board_of_bars.watcher(plan.preset, games, episodes=episodes)
                seats = Seats(concurrency)
                playing = play_again(plan, opened, where, watcher, asker, seats, ledger, keep_going=keep_going)
                confirmation, runs = stoppable(playing, [asker])
        except (StoppedRunError, KeyboardInterrupt):
            err().print("[bold yellow]stopped:[/] every reply so far is kept; run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None
        except PauseRunError as pause:
            err().print(
                f"[bold yellow]paused:[/] {plain(str(pause))}. Every reply so far is kept; the run goes on from there."
            )
            raise typer.Exit(PAUSED) from pause
        records = {run.game: run.episodes for run in runs}
        write_folder(target, confirmation_files(confirmation, records, key).items())
        show_confirmation(read_confirmation(target, roots, verified))
    out().print(f"Signed and laid beside the entry: {plain(str(target))}")
