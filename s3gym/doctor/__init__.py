"""What can be found out about a set-up before a run: this machine, the endpoint, the model."""
