"""English words that carry grammar rather than matter."""

from __future__ import annotations

_WORDS = (
    "a about above after again all also am an and any anything are as at be because been before being below between "
    "both but by can could d did do does doing don down during each else ever every few for from further get give had "
    "has have having he her here hers herself him himself his how however i if in into is it its itself just ll let m "
    "made make many may me might more most much must my myself no nor not now of off on once one only or other our "
    "ours ourselves out over own please re s same shall she should show so some something such t tell than that the "
    "their theirs them themselves then there these they this those through to too under until up upon us ve very was "
    "we were what whatever when where whether which while who whom whose why will with within without would yes yet "
    "you your yours yourself yourselves"
)
STOPWORDS = frozenset(_WORDS.split())
