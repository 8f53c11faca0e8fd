"""Which numbers are read: one rule for replies, records, results and pages.

A number is taken as the nearest double, as every reader of JSON takes it. Up to `MAX_EXACT` that keeps every whole
number as it was written. Beyond, two of them become one, so nothing there is read: in a reply such a number is missing,
in JSON it is refused, whether it is written as an integer, with a point or with an exponent.
"""

MAX_EXACT = 2**53 - 1
"""The largest whole number that no other one is rounded to."""
