"""Minesweeper: find the mines of a board from the numbers beside them."""
