"""The bundle folder: what is read is what was written, and nothing else is taken for it."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

import pytest
from annotated_types import Le
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import bundle
from protocol.bundle import content_chunks, content_lines, list_files, read_file
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import MAX_REPLY, StepRecord
from protocol.reply import MAX_ACTION
from protocol.strictjson import write_record

SIGNS = [("a", 1), ("\u4e2d", 6), ("\U0001f600", 12)]
"""Signs, and the bytes of each in a record."""


def decompress(data: bytes, file: str) -> bytes:
    return b"".join(content_chunks(data, file))


def lines_of(content: bytes) -> list[bytes]:
    return list(content_lines(gzip.compress(content), "f"))


@given(st.binary(max_size=2_000))
def test_what_is_compressed_comes_back(data: bytes) -> None:
    assert decompress(gzip.compress(data), "f") == data


@given(st.binary(min_size=1, max_size=300), st.data())
def test_BN_06_a_cut_or_extended_file_is_always_refused_in_one_way(data: bytes, pick: st.DataObject) -> None:
    whole = gzip.compress(data)
    cut = pick.draw(st.integers(0, len(whole) - 1))
    for damaged in (whole[:cut], whole + b"junk", whole + whole):
        with pytest.raises(BundleError) as refused:
            decompress(damaged, "episodes/snake.jsonl.gz")
        assert refused.value.file == "episodes/snake.jsonl.gz"


@given(st.binary(max_size=300))
def test_any_bytes_are_decompressed_or_refused(data: bytes) -> None:
    try:
        decompress(data, "f")
    except BundleError:
        return


def slowly(data: bytes) -> bytes | str:
    """Inflate with the standard library, all at once; or say what is wrong."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        content = inflater.decompress(data)
    except zlib.error as error:
        return f"a damaged one ({error})"
    if not inflater.eof:
        return "one that is cut"
    after = len(inflater.unused_data)
    return f"{after} bytes after it" if after else content


def as_inflated(data: bytes) -> bytes | str:
    try:
        return decompress(data, "f")
    except BundleError as error:
        return error.got


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """Return a gzip file in one of the forms that deflate has, whole or with some of its bytes changed."""
    content = draw(st.binary(max_size=200) | st.text(alphabet="ab\n", max_size=400).map(str.encode))
    packer = zlib.compressobj(draw(st.sampled_from([0, 1, 6, 9])), zlib.DEFLATED, 31, 8, draw(st.integers(0, 4)))
    data = bytearray(packer.compress(content) + packer.flush())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data) - 1) | st.integers(0, 30).filter(lambda at: at < len(data)))
        data[at] = draw(st.sampled_from([data[at] ^ 1 << bit for bit in range(8)]) | st.integers(0, 255))
    end = draw(st.sampled_from([len(data), len(data), draw(st.integers(0, len(data)))]))
    return bytes(data[:end]) + draw(st.sampled_from([b"", b"", b"\0", b"junk", bytes(data)]))


@settings(max_examples=300)
@given(spoiled(), st.sampled_from([1 << 18, 7]))
def test_the_fast_inflater_takes_and_refuses_what_the_standard_library_does_in_the_same_words(
    data: bytes, piece: int
) -> None:
    """Or else it would hang on the inflater which bundles are accepted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "_CHUNK", piece)
        patch.setattr(bundle, "_PIECE", piece)
        assert as_inflated(data) == slowly(data)


def test_a_flipped_bit_in_the_data_is_refused() -> None:
    whole = bytearray(gzip.compress(b"line\n" * 100))
    whole[20] ^= 1
    with pytest.raises(BundleError):
        decompress(bytes(whole), "f")


def test_BN_05_a_bomb_is_refused_long_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limits scaled down: 4 MB of zeros in 4 kB stop at the ratio, after about the allowed size."""
    monkeypatch.setattr(bundle, "MAX_RATIO_FROM", 1 << 16)
    monkeypatch.setattr(bundle, "_CHUNK", 1 << 14)
    with pytest.raises(BundleError, match="ratio"):
        decompress(gzip.compress(bytes(4 << 20)), "f")


def _step(reply: str) -> StepRecord:
    return StepRecord(
        reply=reply,
        action="\U0001f600" * MAX_ACTION,
        score=None,
        reward=-1.0,
        finish="length",
        context=os.urandom(32).hex(),
        dropped_episodes=2**53 - 1,
        dropped_steps=2**53 - 1,
        window=64,
        cut="server_overflow",
    )


