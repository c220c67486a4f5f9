"""hoyito_iii."""

from .aec import constructors

env, raw_env = constructors("hoyito_iii")
