"""What tests share: games with all their options, random positions, twins of states, a terminal.

A *twin* is the slow Python version of a game in ``tests/reference``; its
positions and the library's states are compared through :func:`described` and
:func:`described_twin`, which tell everything about either in plain values.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise, product
from typing import Any

import numpy as np
from reference import GAMES, Lap, Position, Twin

import mancala_ai as ma
from mancala_ai.agents.network import Inputs, Layer, Network, Policy

NAMES = ma.games()
MOST_SEEDS = 255  # in a position
RELAY_GAMES = ("tsoro", "omweso", "katro", "hoyito_iii")
LAST_MOVE_GAMES = ("tsoro", "omweso", "katro")  # the player to move of a finished game lost

# Every value that rules.md names, and small max_laps, which annul games often.
_LAPS = (10_000, 10_000, 10_000, 1, 2, 3, 5, 8, 30)
OPTION_VALUES: dict[str, dict[str, tuple[Any, ...]]] = {
    "tsoro": {
        "columns": tuple(range(4, 22)),
        "bonus": (0, 1, 2, 3),
        "heads": (0, 1, 2),
        "protected_heads": (False, True),
        "optional_bonus": (False, True),
        "max_laps": _LAPS,
    },
    "omweso": {
        "setup": ("standard", "arrange", "random", "given"),
        "akakyala": (False, True),
        "max_laps": _LAPS,
    },
    "katro": {
        "rows": (2, 3),
        "columns": tuple(range(3, 9)),
        "direction": ("forward", "either", "kept"),
        "lone_seed": (False, True),
        "max_laps": _LAPS,
    },
    "gore": {"trading": (False, True)},
    "hoyito_iii": {
        "columns": tuple(range(2, 13)),
        "last_four": ("capturer", "player_0", "player_1"),
        "max_laps": _LAPS,
    },
    "kalah": {
        "columns": tuple(range(1, 13)),
        "seeds": tuple(range(1, 11)),
        "empty_capture": (False, True),
    },
    "oware": {
        "columns": tuple(range(1, 13)),
        "seeds": tuple(range(1, 11)),
        "grand_slam": ("no_capture", "illegal_unless_forced"),
        "repetition": ("none", "split_rows"),
    },
}
SIZES = ("columns", "seeds", "max_laps")  # options that change the scale, not the rules


class Screen(StringIO):
    """A stream that passes for a terminal."""

    def isatty(self) -> bool:
        return True


def arrangement(rng: random.Random, pits: int, seeds: int, most: int = MOST_SEEDS) -> list[int]:
    """``seeds`` seeds thrown into ``pits`` pits at random, at most ``most`` in one."""
    row = [0] * pits
    while seeds:
        pit = rng.randrange(pits)
        handful = min(rng.randint(1, 4), seeds, most - row[pit])
        row[pit] += handful
        seeds -= handful
    return row


def option_sets(name: str, n: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """The defaults, then ``n - 1`` random combinations.

    Each option goes through all its values, in random order, before one of them comes again.
    """
    rng = random.Random(f"options of {name} {seed}")
    yield {}
    rests: dict[str, list[Any]] = {option: [] for option in OPTION_VALUES[name]}
    for _ in range(n - 1):
        options = {}
        for option, values in OPTION_VALUES[name].items():
            rest = rests[option]
            if not rest:
                rest += rng.sample(values, len(values))
            options[option] = rest.pop()
        yield _with_setup(options, rng)


def combinations(name: str, *, sizes: bool) -> Iterator[dict[str, Any]]:
    """Every combination of the options that choose a rule; of the sizes too, or random ones."""
    rng = random.Random(f"combinations of {name}")
    values = {option: tuple(dict.fromkeys(given)) for option, given in OPTION_VALUES[name].items()}
    free = [option for option in values if sizes or option not in SIZES]
    for combination in product(*(values[option] for option in free)):
        options = {option: rng.choice(values[option]) for option in values}
        options.update(zip(free, combination, strict=True))
        yield _with_setup(options, rng)


def _with_setup(options: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The options with two arrangements where Omweso's set-up is to be given."""
    if options.get("setup") == "given":
        options["setup"] = tuple(tuple(arrangement(rng, 16, 32)) for _ in range(2))
    return options


def enough_sets(name: str) -> int:
    """How many option sets have every value of every option (the defaults count for none)."""
    return 1 + max(len(values) for values in OPTION_VALUES[name].values())


