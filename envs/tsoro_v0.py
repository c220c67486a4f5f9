"""Tsoro as a PettingZoo environment, ``mancala_ai/tsoro-v0``.

    >>> from mancala_ai.envs import tsoro_v0
    >>> env = tsoro_v0.env(columns=8)

The rules are those of ``mancala_ai.rules.tsoro``; ``aec.py`` says what all environments have
in common. The same agent is selected again when he may relay a head or take a pit as bonus.

Actions
-------
With C columns, 4C + 2 (86), pits in the agent's own numbers: 0 ... C-1 the outer row from his
left, C ... 2C-1 the inner row from his right.

    0 ... 2C-1       sow that pit
    2C ... 4C-1      take the opponent's pit a - 2C, in the opponent's numbers
    4C, 4C + 1       relay from the head; stop

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

    k  plane           range  cells  meaning
    0  own seeds       0-84   each   seeds in the pit of the observer's row
    1  opposing seeds  0-84   each   seeds in the pit of the opponent's row
    2  own turn        0-1    alike  the observer decides
    3  opposing turn   0-1    alike  the opponent decides
    4  phase sow       0-1    alike  the decision is of kind sow
    5  phase head      0-1    alike  the decision is of kind head
    6  phase bonus     0-1    alike  the decision is of kind bonus
    7  pending head    0-1    each   the head, of whoever decides, that may be relayed
    8  bonus           0-2    alike  takings left, this one included

Options
-------
As keyword arguments; ``env`` and ``raw_env`` differ in the default of ``illegal`` ("raise" in
``raw_env``).

    columns : 4 to 21; default 21
        pits in a row
    bonus : 0 to 3; default 2
        enemy pits taken after a capture
    heads : 0 to 2; default 2
        outer pits where a relay may be stopped
    protected_heads : False, True; default False
        bonus captures cannot take heads
    optional_bonus : False, True; default False
        one may stop before each bonus capture
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

env, raw_env = constructors("tsoro")
