"""Training: networks that learn to play by playing against themselves.

    >>> from mancala_ai.training import Settings, train
    >>> train(Settings("kalah"), "runs/kalah", timesteps=1_000_000)

It needs the packages of ``pip install "mancala-ai[train]"``; what comes of it,
``runs/kalah/policy.safetensors``, plays without them (``../../agents/policy.py``).

==============  ===============================================================
``settings``    what decides a training
``running``     legs of learning, each followed by a measurement and a checkpoint
``folder``      what a training leaves on disk
``curve``       scores against fixed opponents, as CSV and PNG
``ppo``         how is learnt: masked PPO, by sb3-contrib
``selfplay``    who is played against: a pool of earlier versions
==============  ===============================================================

Read next: ``running.py``.
"""

from __future__ import annotations

from .running import train
from .settings import Settings

__all__ = ["Settings", "train"]
