"""The games in the forms that other libraries play; each module needs the extra of its name."""
