"""Properties take as long as the machine lets them: no test here fails for its time."""

from hypothesis import settings

settings.register_profile("index", deadline=None, max_examples=60)
settings.load_profile("index")
