"""Wrong input: always a ValueError of one line that names it, and nothing is changed."""

from __future__ import annotations

import random
import re
from contextlib import contextmanager

import numpy as np
import pytest
from helpers import (
    NAMES,
    OPTION_VALUES,
    described,
    enough_sets,
    initial,
    option_sets,
    walk,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import mancala_ai as ma
from mancala_ai import errors

SETTINGS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # the first examples compile
)
by_game = pytest.mark.parametrize("name", NAMES)
HUGE = 2**70


def in_one_line(error):
    """The message of an error, which is one line."""
    message = str(error)
    assert len(message.splitlines()) == 1, message
    return message


@contextmanager
def refused(kind, *words):
    """The block raises an error of exactly this kind; its one line has all these words."""
    with pytest.raises(ValueError) as caught:
        yield
    assert type(caught.value) is kind, repr(caught.value)
    message = in_one_line(caught.value)
    for word in words:
        assert str(word) in message, message


def test_every_error_is_a_value_error():
    for kind in (
        "UnknownGameError", "OptionError", "PositionError", "ArgumentError", "IllegalActionError",
    ):  # fmt: skip
        assert issubclass(getattr(ma, kind), ma.MancalaError)
        assert getattr(errors, kind) is getattr(ma, kind)
    assert issubclass(ma.MancalaError, ValueError)


# Games and options --------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["", "chess", "Omweso", "omweso ", " omweso", ":", ":akakyala=True", 7]
)
def test_unknown_game(spec):
    name = spec.partition(":")[0] if isinstance(spec, str) else spec
    with refused(ma.UnknownGameError, repr(name), *NAMES):
        ma.make(spec)


@pytest.mark.parametrize("spec", [None, 1.5, ["omweso"], b"omweso", {}])
def test_game_that_is_no_text(spec):
    with refused(ma.UnknownGameError, *NAMES):
        ma.make(spec)


@by_game
def test_unknown_option(name):
    with refused(ma.OptionError, name, "'boards'", *OPTION_VALUES[name]):
        ma.make(name, boards=2)
    with refused(ma.OptionError, name, "'boards'", *OPTION_VALUES[name]):
        ma.make(f"{name}:boards=2")
    with refused(ma.OptionError, name, "name=value"):
        ma.make(f"{name}:boards")


WRONG_VALUES = [
    None,
    "",
    "no",
    1.0,
    0.5,
    -1,
    HUGE,
    [],
    (),
    {},
    [1],
    b"1",
    np.zeros(3),
    np.float64(1),
]


@by_game
def test_wrong_option_values(name):
    for option in ma.option_table(name):
        for value in WRONG_VALUES:
            with refused(ma.OptionError, option.name, name, "allowed"):
                ma.make(name, **{option.name: value})
        wrong_kinds = [True, False, np.True_] if isinstance(option.choices, range) else [0, 1, 2]
        for value in wrong_kinds:
            with refused(ma.OptionError, option.name, name, repr(value)):
                ma.make(name, **{option.name: value})
        if isinstance(option.choices, range):
            first, last = option.choices[0], option.choices[-1]
            for value in (first - 1, last + 1):
                with refused(ma.OptionError, option.name, value, f"{first} to {last}"):
                    ma.make(name, **{option.name: value})
                with refused(ma.OptionError, option.name, value, f"{first} to {last}"):
                    ma.make(f"{name}:{option.name}={value}")
            for value in (first, last, np.int8(first), np.uint64(last), np.array(last)):
                made = ma.make(name, **{option.name: value}).options[option.name]
                assert made == value
                assert type(made) is int
        else:
            for choice in option.choices:
                made = ma.make(f"{name}:{option.name}={choice}").options[option.name]
                assert made == choice
                assert type(made) is type(choice)
                with refused(ma.OptionError, option.name, choice, "allowed"):
                    ma.make(name, **{option.name: f"{choice}x"})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("omweso:akakyala", ["'akakyala'", "name=value"]),
        ("omweso:akakyala=", ["akakyala", "''", "False, True"]),
        ("omweso:akakyala=perhaps", ["akakyala", "'perhaps'", "False, True"]),
        ("omweso:akakyala=True=True", ["akakyala", "'True=True'"]),
        ("omweso:=True", ["''", "setup, akakyala, max_laps"]),
        ("omweso:max_laps=1e3", ["max_laps", "'1e3'"]),
        ("omweso:max_laps=10.0", ["max_laps", "'10.0'"]),
        ("omweso:max_laps=0", ["max_laps", "0"]),
        ("omweso: akakyala=True;max_laps=3", ["akakyala"]),
        ("omweso:akakyala:True", ["akakyala"]),
        ("omweso:setup=1.2.3/4.5.6", ["setup", "1.2.3/4.5.6", "32"]),
        ("omweso:setup=a.b/c", ["setup", "a.b/c", "32"]),
        ("omweso:setup=" + ".".join(16 * ["2"]), ["setup", "32"]),
        ("omweso:max_laps=" + 5000 * "1", ["max_laps"]),
        ("tsoro:columns=8,columns=9", ["columns"]),
    ],
)
def test_malformed_specs(spec, words):
    with refused(ma.OptionError, *words):
        ma.make(spec)


