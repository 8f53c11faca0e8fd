"""Run, verify and rank agents that test and judge themselves in seven small games."""
