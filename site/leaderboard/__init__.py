"""Build the leaderboard site from results and verified episodes."""
