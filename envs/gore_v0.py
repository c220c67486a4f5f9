"""gore."""

from .aec import constructors

env, raw_env = constructors("gore")