def test_spec_of_a_game_reads_back():
    halves = ([4] * 8 + [0] * 8, [0] * 8 + [4] * 8)
    for game in (
        ma.make("omweso", setup=halves, akakyala=True),
        ma.make("omweso:akakyala=yes,max_laps= 7 "),
        ma.make("kalah:"),
    ):
        assert ma.make(game.spec) == game
    assert ma.make("kalah:columns=3", columns=4).options["columns"] == 4


@pytest.mark.parametrize("name", ma.games())
def test_the_least_and_the_greatest_of_an_option_read_back(name):
    for option in ma.make(name).OPTIONS:
        if isinstance(option.choices, range):
            for value in (option.choices[0], option.choices[-1]):
                game = ma.make(name, **{option.name: value})
                assert ma.make(game.spec) == game


TWOS = [2] * 16


@pytest.mark.parametrize(
    "setup",
    [
        [TWOS],
        [TWOS, TWOS, TWOS],
        [TWOS, TWOS[:-1]],
        [TWOS, [2] * 15 + [3]],
        [TWOS, [2] * 14 + [5, -1]],
        [TWOS, [2.0] * 16],
        [TWOS, ["2"] * 16],
        [TWOS, [True] * 16],
        [TWOS, None],
        np.full((2, 16), 2.0),
        np.full((16, 2), 2),
        np.zeros((2, 16), int),
        np.full((2, 16), HUGE),
        "Standard",
        "given",
    ],
)
def test_wrong_setups_of_omweso(setup):
    with refused(ma.OptionError, "setup", "standard, arrange, random", 32):
        ma.make("omweso", setup=setup)
    game = ma.make("omweso")
    with refused(ma.OptionError, "setup", "standard, arrange, random", 32):
        game.initial_state(setup=setup)


@pytest.mark.parametrize("seed", [None, 0.5, "1", True, 2**64, -(2**63) - 1])
def test_wrong_seed_of_a_setup(seed):
    with refused(errors.ArgumentError, "seed", repr(seed)):
        ma.make("omweso", setup="random").initial_state(seed=seed)


@pytest.mark.parametrize(
    "captured",
    [(24, 25), (3, 45), (48, 0), (24,), (24, 24, 0), (24.0, 24), ("24", 24), 5, "ab", (-4, 52)],
)
def test_wrong_rounds_of_hoyito(captured):
    with refused(ma.PositionError, "captured", "48"):
        ma.make("hoyito_iii").initial_state(captured=captured)


# Actions ------------------------------------------------------------------------

NO_ACTIONS = [
    None, 0.0, 1.5, "0", "", b"0", True, False, np.True_, np.float64(0), np.float32(1), [], [0],
    (0,), {}, {0}, np.array([0]), np.zeros((2, 2), int), -1, HUGE, -HUGE, float("nan"), 1j,
]  # fmt: skip


