"""How fast is it here: measurements of a real daemon beside a named rival, in one run."""
