"""The games beside other environments: steps a second, measured alternately in one process on one core."""
