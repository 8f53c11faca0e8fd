"""What stops a run that its user can mend."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be used as it stands; the message says why and what to do."""


class StorageError(Exception):
    """The run folder takes no more; the message says where, why and what to do."""
