"""The parts of the learner: seeing, judging, weighing, kinds, tips; none of them knows a game."""
