"""Settings of every test: property tests measure no time, and in CI they always try the same examples."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("local"), derandomize=True, database=None, print_blob=True)
settings.load_profile("steady" if os.environ.get("CI") else "local")
