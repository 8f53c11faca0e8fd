"""Tests of an adapter whose library is not installed are left out; S3GYM_REQUIRE_VERIFIERS=1 runs and fails them."""

import os
from importlib.util import find_spec

if find_spec("verifiers") is None and os.environ.get("S3GYM_REQUIRE_VERIFIERS") != "1":
    collect_ignore = ["test_s3gym_verifiers.py"]
