"""Katro as a PettingZoo environment, ``mancala_ai/katro-v0``.

    >>> from mancala_ai.envs import katro_v0
    >>> env = katro_v0.env(rows=2)

The rules are those of ``mancala_ai.rules.katro``; ``aec.py`` says what all environments have
in common. The agents alternate.

Actions
-------
With n pits a player (18), 3n (54), pits in the agent's own numbers along the forward path from
the left of his outer row.

    0 ... n-1        sow that pit on the forward path
    n ... 2n-1       sow pit a - n on the mirrored path
    2n ... 3n-1      step the lone seed of pit a - 2n

Rewards
-------
At the end of the game: ``"outcome"`` +1 to the winner and -1 to the loser; ``"points"`` the
same, as a win counts one point. ``"margin"`` does not exist: seeds do not decide. Rewards are
zero-sum, and each agent gets his once. A game that is annulled or truncated pays nothing.

Observation
-----------
``observation`` has shape (rows, columns, planes), ``observation[i, j, k]`` being plane k of
the cell in the agent's row i, from the outer one, at column j from his left. A cell shows his
own pit there and the opponent's pit in the same row and column of the board. Planes marked
"alike" have the same number in all cells. With ``normalize`` numbers are divided by the
greatest of their range, else they are uint8. ``action_mask`` is int8, 1 for each legal action,
and all 0 while the agent waits and when the game is over. With the default options:

    k  plane                   range  cells  meaning
    0  own seeds               0-72   each   seeds in the pit of the observer's row
    1  opposing seeds          0-72   each   seeds in the pit of the opponent's row
    2  own turn                0-1    alike  the observer decides
    3  opposing turn           0-1    alike  the opponent decides
    4  own path forward        0-1    alike  the own path is fixed: forward
    5  own path mirrored       0-1    alike  the own path is fixed: mirrored
    6  opposing path forward   0-1    alike  the opposing path is fixed: forward
    7  opposing path mirrored  0-1    alike  the opposing path is fixed: mirrored

Options
-------
As keyword arguments; ``env`` and ``raw_env`` differ in the default of ``illegal`` ("raise" in
``raw_env``).

    rows : 2 to 3; default 3
        rows of each player
    columns : 3 to 8; default 6
        pits in a row
    direction : forward, either, kept; default 'forward'
        the path a sowing may follow
    lone_seed : False, True; default False
        a lone seed may step straight inside
    max_laps : 1 to 1000000000; default 10000
        laps after which a move annuls the game
    max_plies : 1 to 2147483647; default None
        decisions until truncation, 2000 if None
    max_cycles : 1 to 2147483647; default None
        the same, by the name that PettingZoo gives it
    reward : outcome, points; default 'outcome'
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

env, raw_env = constructors("katro")
