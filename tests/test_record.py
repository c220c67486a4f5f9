"""Records: written and read back exactly, and refused where they break the rules."""

from __future__ import annotations

import copy
import pickle
import random
import textwrap

import pytest
from helpers import (
    NAMES,
    described,
    initial,
    library_state,
    option_sets,
    random_position,
    twin_of,
    walk,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_ai as ma
from mancala_ai import Record, RecordError
from mancala_ai import record as record_module

EXAMPLE = textwrap.dedent(
    record_module.__doc__.partition("\n\n")[2].partition("First the headers")[0]
).rstrip("\n")
EXAMPLE += "\n"
COMMENTS = ("a slip", "two\nlines", "with ; in it", "1. south 3", "result: *", "é\n\n; ~")


def a_start(rng, game):
    """Where a random game begins: as its rules say, or anywhere."""
    if rng.random() < 0.5:
        return initial(game, rng)
    position = random_position(game, twin_of(game), rng)
    return game.initial_state() if position.finished else library_state(game, position)


def random_record(rng, game, plies=60):
    """A random game with comments here and there."""
    start = a_start(rng, game)
    actions = tuple(action for _, action in walk(rng, start, plies))
    commented = [at for at in range(len(actions) + 1) if rng.random() < 0.2]
    comments = {at: rng.choice(COMMENTS) for at in commented}
    headers = {"south": "A. Player", "north": "b: c ; d", "x-1": "é"}
    return Record(game, actions, headers, comments, start)


@pytest.mark.parametrize("name", NAMES)
def test_records_are_read_back_exactly(name):
    turns_of_several_moves = 0
    for number, options in enumerate(option_sets(name, 12, seed=4)):
        rng = random.Random(f"{name} record {number}")
        game = ma.make(name, **options)
        for _ in range(3):
            record = random_record(rng, game)
            text = record.to_text()
            again = Record.from_text(text)
            assert again == record
            assert again.to_text() == text
            assert list(map(described, again.states())) == list(map(described, record.states()))
            turns_of_several_moves += any(
                len(line.partition(";")[0].split()) > 3
                for line in text.splitlines()
                if line[:1].isdigit()
            )
    assert turns_of_several_moves or name in ("oware", "katro")


@pytest.mark.parametrize("name", NAMES)
def test_no_notation_holds_what_separates_moves(name):
    for options in option_sets(name, 5):
        game = ma.make(name, **options)
        for player in (0, 1):
            texts = game.action_names(player)
            assert not [text for text in texts if not text or " " in text or ";" in text]


def test_the_example_of_the_documentation():
    record = Record.from_text(EXAMPLE)
    assert record.to_text() == EXAMPLE
    assert record.game == ma.make("omweso", akakyala=True)
    assert record.headers == {"south": "human", "north": "greedy", "date": "2025-11-30"}
    assert record.comments[0] == "North has promised to be quick."
    assert record.comments[2] == "as in a mirror,\nwhich is seldom wise"
    assert len(record.actions) == 6
    assert record.result == "2-0 akakyala"
    assert [state.ply for state in record.states()] == list(range(7))


def test_a_record_of_one_call():
    game = ma.make("kalah")
    record = Record(game, iter([2, 5, 0]), {"event": "tea"}, {1: "again", 3: "  "})
    assert record.to_text() == (
        "game: kalah\nevent: tea\n\n1. south 3 ; again\n1. south 6\n2. north 1\n\nresult: *\n"
    )
    assert record.final == game.initial_state().apply(2).apply(5).apply(0)
    assert Record(game).to_text() == "game: kalah\n\nresult: *\n"
    for same in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert same == record
        assert same.states() == record.states()
    assert Record(game, [2, 5]) != Record(game, [2, 4])


def test_text_written_by_hand():
    by_hand = (
        "\ngame: oware:seeds=3\r\n; on the start\r\n\r\n  date:2025-11-30\n"
        "start: 3,3,3,3,3,3/3,3,3,3,3,3 south\n"
        "; and more\n1.  south\tc;well\n;\tplayed\n\n2. north C\nresult:   *  "
    )
    record = Record.from_text(by_hand)
    assert record.to_text() == (
        "game: oware:seeds=3\ndate: 2025-11-30\n\n; on the start\n; and more\n"
        "1. south C ; well\n; played\n2. north c\n\nresult: *\n"
    )


@pytest.mark.parametrize(
    ("spec", "start", "actions", "result"),
    [
        ("kalah", "0,0,0,0,0,1/3,0,0,0,0,0 south captured=30,14", (5,), "1-0 seeds"),
        ("kalah", "0,0,0,0,0,1/7,0,0,0,0,0 south captured=30,10", (5,), "1-0 seeds"),
        ("kalah", "0,0,0,0,0,1/1,0,0,0,0,0 south captured=20,22", (5,), "0-1 seeds"),
        ("kalah", "0,0,0,0,0,1/1,0,0,0,0,0 south captured=22,24", (5,), "0-1 seeds"),
        ("kalah", "0,0,0,0,0,1/1,0,0,0,0,0 south captured=22,22", (5,), "0.5-0.5 draw"),
        (
            "omweso:max_laps=200",
            "2,0,1,0,1,0,1,0,1,0,1,0,1,0,2,1/51,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 south",
            (0,),
            "0-0 annulled",
        ),
    ],
)
def test_results(spec, start, actions, result):
    game = ma.make(spec)
    record = Record(game, actions, start=game.state_from_text(start))
    assert record.result == result
    assert record.to_text().endswith(f"\nresult: {result}\n")
    assert Record.from_text(record.to_text()) == record


KALAH = "game: kalah\n\n1. south 3 6\n2. north 1\n"
WON = "game: kalah\nstart: 0,0,0,0,0,1/3,0,0,0,0,0 south captured=30,14\n1. south 6\n"
WON_GAME = WON + "result: 1-0 seeds\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: the record names no game (game: NAME)"),
        ("south: me\n", "line 1: a record begins with its game (game: NAME), not with south"),
        ("; me\n", "line 1: a record begins with its game (game: NAME), not with a comment"),
        ("1. south 3\n", "line 1: a record begins with its game (game: NAME)"),
        ("game: chess\n", "line 1: unknown game 'chess'"),
        ("game: kalah:columns=99\n", "line 1: option columns of kalah cannot be 99"),
        ("game: kalah\ngame: kalah\n", "line 2: header game is given twice"),
        ("game: kalah\nsouth: me\nsouth: me\n", "line 3: header south is given twice"),
        ("game: kalah\nsouth:\n", "line 2: header south is a text of one line"),
        ("game: kalah\nstart: 4,4\n", "line 2: position '4,4' is too short"),
        ("game: kalah\nSouth: me\n", "line 2: 'South: me' is no header (name: value)"),
        ("game: kalah\nsouth: \x1b[2J\n", "line 2: a record holds no control characters"),
        (KALAH, "line 5: the record has no result (result: * if the game is unfinished)"),
        (KALAH + "north: me\n", "line 5: header north comes after the first move"),
        (KALAH + "3. south 3\n", "line 5: move 4: no legal move '3' here; the legal moves are:"),
        (KALAH + "3. south a 1\n", "line 5: move 4: no legal move 'a' here"),
        (KALAH + "3. south 1 2\n", "line 5: move 5: it is north who moves, not south"),
        (KALAH + "3. north 1\n", "line 5: turn 2 is due, not 3"),
        (KALAH + "4. south 1\n", "line 5: turn 3 is due, not 4"),
        (KALAH + "3. west 1\n", "line 5: '3. west 1' is no header (name: value), turn"),
        (KALAH + "3. south ; 1\n", "line 5: turn 3 has no move"),
        (KALAH + "result: 1-0 seeds\n", "line 5: the result is *, not 1-0 seeds"),
        (KALAH + "result: *\nresult: *\n", "line 6: nothing follows the result"),
        (KALAH + "result: *\n; done\n", "line 6: nothing follows the result"),
        (WON + "result: *\n", "line 4: the result is 1-0 seeds, not *"),
        (WON + "result: 0-1 seeds\n", "line 4: the result is 1-0 seeds, not 0-1 seeds"),
        (WON + "2. north 1\n", "line 4: move 2: the game is already finished (seeds)"),
    ],
)
def test_what_breaks_the_rules_is_refused_with_line_and_move(text, complaint):
    with pytest.raises(RecordError) as caught:
        Record.from_text(text)
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_recorded_is_refused():
    game = ma.make("kalah")
    with pytest.raises(RecordError, match=r"^move 2: action 2 \(3\) is not legal"):
        Record(game, [2, 2])
    with pytest.raises(RecordError, match="the start is of make"):
        Record(game, start=ma.make("oware").initial_state())
    for headers in (
        {"Name": "x"},
        {"game": "x"},
        {"": "x"},
        {"a b": "x"},
        {"a": ""},
        {"a": "x\ny"},
    ):
        with pytest.raises(RecordError, match=r"^(a )?header "):
            Record(game, headers=headers)
    for comments in ({1: "x"}, {-1: "x"}, {"0": "x"}, {0: "\x07"}, {0: None}):
        with pytest.raises(RecordError, match="comment on move"):
            Record(game, comments=comments)


