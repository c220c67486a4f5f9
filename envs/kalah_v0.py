"""Kalah as a PettingZoo environment, ``mancala_ai/kalah-v0``.

    >>> from mancala_ai.envs import kalah_v0
    >>> env = kalah_v0.env(seeds=6)

The rules are those of ``mancala_ai.rules.kalah``; ``aec.py`` says what all environments have
in common. The same agent is selected again when his last seed fell into his store.

Actions
-------
As many as columns (6).

    0 ... C-1        sow that pit of the own row, counted from the left

Rewards
-------
At the end of the game: ``"outcome"`` +1 to the winner, -1 to the loser, 0 for a draw;
``"points"`` the same, as a win counts one point; ``"margin"`` own captured seeds less the
opponent's. They are zero-sum, and each agent gets his once. A game that is annulled or
truncated pays nothing.

Observation
-----------
``observation`` has shape (rows, columns, planes), ``observation[i, j, k]`` being plane k of
the cell in the agent's row i, from the outer one, at column j from his left. A cell shows his
own pit there and the opponent's pit in the same row and column of the board. Planes marked
"alike" have the same number in all cells. With ``normalize`` numbers are divided by the
greatest of their range, else they are uint8. ``action_mask`` is int8, 1 for each legal action,
and all 0 while the agent waits and when the game is over. With the default options:

    k  plane              range  cells  meaning
    0  own seeds          0-48   each   seeds in the pit of the observer's row
    1  opposing seeds     0-48   each   seeds in the pit of the opponent's row
    2  own turn           0-1    alike  the observer decides
    3  opposing turn      0-1    alike  the opponent decides
    4  own captured       0-48   alike  seeds captured by the observer
    5  opposing captured  0-48   alike  seeds captured by the opponent

Options
-------
As keyword arguments; ``env`` and ``raw_env`` differ in the default of ``illegal`` ("raise" in
``raw_env``).

    columns : 1 to 12; default 6
        pits of each player
    seeds : 1 to 10; default 4
        seeds in each pit at the start
    empty_capture : False, True; default False
        take the lone seed facing an empty pit too
    max_plies : 1 to 2147483647; default None
        decisions until truncation, 2000 if None
    max_cycles : 1 to 2147483647; default None
        the same, by the name that PettingZoo gives it
    reward : outcome, points, margin; default 'outcome'
        what is paid at the end of a game
    normalize : False, True; default True
        observations as float32 from 0 to 1, else uint8
    illegal : lose, raise; default 'lose'
        what an illegal action does
    render_mode : human, ansi, rgb_array; default None
        the kind of picture

Version history
---------------
v0: the first.
"""

from .aec import constructors

env, raw_env = constructors("kalah")
