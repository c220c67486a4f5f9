"""kalah."""

from .aec import constructors

env, raw_env = constructors("kalah")
