"""Tetris: drop blocks so that they fill rows."""