@by_game
def test_what_is_no_action(name):
    game = ma.make(name)
    state = game.initial_state()
    told = described(state)
    for action in [*NO_ACTIONS, game.num_actions, game.num_actions + 100]:
        for method in (state.apply, state.trace, state.action_to_text):
            with refused(ma.IllegalActionError, "action", name, game.num_actions - 1):
                method(action)
    assert described(state) == told


@by_game
def test_illegal_actions_say_why(name):
    game = ma.make(name)
    state = game.initial_state()
    for reached, action in walk(random.Random(name), state, 12):
        state = reached
        legal = state.legal_actions()
        told = described(state)
        for wrong in sorted(set(range(game.num_actions)) - set(legal))[:40]:
            written = state.action_to_text(wrong)
            where = ("south", "north")[state.player]
            words = [wrong, written, where, state.phase, *legal]
            with refused(ma.IllegalActionError, *words):
                state.apply(wrong)
            with refused(ma.IllegalActionError, *words):
                state.trace(wrong)
            with refused(ma.IllegalActionError, repr(written), state.action_to_text(legal[-1])):
                state.text_to_action(written)
        assert described(state) == told
        state.apply(action)


@by_game
def test_numpy_integers_are_actions(name):
    state = ma.make(name).initial_state()
    action = state.legal_actions()[0]
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.array):
        number = kind(action)
        assert state.apply(number) == state.apply(action)
        assert state.trace(number) == state.trace(action)
        assert state.action_to_text(number) == state.action_to_text(action)


@by_game
def test_finished_games_take_no_action(name):
    seen = set()
    for number, options in enumerate(option_sets(name, enough_sets(name), 9)):
        rng = random.Random(f"{name} {number}")
        game = ma.make(name, **options)
        state = initial(game, rng)
        for reached, action in walk(rng, state, 500):
            state = reached.apply(action)
        if not state.is_terminal:
            continue
        seen.add(state.win_kind)
        told = described(state)
        for action in range(game.num_actions):
            for method in (state.apply, state.trace):
                with refused(ma.IllegalActionError, action, "finished", state.win_kind):
                    method(action)
        with refused(ma.IllegalActionError, "none"):
            state.text_to_action(state.action_to_text(0))
        assert described(state) == told
        assert game.perft(1, state) == game.perft(3, state) == 0
        assert game.perft(0, state) == 1
    assert seen


@by_game
def test_moves_that_do_not_exist(name):
    state = ma.make(name).initial_state()
    legal = state.action_to_text(state.legal_actions()[0])
    for text in (
        "",
        " ",
        "?",
        "a b",
        "zz9",
        "-1",
        "\n",
        legal + legal + "x",
        None,
        0,
        b"a",
        [legal],
    ):
        with refused(ma.IllegalActionError, repr(text), legal):
            state.text_to_action(text)


# Positions ----------------------------------------------------------------------


def boards(name):
    return ma.make(name).initial_state().board


@by_game
def test_wrong_boards(name):
    game, board = ma.make(name), boards(name)
    shape = str(board.shape)
    for wrong in (
        board[0], board[:, :-1], board[:1], board.T, board[None], [], None, 3, "board", {},
        np.concatenate([board, board]), [[1, 2], 3],
    ):  # fmt: skip
        with refused(ma.PositionError, "board"):
            game.state(wrong)
    with refused(ma.PositionError, shape, "(1,"):
        game.state(board[:1])
    with refused(ma.PositionError, "board", "lengths"):
        game.state([[1, 2], [1, 2, 3]])
    for kind in (float, bool, complex, str):
        with refused(ma.PositionError, "integers"):
            game.state(board.astype(kind))
    for seeds in (-1, 256, 2**31, -(2**63)):
        wrong = board.copy()
        wrong[1, 0] = seeds
        with refused(ma.PositionError, "pit", "0 to 255", seeds):
            game.state(wrong)
    wrong = board.tolist()
    wrong[0][0] = HUGE
    with refused(ma.PositionError):
        game.state(wrong)
    wrong = np.zeros_like(board)
    wrong[0, 0], wrong[1, 0] = 200, 56
    with refused(ma.PositionError, "255"):
        game.state(wrong)
    wrong[1, 0] = 55
    assert game.state(wrong).board.tolist() == wrong.tolist()
    with refused(ma.PositionError, "255", "captured"):
        game.state(wrong, captured=(1, 0))


