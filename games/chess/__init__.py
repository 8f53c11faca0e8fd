"""Chess: find the hidden rule of each piece and predict where it goes."""