def test_a_line_takes_an_episode_of_the_longest_replies() -> None:
    longest = max(len(write_record(_step(sign * ((MAX_REPLY - 2) // size)))) for sign, size in SIGNS)
    most_steps = next(each.le for each in Preset.model_fields["max_steps"].metadata if isinstance(each, Le))
    assert most_steps == 64
    assert 64 * (longest + 1) + 2_000 < bundle.MAX_LINE


@pytest.mark.parametrize(("sign", "size"), SIGNS)
def test_a_run_that_says_one_word_over_and_over_is_no_bomb(sign: str, size: int) -> None:
    """A server gone wrong may write the same sign to the end of every reply; each prompt's digest is still its own."""
    reply = sign * ((MAX_REPLY - 2) // size)
    steps = [_step(reply).model_copy(update={"action": None}) for _ in range(38)]
    content = b"".join(write_record(step) + b"\n" for step in steps)
    assert len(content) > bundle.MAX_RATIO_FROM
    assert decompress(gzip.compress(content, mtime=0), "f") == content


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_BN_02_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(tmp_path / "f")
    if kind == "folder":
        (tmp_path / "f").mkdir()
    name = "null" if kind == "device" else "f"
    with pytest.raises(BundleError, match="a regular file"):
        read_file(Path("/dev") if kind == "device" else tmp_path, name, 100)


def test_a_content_over_the_absolute_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_CONTENT", 1_000)
    with pytest.raises(BundleError, match="at most 1000 bytes"):
        decompress(gzip.compress(os.urandom(2_000)), "f")


def test_a_raw_zlib_stream_is_no_gzip_file() -> None:
    with pytest.raises(BundleError):
        decompress(zlib.compress(b"data"), "f")


@pytest.mark.parametrize("content", [b"a", b"\n", b"a\n\nb\n", b"a\nb"])
def test_lines_are_ended_and_not_empty(content: bytes) -> None:
    with pytest.raises(BundleError):
        lines_of(content)


def test_RN_01_only_a_newline_ends_a_line() -> None:
    content = "a\u2028b\x85c\x0cd\re\n".encode()
    assert lines_of(content) == [content[:-1]]


def test_a_line_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_LINE", 10)
    with pytest.raises(BundleError, match="line 2"):
        lines_of(b"short\n" + b"x" * 11 + b"\n")


@pytest.mark.parametrize("content", [b"x" * 11, b"x" * 1_000])
def test_an_endless_line_is_refused_before_it_is_held(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(bundle, "MAX_LINE", 10)
    monkeypatch.setattr(bundle, "_CHUNK", 4)
    with pytest.raises(BundleError, match="at most 10 bytes a line"):
        lines_of(content)


def test_too_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_LINES", 3)
    assert lines_of(b"a\n" * 3) == [b"a"] * 3
    with pytest.raises(BundleError, match="at most 3 lines"):
        lines_of(b"a\n" * 4)


@given(st.lists(st.binary(min_size=1, max_size=9).filter(lambda line: b"\n" not in line)), st.integers(1, 7))
def test_lines_are_the_same_however_the_content_is_cut_into_pieces(lines: list[bytes], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "_CHUNK", size)
        assert lines_of(b"".join(line + b"\n" for line in lines)) == lines


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "episodes" / "more").mkdir(parents=True)
    (tmp_path / "episodes" / "a").write_bytes(b"1")
    with pytest.raises(BundleError, match=r"episodes/more.*no empty folder"):
        list_files(tmp_path)


def test_files_are_listed_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "episodes").mkdir()
    (tmp_path / "b").write_bytes(b"12")
    (tmp_path / "episodes" / "a").write_bytes(b"1")
    assert list_files(tmp_path) == {"b": 2, "episodes/a": 1}


def test_BN_02_links_and_special_files_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("secret")
    for name in ("symlink", "folder", "hardlink", "fifo"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "symlink":
            (folder / "x").symlink_to(outside)
        elif name == "folder":
            (folder / "x").symlink_to(tmp_path, target_is_directory=True)
        elif name == "hardlink":
            (folder / "x").hardlink_to(outside)
        else:
            os.mkfifo(folder / "x")
        with pytest.raises(BundleError, match="regular file"):
            list_files(folder)


def test_a_link_that_appears_after_listing_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "y")
    (tmp_path / "y").write_text("secret")
    with pytest.raises(BundleError, match="readable"):
        read_file(tmp_path, "x", 100)


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(101))
    with pytest.raises(BundleError, match="at most 100 bytes"):
        read_file(tmp_path, "x", 100)
    assert read_file(tmp_path, "x", 101) == bytes(101)


def test_too_many_files_and_too_deep_folders_are_refused(tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(bundle.MAX_FILES + 1):
        (many / str(number)).touch()
    with pytest.raises(BundleError, match="at most 64 files"):
        list_files(many)
    folders = tmp_path / "folders"
    for number in range(bundle.MAX_FILES + 1):
        (folders / str(number)).mkdir(parents=True)
    with pytest.raises(BundleError, match="at most 64 files"):
        list_files(folders)
    deep = tmp_path / "deep" / "a" / "b" / "c"
    deep.mkdir(parents=True)
    with pytest.raises(BundleError, match="two levels"):
        list_files(tmp_path / "deep")