def twin_of(game: ma.Game) -> Twin:
    """The slow twin with the same options."""
    return GAMES[game.name](**game.options)


def initial(game: ma.Game, rng: random.Random) -> ma.State:
    """A state in which the game begins; of Hoyito III often a filled round."""
    if game.name == "hoyito_iii" and rng.random() < 0.6:
        all_seeds = 8 * game.columns
        first = rng.randint(4, all_seeds - 4)
        return game.initial_state(captured=(first, all_seeds - first))
    if game.name == "omweso":
        return game.initial_state(seed=rng.getrandbits(64))
    return game.initial_state()


# A state and its twin ---------------------------------------------------------


def twin_position(twin: Twin, state: ma.State) -> Position:
    """The twin's position equal to a state."""
    fields = dict(state.fields)
    fields.pop("kind", None)
    if "owner" in fields:
        fields["owner"] = (fields["owner"][:4], fields["owner"][4:])
    if "seen" in fields:
        fields["seen"] = _records(fields["seen"], state.game.columns)
    if state.phase == "arrange":
        fields["moved"] = fields["capturers"] = (False, False)
    for name in ("moved", "capturers", "declined"):
        if name in fields:
            fields[name] = tuple(map(bool, fields[name]))
    for name in ("took", "last_end"):
        if name in fields:
            fields[name] = bool(fields[name])
    captured = tuple(state.captured.tolist())
    position = twin.position(
        state.board.tolist(), state.player, captured, phase=state.phase, **fields
    )
    position.in_hand = state.in_hand
    return position


def library_state(game: ma.Game, position: Position, **more: Any) -> ma.State:
    """The state equal to a twin's position."""
    fields = {**position.fields, **more}
    if not fields.get("seen", True):
        del fields["seen"]  # not a field of most games of oware
    return game.state(
        position.board, position.player, position.captured, phase=position.phase, **fields
    )


def _records(numbers: tuple[int, ...], columns: int) -> tuple[Any, ...]:
    """The earlier positions in the field ``seen``, as the twin keeps them."""
    size = 2 * columns + 1
    records = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    return tuple((r[:columns], r[columns:-1], r[-1]) for r in records)


def _flat(value: Any) -> Any:
    """Nested tuples as one tuple of ints; a number as an int."""
    if not isinstance(value, list | tuple):
        return int(value)
    flat: tuple[int, ...] = ()
    for part in value:
        inner = _flat(part)
        flat += inner if isinstance(inner, tuple) else (inner,)
    return flat


def described(state: ma.State) -> dict[str, Any]:
    """Everything that a state tells, in plain values."""
    fields = {name: _flat(value) for name, value in state.fields.items()}
    fields.pop("kind", None)  # win_kind tells it
    told = {
        "board": state.board.tolist(),
        "captured": state.captured.tolist(),
        "player": state.player,
        "phase": state.phase,
        "in_hand": state.in_hand,
        "owner": state.owner.tolist(),
        "legal": state.legal_actions(),
        "is_terminal": state.is_terminal,
        "annulled": state.annulled,
        "points": state.points,
        "win_kind": state.win_kind,
        "fields": fields,
    }
    return _compared(state.game, told)


def described_twin(game: ma.Game, twin: Twin, position: Position) -> dict[str, Any]:
    """The same of a twin's position."""
    fields = {name: _flat(value) for name, value in position.fields.items()}
    if game.options.get("repetition", "none") == "none":
        fields.pop("seen", None)
    if "owner" in position.fields:
        owner = [list(row) for row in position.fields["owner"]]
    else:
        pits = len(position.board[0])
        owner = [[0] * pits, [1] * pits]
    told = {
        "board": [list(row) for row in position.board],
        "captured": list(position.captured),
        "player": position.player,
        "phase": position.phase,
        "in_hand": position.in_hand,
        "owner": owner,
        "legal": twin.legal(position),
        "is_terminal": position.finished,
        "annulled": position.annulled,
        "points": twin.points(position) if position.finished else (0.0, 0.0),
        "win_kind": position.win_kind,
        "fields": fields,
    }
    return _compared(game, told)


def _compared(game: ma.Game, told: dict[str, Any]) -> dict[str, Any]:
    """Without what means nothing: the mover of some finished games, flags nobody looks at yet."""
    if told["phase"] == "over":
        if game.name not in LAST_MOVE_GAMES:
            told["player"] = None
        told["fields"].pop("seen", None)
    if told["phase"] == "arrange":
        told["fields"]["moved"] = told["fields"]["capturers"] = None
    return told


