"""Numbers of the paper, as published; shown and used as fixtures, never replayed."""
