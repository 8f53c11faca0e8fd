"""Copies of the project as git sees it, and digests of what is in them."""

import hashlib
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def project_files() -> list[Path]:
    """List the files git tracks or would track, relative to the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(Path(name) for name in set(listed.split("\0")) - {""} if (ROOT / name).is_file())


def copy_project(target: Path) -> list[Path]:
    """Copy every project file below `target` and return their relative paths."""
    files = project_files()
    for path in files:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target / path)
    return files


def digests(folder: Path, files: list[Path]) -> dict[Path, str]:
    """Return the SHA-256 of each file, and "missing" for one that is gone."""
    return {
        path: hashlib.sha256((folder / path).read_bytes()).hexdigest() if (folder / path).is_file() else "missing"
        for path in files
    }
