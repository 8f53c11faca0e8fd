"""How sure a number is: intervals, tests and bands as pure functions."""