@by_game
def test_board_may_be_any_integers(name):
    game, board = ma.make(name), boards(name)
    state = game.state(board)
    for kind in (np.int8, np.uint8, np.int16, np.uint64):
        assert game.state(board.astype(kind)) == state
    assert game.state(board.tolist()) == game.state(tuple(map(tuple, board.tolist()))) == state


@by_game
def test_wrong_players_captures_and_phases(name):
    game, board = ma.make(name), boards(name)
    for player in (2, -1, None, "0", 0.0, True, HUGE, [0]):
        with refused(ma.PositionError, "player", "0 or 1", repr(player)):
            game.state(board, player)
    for captured in (
        (1,), (1, 2, 3), (-1, 0), (0.0, 0), (None, 0), ("a", 0), "ab", 5, None, (True, 0), (),
        (0, HUGE), {1: 2}, [(0, 0)], np.zeros((3, 3)),
    ):  # fmt: skip
        with refused(ma.PositionError, "captured"):
            game.state(board, captured=captured)
    for phase in ("", "sew", "SOW", None, 0, 1, True, ["sow"], b"sow"):
        with refused(ma.PositionError, "phase", repr(phase), "sow", "over"):
            game.state(board, phase=phase)


@by_game
def test_wrong_fields(name):
    game, board = ma.make(name), boards(name)
    with refused(ma.PositionError, "'seeds'", name, *game.FIELDS):
        game.state(board, seeds=3)
    for field, known in game.FIELDS.items():
        length = 1 if known.length == 0 else known.length or 3
        for value in (
            None,
            "x",
            1.5,
            known.low - 1,
            known.high + 1,
            HUGE,
            {},
            object,
            [None] * length,
        ):
            whole = [value] * length if known.length and not isinstance(value, list) else value
            with refused(ma.PositionError, field, f"{known.low} to {known.high}"):
                game.state(board, **{field: whole})
        if known.length:
            for wrong in ([known.low] * (length + 1), [known.low] * (length - 1), known.low, []):
                if wrong != known.low or length != 1:
                    with refused(ma.PositionError, field, f"{length} numbers"):
                        game.state(board, **{field: wrong})
        if known.length == 0:
            with refused(ma.PositionError, field, "one number"):
                game.state(board, **{field: [known.low]})


PARTS_THAT_DO_NOT_FIT = [
    ("tsoro", {"phase": "head"}, "head"),
    ("tsoro", {"phase": "head", "pit": 0}, "head"),
    ("tsoro", {"pit": 20}, "phase head"),
    ("tsoro", {"phase": "bonus"}, "bonus"),
    ("tsoro", {"phase": "bonus", "bonus": 3}, "1 to 2"),
    ("tsoro", {"bonus": 1}, "bonus"),
    ("tsoro", {"phase": "bonus", "bonus": 1, "board": [[2] * 42, [0] * 42]}, "taken"),
    ("tsoro", {"phase": "head", "pit": 20, "board": [[1] * 42, [2] * 42]}, "two or more"),
    ("omweso", {"pit": 1}, "phase lap"),
    ("omweso", {"hand": 1}, "phase lap"),
    ("omweso", {"took": 1}, "phase lap"),
    ("omweso", {"ends": 2}, "phase lap"),
    ("omweso", {"last_end": 1}, "phase lap"),
    ("omweso", {"kind": 1}, "kind"),
    ("omweso", {"phase": "over"}, "kind"),
    ("omweso", {"phase": "lap"}, "lap"),
    ("omweso", {"phase": "lap", "pit": 3, "hand": 2}, "0, 1, 14 or 15"),
    ("omweso", {"phase": "lap", "pit": 0, "hand": 4}, "capture"),
    ("omweso", {"phase": "lap", "pit": 0, "hand": 192}, "255"),
    ("omweso", {"phase": "arrange"}, "arranges 32"),
    ("omweso", {"phase": "arrange", "board": [[0] * 16, [1] + [0] * 15]}, "arranges 32"),
    ("omweso", {"phase": "arrange", "board": [[11] + [0] * 15, [0] * 16]}, "at most 10"),
    ("omweso", {"phase": "arrange", "player": 1, "board": [[1] * 16, [0] * 16]}, "arranges 32"),
    ("omweso", {"phase": "arrange", "player": 1, "board": [[2] * 16] * 2}, "arranges 32"),
    ("gore", {"phase": "answer"}, "offer"),
    ("gore", {"offer": (1,)}, "offer"),
    ("gore", {"phase": "answer", "offer": (1,)}, "captured"),
    ("gore", {"phase": "answer", "offer": (0, 1), "captured": (11, 11)}, "captured"),
    ("gore", {"phase": "answer", "offer": (4,), "captured": (30, 30)}, "own"),
    ("gore", {"phase": "answer", "offer": (1, 0), "captured": (30, 30)}, "ascending"),
    ("gore", {"phase": "answer", "offer": (1, 1), "captured": (30, 30)}, "ascending"),
    ("gore", {"phase": "answer", "offer": (0, 1, 2, 3), "captured": (30, 30)}, "one to three"),
    ("hoyito_iii", {"in_play": (5, 6)}, "out of play"),
    ("hoyito_iii", {"board": [[4, 0, 0, 0, 0, 0], [0] * 6]}, "more than 4"),
    ("hoyito_iii", {"board": [[0] * 6, [0, 0, 0, 0, 0, 1]]}, "more than 4"),
]


