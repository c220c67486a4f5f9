"""Omweso as a PettingZoo environment, ``mancala_ai/omweso-v0``.

    >>> from mancala_ai.envs import omweso_v0
    >>> env = omweso_v0.env(akakyala=True)

The rules are those of ``mancala_ai.rules.omweso``; ``aec.py`` says what all environments have
in common. The same agent is selected again when a pending lap may be sown either way, and
while he arranges his seeds (``setup="arrange"``).

Actions
-------
36, pits in the agent's own numbers: 0 ... 7 the outer row from his left, 8 ... 15 the inner
row from his right.

    0 ... 15         sow that pit, or the pending lap, counter-clockwise; place a seed there
    16, 17, 18, 19   sow pit 0, 1, 14, 15, or the pending lap there, clockwise
    20 ... 35        opening sowing of pit a - 20

Rewards
-------
At the end of the game: ``"outcome"`` +1 to the winner and -1 to the loser; ``"points"`` 12 for
akawumbi, 2 for okutema and akakyala, 1 for bulijo. ``"margin"`` does not exist: seeds do not
decide. Rewards are zero-sum, and each agent gets his once. A game that is annulled or
truncated pays nothing.

Observation
-----------
``observation`` has shape (rows, columns, planes), ``observation[i, j, k]`` being plane k of
the cell in the agent's row i, from the outer one, at column j from his left. A cell shows his
own pit there and the opponent's pit in the same row and column of the board. Planes marked
"alike" have the same number in all cells. With ``normalize`` numbers are divided by the
greatest of their range, else they are uint8. ``action_mask`` is int8, 1 for each legal action,
and all 0 while the agent waits and when the game is over. With the default options:

    k   plane                     range  cells  meaning
    0   own seeds                 0-64   each   seeds in the pit of the observer's row
    1   opposing seeds            0-64   each   seeds in the pit of the opponent's row
    2   own turn                  0-1    alike  the observer decides
    3   opposing turn             0-1    alike  the opponent decides
    4   phase sow                 0-1    alike  the decision is of kind sow
    5   phase lap                 0-1    alike  the decision is of kind lap
    6   phase arrange             0-1    alike  the decision is of kind arrange
    7   hand                      0-64   each   seeds of the pending lap, in the pit where it
                                                starts
    8   own first turn made       0-1    alike  the own first turn is over
    9   opposing first turn made  0-1    alike  the opposing first turn is over
    10  own capture made          0-1    alike  own captures in an earlier turn (both alike if
                                                akakyala is not played)
    11  opposing capture made     0-1    alike  opposing captures in an earlier turn (both alike
                                                if akakyala is not played)
    12  took                      0-1    alike  this turn captured
    13  left end                  0-1    alike  it did in the left end column of whoever decides
    14  right end                 0-1    alike  it did in the right end column of whoever
                                                decides
    15  last end                  0-1    alike  it last did in an end column

Options
-------
As keyword arguments; ``env`` and ``raw_env`` differ in the default of ``illegal`` ("raise" in
``raw_env``).

    setup : standard, arrange, random, or two lists of 16 seed counts that add up to 32 each;
    default 'standard'
        how the seeds lie at the start
    akakyala : False, True; default False
        two capturing turns to none win
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

env, raw_env = constructors("omweso")
