"""katro."""

from .aec import constructors

env, raw_env = constructors("katro")
