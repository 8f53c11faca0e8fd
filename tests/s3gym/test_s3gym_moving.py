"""A run goes on at the endpoint that it was begun with, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from runner.serve import BuiltinServer
from tests.s3gym.face import Face, refused

RUN = ["run", "--model", "greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"]


def test_RN_05_another_base_url_on_resume_is_refused_before_anything_is_asked(face: Face) -> None:
    face("keygen", "red")
    with BuiltinServer() as here, BuiltinServer() as there:
        paused = face(*RUN, "--base-url", here.base_url, "--max-requests", "9")
        assert paused.exit_code == 3, paused.output
        before = Path("runs/e/journal.jsonl").read_bytes()
        refused(face(*RUN, "--base-url", there.base_url), 2, "begun with base URL", "another folder")
        assert Path("runs/e/journal.jsonl").read_bytes() == before
        slashed = face(*RUN, "--base-url", f"{here.base_url}/chat/completions")
        assert slashed.exit_code == 0, slashed.output
