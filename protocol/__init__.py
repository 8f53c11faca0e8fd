"""What a run is: the contract between who plays and who scores."""