@pytest.mark.parametrize(("name", "parts", "word"), PARTS_THAT_DO_NOT_FIT)
def test_parts_of_a_position_that_do_not_fit(name, parts, word):
    game = ma.make(name)
    parts = dict(parts)
    board = parts.pop("board", game.initial_state().board)
    with refused(ma.PositionError, word):
        game.state(board, **parts)


@by_game
def test_positions_that_are_not_over(name):
    for options in option_sets(name, enough_sets(name), 11):
        game = ma.make(name, **{**options, "setup": "standard"} if name == "omweso" else options)
        state = game.initial_state()
        fields = {"kind": 4} if name == "omweso" else {}
        with refused(ma.PositionError, "not over", "phase=over"):
            game.state(state.board, phase="over", **fields)
        if "max_laps" not in game.options:  # nothing is annulled there
            with refused(ma.PositionError, "phase", "annulled"):
                game.state(state.board, phase="annulled")
            continue
        annulled = game.state(state.board, phase="annulled")
        assert annulled.annulled
        assert annulled.legal_actions() == []


@pytest.mark.parametrize(
    ("spec", "board", "captured"),
    [
        ("kalah", [[1] * 6, [0] * 6], (0, 0)),
        ("oware", [[1] * 6, [0] * 6], (0, 0)),
        ("hoyito_iii", [[0] * 6, [2, 1, 1, 0, 0, 0]], (40, 4)),
        ("gore", [[1, 2, 0, 0], [0] * 4], (20, 25)),
    ],
)
def test_a_finished_position_has_handed_out_its_seeds(spec, board, captured):
    with refused(ma.PositionError, "not over"):
        ma.make(spec).state(board, 1, captured, phase="over")


def test_wrong_earlier_positions_of_oware():
    game = ma.make("oware", repetition="split_rows", columns=2)
    board = game.initial_state().board
    for seen in ((1,), (1, 2, 3, 4), (1, 2, 3, 4, 2), (4, 4, 4, 4, 0, 1)):
        with refused(ma.PositionError, "seen", "5 numbers"):
            game.state(board, seen=seen)
    with refused(ma.PositionError, "seen"):
        game.state(board, seen=(256, 0, 0, 0, 0))
    with refused(ma.PositionError, "seen"):
        ma.make("oware").state(boards("oware"), seen=())


# Texts of positions -------------------------------------------------------------


