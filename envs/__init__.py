"""Environments of every game for reinforcement learning; importing this registers them.

    >>> import gymnasium, pettingzoo
    >>> import mancala_ai.envs
    >>> env = pettingzoo.make("aec", "mancala_ai/omweso-v0", akakyala=True)
    >>> env = gymnasium.make("mancala_ai/Omweso-v0", opponent="alphabeta:depth=4")
    >>> envs = gymnasium.make_vec("mancala_ai/Omweso-v0", num_envs=1024)

Read next: ``aec.py`` (two players, PettingZoo), ``single.py`` (one against an agent,
gymnasium), ``vector.py`` (many games at once), ``omweso_v0.py`` (the sheet of one
environment), ``openspiel.py``.
"""

from __future__ import annotations

import gymnasium
import pettingzoo

IDS = {  # in gymnasium
    "tsoro": "Tsoro",
    "omweso": "Omweso",
    "katro": "Katro",
    "gore": "Gore",
    "hoyito_iii": "HoyitoIII",
    "kalah": "Kalah",
    "oware": "Oware",
}

for _name, _id in IDS.items():
    pettingzoo.register("aec", f"mancala_ai/{_name}-v0", f"mancala_ai.envs.{_name}_v0:env")
    gymnasium.register(
        f"mancala_ai/{_id}-v0",
        "mancala_ai.envs.single:SingleEnv",
        vector_entry_point="mancala_ai.envs.vector:MancalaVectorEnv",
        kwargs={"game": _name},
    )