def described_laps(laps: list[Lap] | list[ma.Lap]) -> list[Any]:
    """The laps of a trace, or of a twin, in plain values."""
    return [(lap.start, lap.hand, lap.direction, lap.landing, lap.captured) for lap in laps]


def seeds_of(state: ma.State) -> int:
    """All seeds: on the board, captured and in hand."""
    return int(state.board.sum() + state.captured.sum()) + state.in_hand


def choose(rng: random.Random, state: ma.State) -> int:
    """A random legal action; in Goré mostly a sowing, so that games come to their end."""
    actions = state.legal_actions()
    if state.game.name == "gore" and state.phase == "sow":
        sowings = [a for a in actions if a < 8]
        if rng.random() < 0.85:
            return rng.choice(sowings)
    return rng.choice(actions)


def walk(rng: random.Random, state: ma.State, plies: int) -> Iterator[tuple[ma.State, int]]:
    """A random game from a state: each live state with the action chosen there."""
    for _ in range(plies):
        if state.is_terminal:
            return
        action = choose(rng, state)
        yield state, action
        state = state.apply(action)


# Random positions -------------------------------------------------------------


def random_board(rng: random.Random, pits: int, most: int = MOST_SEEDS) -> list[list[int]]:
    """Any seeds in two rows of ``pits``: few, many, all in one pit, singletons, or everywhere."""
    kind = rng.randrange(7)
    board = [[0] * pits, [0] * pits]
    places = [(row, pit) for row in (0, 1) for pit in range(pits)]
    if kind == 0:  # all in one pit
        row, pit = rng.choice(places)
        board[row][pit] = rng.randint(1, most)
    elif kind == 1:  # singletons, and maybe a few more
        for row, pit in places:
            board[row][pit] = int(rng.random() < rng.choice((0.2, 0.6)))
        row, pit = rng.choice(places)
        board[row][pit] += rng.randint(0, 2)
    elif kind == 2:  # few
        for _ in range(rng.randint(1, 6)):
            row, pit = rng.choice(places)
            board[row][pit] += rng.randint(1, 3)
    elif kind == 3:  # one great pit among many small ones
        for row, pit in places:
            board[row][pit] = rng.randint(0, 2)
        row, pit = rng.choice(places)
        board[row][pit] += max(0, rng.randint(1, most) - sum(map(sum, board)))
    else:
        high = rng.choice((2, 3, 4, 6, 9))
        for row, pit in places:
            board[row][pit] = rng.randint(0, high)
        if kind == 4:  # one side has nearly nothing
            row = rng.randrange(2)
            board[row] = [int(rng.random() < 0.15) for _ in range(pits)]
    while sum(map(sum, board)) > most:
        row, pit = rng.choice(places)
        board[row][pit] = 0
    return board


def random_position(game: ma.Game, twin: Twin, rng: random.Random) -> Position:
    """Any position of a game, phases inside a turn included."""
    pits = game.rows * game.columns
    player = rng.randrange(2)
    if game.name == "omweso" and game.options["setup"] == "arrange" and rng.random() < 0.3:
        return _arranging(twin, rng, player)
    board = random_board(rng, pits)
    spare = MOST_SEEDS - sum(map(sum, board))
    captured = [0, 0]
    if game.name not in ("omweso", "katro"):  # elsewhere captured seeds stay on the board
        captured[0] = rng.choice((0, rng.randint(0, min(spare, 40))))
        captured[1] = rng.choice((0, rng.randint(0, min(spare - captured[0], 40))))
    fields: dict[str, Any] = {}
    phase = "sow"
    make_fields = _FIELDS.get(game.name)
    if make_fields is not None:
        phase, fields = make_fields(game, twin, rng, board, player, captured)
    return twin.position(board, player, tuple(captured), phase=phase, **fields)


def _arranging(twin: Twin, rng: random.Random, player: int) -> Position:
    if player == 0:
        board = [arrangement(rng, 16, rng.randint(0, 31), 10), [0] * 16]
    else:
        board = [arrangement(rng, 16, 32, 10), arrangement(rng, 16, rng.randint(0, 31), 10)]
    fresh = (False, False)
    return twin.position(board, player, phase="arrange", moved=fresh, capturers=fresh)


def _pair(rng: random.Random) -> tuple[bool, bool]:
    return rng.random() < 0.7, rng.random() < 0.7