@by_game
def test_malformed_texts(name):
    game = ma.make(name)
    state = game.initial_state()
    text = state.to_text()
    board, player, *more = text.split()
    rest = " ".join(more)
    row = board.split("/")[0]
    for wrong, *words in (
        ("", "short", text),
        ("   ", "short", text),
        (board, "short", text),
        (f"{row} {player}", "slash", repr(row)),
        (f"{board}/{row} {player}", "slash"),
        (f"{board} east", "'east'", "south or north"),
        (f"{board} South {rest}", "'South'"),
        (f"{player} {board}", "slash", repr(player)),
        (f"{board[:-1]}x {player}", "pit", "x"),
        (f"{board}, {player}", "''", "pit"),
        (f"-{board} {player}", "'-", "pit 0"),
        (f"1.5,{board} {player}", "'1.5'", "pit 0"),
        (f"1,{board} {player} {rest}", "lengths"),
        (f"1,{row}/{row},1 {player} {rest}", "shape"),
        (f"{row}/{'9' * 5000}{row} {player}", "seeds"),
        (f"{text} captured", "'captured'", "name=value"),
        (f"{text} =", "''"),
        (f"{text} captured=1,0 captured=1,0", "twice"),
        (f"{text} captured=1", "captured", "2 numbers"),
        (f"{text} captured=a,b", "captured", "2 numbers"),
        (f"{text} captured=", "captured"),
        (f"{text} captured=-1,0", "captured"),
        (f"{text} captured={'9' * 5000},0", "captured"),
        (f"{text} phase=", "phase", "sow"),
        (f"{text} phase=sew", "'sew'", "sow"),
        (f"{text} colour=red", "'colour'"),
        (f"{text} board={board}", "'board'"),
        (f"{text} player=0", "'player'"),
        (f"{text} self=0", "'self'"),
    ):
        with refused(ma.PositionError, *words):
            game.state_from_text(wrong)
    for wrong in (None, 3, text.encode(), [text], state):
        with refused(ma.PositionError, "text", type(wrong).__name__):
            game.state_from_text(wrong)
    assert game.state_from_text(f"\t{board}\n {player}  {rest} ") == state


