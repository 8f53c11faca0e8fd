"""What goes into results is made of operations that every machine rounds alike (docs/decisions/0023)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tooling.tree import ROOT, project_files

ROUNDED_ALIKE = {
    *("ceil", "comb", "copysign", "factorial", "floor", "fsum", "gcd", "inf", "isclose", "isfinite", "isinf", "isnan"),
    *("isqrt", "lcm", "nan", "perm", "pi", "prod", "sqrt"),
}
"""Names of ``math`` that are exact or rounded once."""
UNLIKE = {f"np.{name}" for name in ("linalg", "dot", "matmul", "einsum", "exp", "log", "tanh", "power", "mean", "sum")}
SCORING = [path for path in project_files() if path.parts[0] == "scoring" and path.suffix == ".py"]


def _unlike(source: str) -> Iterator[str]:
    """Yield what a processor or a C library may round in its own way."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield f"line {node.lineno}: @"
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            if name in UNLIKE:
                yield f"line {node.lineno}: {name}"
            if name.startswith("math.") and node.attr not in ROUNDED_ALIKE:
                yield f"line {node.lineno}: {name}"
        elif isinstance(node, ast.ImportFrom) and node.module == "math":
            yield from (f"line {node.lineno}: {each.name}" for each in node.names if each.name not in ROUNDED_ALIKE)


@pytest.mark.parametrize("path", SCORING, ids=str)
def test_no_number_hangs_on_the_machine(path: Path) -> None:
    assert list(_unlike((ROOT / path).read_text(encoding="utf-8"))) == []


def test_the_look_finds_what_it_looks_for() -> None:
    assert len(list(_unlike("a @ b\nmath.sin(1)\nnp.linalg.qr(x)\nfrom math import hypot\nmath.fsum(x)"))) == 4