WRONG = (None, 3, 1.5, "kalah", b"game: kalah", [1], [None], (("a", "b"),), {9: 2}, object())


@pytest.mark.parametrize("part", ["game", "actions", "headers", "comments", "start"])
@pytest.mark.parametrize("value", WRONG)
def test_parts_of_the_wrong_kind_are_refused(part, value):
    parts = {"game": ma.make("kalah"), "actions": (2,), part: value}
    if (part, value) in [("start", None), ("actions", [1])]:
        assert Record(**parts).game == parts["game"]
        return
    with pytest.raises(RecordError) as caught:
        Record(**parts)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", [text for text in WRONG if not isinstance(text, str)])
def test_only_texts_are_read(text):
    with pytest.raises(RecordError, match="a record is read from a text, not from"):
        Record.from_text(text)


LINES = [*EXAMPLE.splitlines(), "1. south j", "3. south i b<", ";", "", "start: 1", "x: y;z"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=8), max_size=14))
def test_any_text_is_read_or_refused(lines):
    text = "\n".join(["game: omweso:akakyala=True", *lines, "result: *"])
    try:
        record = Record.from_text(text)
    except RecordError:
        return
    again = Record.from_text(record.to_text())
    assert again == record
    assert again.to_text() == record.to_text()


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text(), st.text(min_size=1))
def test_any_comment_and_header_is_kept_or_refused(first, last, value):
    try:
        record = Record(ma.make("kalah"), (2,), {"event": value}, {0: first, 1: last})
    except RecordError:
        return
    assert Record.from_text(record.to_text()) == record