def pieces(name):
    """Parts of texts of positions of a game, right and wrong."""
    game = ma.make(name)
    pits = game.rows * game.columns
    number = st.one_of(
        st.integers(-3, 300).map(str),
        st.sampled_from(["", "x", "1e3", "²", "٣", "0x1", "+1", " ", "00", "9" * 4400, str(HUGE)]),
    )
    row = st.lists(number, min_size=pits - 1, max_size=pits + 1).map(",".join)
    some_seeds = st.integers(0, min(9, 255 // (2 * pits))).map(str)
    good_row = st.lists(some_seeds, min_size=pits, max_size=pits).map(",".join)
    board = st.lists(st.one_of(good_row, good_row, row), min_size=1, max_size=3).map("/".join)
    good_board = st.tuples(good_row, good_row).map("/".join)
    player = st.sampled_from(["south", "north", "north", "south", "", "0"])
    fields = [
        *game.FIELDS,
        "captured",
        "phase",
        "seen",
        "self",
        "board",
        "player",
        "ply",
        "",
        "__x",
    ]
    phases = [*game.PHASES.values(), "over", "annulled", "begin"]
    values = st.one_of(
        st.lists(st.one_of(st.integers(-1, 20).map(str), number), max_size=9).map(",".join),
        st.integers(0, 4).map(str),
        st.sampled_from(phases),
    )
    field = st.tuples(st.sampled_from(fields), values).map("=".join)
    phase = st.sampled_from(phases).map("phase={}".format)
    words = st.lists(st.one_of(field, field, phase, st.text(max_size=5)), max_size=4)
    return st.tuples(st.one_of(good_board, good_board, board), player, words).map(
        lambda parts: " ".join([parts[0], parts[1], *parts[2]])
    )


@by_game
def test_any_text_is_a_position_or_a_position_error(name):
    game = ma.make(name)
    start = game.initial_state().to_text()
    accepted = []

    @settings(SETTINGS, max_examples=400)
    @given(st.one_of(pieces(name), pieces(name), st.text(max_size=60)))
    @example(start)
    def check(text):
        try:
            state = game.state_from_text(text)
        except ma.PositionError as error:
            in_one_line(error)
            return
        accepted.append(text)
        assert game.state_from_text(state.to_text()) == state
        assert described(game.state_from_text(state.to_text())) == described(state)
        for action in state.legal_actions():
            assert state.apply(action).ply == 1
        assert state.is_terminal == (not state.legal_actions())

    check()
    assert len(accepted) > 10


@by_game
def test_any_change_of_a_text_is_a_position_or_a_position_error(name):
    rng = random.Random(name)
    state = ma.make(name).initial_state()
    texts = [reached.to_text() for reached, _ in walk(rng, state, 60)]
    game = state.game
    errors_met = 0
    for _ in range(400):
        text = list(rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text[at] = rng.choice(["", "", *",/=- 0129south", "\x00", "é"])
        try:
            state = game.state_from_text("".join(text))
        except ma.PositionError as error:
            in_one_line(error)
            errors_met += 1
        else:
            assert game.state_from_text(state.to_text()) == state
    assert errors_met > 100


# Other arguments ----------------------------------------------------------------

NO_COUNTS = [None, 1.0, 0.5, "3", True, np.True_, [1], -1, -HUGE, np.float64(2), np.ones((2, 2))]


@by_game
def test_wrong_arguments_of_random_games(name):
    game = ma.make(name)
    wrong = {
        "n": [*NO_COUNTS, HUGE],
        "start": [*NO_COUNTS, HUGE],
        "max_plies": [*NO_COUNTS, 0, HUGE],
        "threads": [value for value in NO_COUNTS if value is not None] + [HUGE],
        "seed": [None, 0.5, 1.0, "1", True, 2**64, -(2**63) - 1, HUGE, [1], np.ones((2, 2))],
    }
    for argument, values in wrong.items():
        for value in values:
            with refused(errors.ArgumentError, "seed" if argument == "seed" else argument):
                game.random_games(**{"n": 1, argument: value})
    assert [len(column) for column in game.random_games(0)] == [0] * 4
    few = game.random_games(
        np.int32(3), seed=np.uint64(5), threads=np.int8(1), max_plies=np.int16(9)
    )
    again = game.random_games(3, seed=5, max_plies=9)
    assert (few.plies == again.plies).all()
    assert (game.random_games(3, seed=2**64 - 1).plies == game.random_games(3, seed=-1).plies).all()


@by_game
def test_wrong_arguments_of_perft(name):
    game = ma.make(name)
    for depth in [*NO_COUNTS, HUGE]:
        with refused(errors.ArgumentError, "depth"):
            game.perft(depth)
    for depth in [*NO_COUNTS, 0, HUGE]:
        with refused(errors.ArgumentError, "depth"):
            game.perft_divide(depth)
    assert game.perft(np.int8(2)) == game.perft(2)


@by_game
def test_wrong_arguments_of_relay_lengths(name):
    game = ma.make(name)
    state = game.initial_state()
    for method in (game.relay_lengths, game.endless_moves):
        for player in (2, -1, 0.0, "0", True, [0], HUGE):
            with refused(errors.ArgumentError, "player", "0, 1 or None"):
                method(state, player=player)
        for laps in [*NO_COUNTS, 0, HUGE]:
            with refused(errors.ArgumentError, "max_laps"):
                method(state, max_laps=laps)


@by_game
def test_states_of_other_games(name):
    game = ma.make(name)
    other = ma.make("kalah" if name != "kalah" else "oware")
    option = ma.option_table(name)[0]
    changed = next(value for value in option.choices if value != option.default)
    changed = ma.make(name, **{option.name: changed})
    for wrong in (other.initial_state(), changed.initial_state()):
        for method in (
            lambda state: game.perft(2, state),
            lambda state: game.perft_divide(2, state),
            game.relay_lengths,
            game.endless_moves,
        ):
            with refused(errors.ArgumentError, game.spec, wrong.game.spec):
                method(wrong)
    for wrong in (3, "state", game.initial_state().board):
        with refused(errors.ArgumentError, game.spec, type(wrong).__name__):
            game.perft(2, wrong)
        with refused(errors.ArgumentError, game.spec, type(wrong).__name__):
            game.relay_lengths(wrong)
    assert not re.search("Error", repr(game))
