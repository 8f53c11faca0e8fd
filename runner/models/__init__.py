"""The models that a run can be played with."""
