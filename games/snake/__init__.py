"""Snake: steer a growing snake to apples."""