def _tsoro_fields(game, twin, rng, board, player, captured):
    choice = rng.random()
    heads = range(game.columns - game.options["heads"], game.columns)
    ready = [pit for pit in heads if board[player][pit] > 1]
    if choice < 0.25 and ready:
        return "head", {"pit": rng.choice(ready)}
    enemy = [
        pit
        for pit in range(2 * game.columns)
        if board[1 - player][pit] and not (game.options["protected_heads"] and pit in heads)
    ]
    if choice < 0.55 and enemy and game.options["bonus"]:
        return "bonus", {"bonus": rng.randint(1, game.options["bonus"])}
    return "sow", {}


def _omweso_fields(game, twin, rng, board, player, captured):
    fields: dict[str, Any] = {"moved": _pair(rng), "capturers": (False, False)}
    if rng.random() < 0.6:
        fields["capturers"] = _pair(rng) if game.options["akakyala"] else (True, True)
    if rng.random() < 0.3:
        moved = [True, True]
        moved[1 - player] = rng.random() < 0.5
        fields["moved"] = tuple(moved)
        spare = MOST_SEEDS - sum(map(sum, board))
        for _ in range(8):  # a lap that captures clockwise is needed
            pit, hand = rng.choice((0, 1, 14, 15)), rng.randint(1, min(24, max(1, spare)))
            trial = twin.position(board, player, phase="lap", pit=pit, hand=hand, **fields)
            if spare and len(twin.legal(trial)) == 2:
                ends = rng.randrange(4)
                took = ends > 0 or rng.random() < 0.5
                last_end = ends > 0 and rng.random() < 0.5
                turn = {"took": took, "ends": ends, "last_end": last_end}
                return "lap", {**fields, "pit": pit, "hand": hand, **turn}
    return "sow", fields


def _katro_fields(game, twin, rng, board, player, captured):
    if game.options["lone_seed"] and rng.random() < 0.4:  # one seed
        board[player] = [0] * len(board[player])
        if sum(board[1 - player]) < MOST_SEEDS:
            board[player][rng.randrange(len(board[player]))] = 1
    if game.options["direction"] != "kept":
        return "sow", {}
    return "sow", {"directions": (rng.choice((0, 1, -1)), rng.choice((0, 1, -1)))}


def _gore_fields(game, twin, rng, board, player, captured):
    owner = [[0] * 4, [1] * 4]
    if rng.random() < 0.7:
        owner = [[int(rng.random() < p) for _ in range(4)] for p in (0.3, 0.7)]
    fields: dict[str, Any] = {
        "owner": tuple(map(tuple, owner)),
        "declined": (rng.random() < 0.3, rng.random() < 0.3),
    }
    if game.options["trading"] and rng.random() < 0.3:
        offerer = 1 - player
        places = [(offerer, pit) for pit in range(4)] + [(player, pit) for pit in range(4)]
        owned = [number for number, (row, pit) in enumerate(places) if owner[row][pit] == offerer]
        payable = min(captured[player] // 6, len(owned), 3)
        if payable:
            fields["offer"] = tuple(sorted(rng.sample(owned, rng.randint(1, payable))))
            return "answer", fields
    return "sow", fields


def _hoyito_fields(game, twin, rng, board, player, captured):
    in_play = [game.columns, game.columns]
    if rng.random() < 0.6:
        in_play = [rng.randint(1, game.columns) for _ in range(2)]
    for row, pits in zip(board, in_play, strict=True):
        row[pits:] = [0] * (game.columns - pits)
    if 0 < sum(map(sum, board)) <= 4:  # such a round is over
        board[player][0] += 5 if sum(captured) + 9 <= MOST_SEEDS else 0
    return "sow", {"in_play": tuple(in_play)}


_FIELDS = {
    "tsoro": _tsoro_fields,
    "omweso": _omweso_fields,
    "katro": _katro_fields,
    "gore": _gore_fields,
    "hoyito_iii": _hoyito_fields,
}


# Policies ---------------------------------------------------------------------

WIDTHS = (9, 5)  # of the hidden layers


def random_policy(game, seed=0, scale=0.5):
    """A policy that was never trained."""
    rng = np.random.default_rng(seed)

    def layers(outputs):
        widths = [Inputs(game).size, *WIDTHS, outputs]
        return [
            Layer(*(rng.normal(0, scale, shape).astype(np.float32) for shape in ((b, a), (b,))))
            for a, b in pairwise(widths)
        ]

    return Policy(game, Network(layers(game.num_actions), layers(1)), {"timesteps": 0})
