"""tsoro."""

from .aec import constructors

env, raw_env = constructors("tsoro")