def test_several_records_in_a_file(tmp_path):
    path = tmp_path / "games.txt"
    records = [Record.from_text(text) for text in (EXAMPLE, KALAH + "result: *\n", WON_GAME)]
    ma.write_records(records, path)
    assert ma.read_records(path) == records
    parts = path.read_text().split("\n\ngame:")
    assert [Record.from_text("game:" * (n > 0) + part) for n, part in enumerate(parts)] == records
    with pytest.raises(RecordError, match=r"games.txt: there are 3 games, where one is"):
        ma.read_record(path)
    ma.write_record(records[1], path)
    assert ma.read_records(path) == [ma.read_record(path)] == records[1:2]
    for more, complaint in (
        ("game: kalah\n", "line 7: the record has no result"),
        ("south: me\n", "line 6: nothing follows the result"),
        ("\ngame: kalah\n1. south 9\n", "line 8: move 1: no legal move '9' here"),
    ):
        path.write_text(KALAH + "result: *\n" + more)
        with pytest.raises(RecordError, match=f"games.txt: {complaint}"):
            ma.read_records(path)


def test_files(tmp_path):
    path = tmp_path / "game.txt"
    record = Record.from_text(EXAMPLE)
    path.write_text("something longer than a record could ever be" * 100)
    ma.write_record(record, path)
    assert path.read_text(encoding="utf-8") == EXAMPLE
    assert list(tmp_path.iterdir()) == [path]
    assert ma.read_record(path) == record
    assert ma.read_record(str(path)) == record


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_texts_of_other_systems(tmp_path, mark, end):
    text = mark + EXAMPLE.replace("\n", end)
    assert Record.from_text(text).to_text() == EXAMPLE
    path = tmp_path / "game.txt"
    path.write_bytes(text.encode())
    assert ma.read_record(path).to_text() == EXAMPLE
    for wrong in ("\ufeff\ufeff" + text, text + "; \ufeff" + end + "nonsense"):
        with pytest.raises(RecordError) as told:
            Record.from_text(wrong)
        path.write_bytes(wrong.encode())
        with pytest.raises(RecordError) as told_of_file:
            ma.read_record(path)
        assert str(told_of_file.value) == f"{path}: {told.value}"


def test_files_that_cannot_be(tmp_path):
    path = tmp_path / "game.txt"
    with pytest.raises(OSError, match="nowhere") as caught:
        ma.write_record(Record.from_text(EXAMPLE), tmp_path / "nowhere" / "game.txt")
    assert caught.value.filename == str(tmp_path / "nowhere" / "game.txt")
    with pytest.raises(FileNotFoundError):
        ma.read_record(path)
    path.write_bytes(b"game: kalah\n; \xff\n")
    with pytest.raises(RecordError, match=r"game\.txt: not a text in UTF-8"):
        ma.read_record(path)
    path.write_text("game: kalah\n1. south 9\n")
    with pytest.raises(RecordError, match=r"game\.txt: line 2: move 1: no legal move '9'"):
        ma.read_record(path)
