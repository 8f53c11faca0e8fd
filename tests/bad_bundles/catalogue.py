"""The one list of bad bundles."""

from __future__ import annotations

from tests.bad_bundles import (
    claims_faults,
    completeness_faults,
    contexts_faults,
    files_faults,
    limits_faults,
    parsing_faults,
    replay_faults,
    separation_faults,
    signature_faults,
)
from tests.bad_bundles.bad import Bad

CATALOGUE: tuple[Bad, ...] = (
    *limits_faults.FAULTS,
    *signature_faults.FAULTS,
    *files_faults.FAULTS,
    *parsing_faults.FAULTS,
    *completeness_faults.FAULTS,
    *separation_faults.FAULTS,
    *replay_faults.FAULTS,
    *contexts_faults.FAULTS,
    *claims_faults.FAULTS,
)
