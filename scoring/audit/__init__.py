"""Whether printed results can be: what Avg, Max and AUC+ leave open, and curves that give them."""
