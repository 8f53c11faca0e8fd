"""What is measured, never tested: run by hand, one module a question."""
