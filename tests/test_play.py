"""``mancala play`` and ``mancala replay``, and the agent that is a person."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from select import select

import pytest

import mancala_ai as ma
from mancala_ai.agents import Agent, make_agent, registry
from mancala_ai.agents.human import MOST_LISTED, read_move
from mancala_ai.cli import main, matches, play
from mancala_ai.errors import AgentError, IllegalActionError

COMMAND = [sys.executable, "-m", "mancala_ai.cli"]
NEVER = "2,0,1,0,1,0,1,0,1,0,1,0,1,0,2,1/51,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 south"  # sown from i


@pytest.fixture
def mancala(capsys, monkeypatch):
    """Runs a command with lines typed into it; exit code, stdout and stderr."""

    def run(line, *typed):
        monkeypatch.setattr(sys, "stdin", StringIO("".join(f"{text}\n" for text in typed)))
        code = main(line.split() if isinstance(line, str) else line)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def boards(out, like):
    """Every board that was drawn, each after a blank line and as high as that of a state."""
    height = len(str(like).splitlines())
    parts = [part.splitlines()[:height] for part in out.split("\n\n")[1:]]
    return ["\n".join(part) for part in parts if len(part) == height]


def after(state, *texts):
    """The positions from a state on."""
    states = [state]
    for text in texts:
        states.append(states[-1].apply(states[-1].text_to_action(text)))
    return states


# Moves -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "text", "action"),
    [
        ("kalah", "1", 0),
        ("kalah", "6", 5),
        ("hoyito_iii", "2", 1),
        ("oware", "a", 0),
        ("oware", "F", 5),
        ("oware", "3", 3),
        ("omweso", "m", 4),
        ("omweso", "M", 4),
        ("omweso", "7", 7),
        ("tsoro", "u1", 20),
        ("tsoro", "20", 20),
        ("gore", "h", None),
        ("gore", "d", 3),
        ("kalah", "0", None),
        ("kalah", "7", None),
        ("omweso", "35", None),
        ("omweso", "m<", None),
        ("omweso", "", None),
        ("omweso", "²", None),
        ("omweso", "9" * 5000, None),
        ("omweso", "-1", None),
    ],
)
def test_moves_are_notation_or_numbers_where_no_notation_is_one(spec, text, action):
    state = ma.make(spec).initial_state()
    if action is not None:
        assert read_move(state, text) == action
        return
    with pytest.raises(IllegalActionError, match="is no legal move here; legal: ") as caught:
        read_move(state, text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_offers_are_not_all_listed():
    game = ma.make("gore")
    owned = "0,0,0,0,0,0,1,1"
    state = game.state_from_text(f"6,6,0,0/1,0,0,0 south captured=0,35 owner={owned}")
    with pytest.raises(IllegalActionError, match=r"legal: a b e offer:a .* \.\.\. and 14 more$"):
        read_move(state, "z")
    assert len(state.legal_actions()) == MOST_LISTED + 14


def test_no_command_is_a_move():
    for name in ma.games():
        moves = {text.lower() for player in (0, 1) for text in ma.make(name).action_names(player)}
        assert not moves & {words.split()[0] for words in play.COMMANDS}


def test_the_human_agent_asks_until_it_gets_a_move(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", StringIO("nine\n\n3\n"))
    agent = make_agent("human")
    state = ma.make("kalah").initial_state()
    assert agent.act(state) == 2
    out = capsys.readouterr().out
    assert out.startswith(str(state))
    assert out.count("is no legal move here") == 2
    with pytest.raises(AgentError, match="human: the input has ended"):
        agent.act(state)
    closed = StringIO("3\n")
    closed.close()
    for nothing in (None, closed):
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(AgentError, match="human: the input has ended"):
            agent.act(state)


@pytest.mark.parametrize("close", ["sys.stdin.close()", "sys.stdin = None", "os.close(0)"])
def test_play_without_an_input_ends_like_one_that_is_over(close):
    program = f"import os, sys; {close}; from mancala_ai.cli import main; sys.exit(main())"
    ended = subprocess.run(
        [sys.executable, "-c", program, "play", "kalah", "--north", "human"],
        input="3\n",
        capture_output=True,
        text=True,
    )
    assert "South plays" not in ended.stdout
    assert "Traceback" not in ended.stderr
    assert ended.returncode in (0, 2)


# Play ------------------------------------------------------------------------


def test_a_game_to_its_end(mancala, tmp_path):
    file = tmp_path / "game.txt"
    position = "0,0,0,0,1,1/3,0,0,0,0,1 south captured=30,12"
    words = ["play", "kalah", "--north", "first", "--position", position, "--record", str(file)]
    code, out, err = mancala(words, "5", "7", "6", "1", "undo", "6", "quit")
    assert (code, err) == (0, "")
    assert out.count("South wins.") == 2
    assert out.count("The game is over: undo, save FILE, or quit.") == 3  # also as answer to 1
    record = ma.read_record(file)
    assert record.start.to_text() == position
    assert record.result == "1-0 seeds"


def test_play_against_an_agent(mancala):
    code, out, err = mancala("play kalah --north first --seed 5", "3", "6", "bad", "1")
    assert (code, err) == (0, "")
    assert "kalah: South is human, North is first." in out
    assert "South> 3\nSouth plays 3: 4 seeds from 3 to the store\n" in out
    assert "South plays 6: 5 seeds from 6 to North's 4" in out
    assert "North plays 1: 5 seeds from 1 to 6\n" in out
    assert "'bad' is no legal move here; legal: 1 2 4 5\n" in out
    states = after(ma.make("kalah").initial_state(), "3", "6", "1", "1", "2")
    assert boards(out, states[0]) == list(map(str, states))


def test_undo_goes_back_to_the_persons_own_decision(mancala):
    _, out, _ = mancala("play kalah --north first", "undo", "3", "6", "undo", "undo", "undo")
    assert out.count("there is nothing to take back") == 2
    begin, again, *others = after(ma.make("kalah").initial_state(), "3", "6", "1")
    assert boards(out, begin) == list(map(str, [begin, again, *others, again, begin]))


def test_undo_between_two_people_takes_one_decision(mancala):
    _, out, _ = mancala("play kalah --north human", "1", "2", "undo", "undo")
    one, two, three = after(ma.make("kalah").initial_state(), "1", "2")
    assert boards(out, one) == list(map(str, [one, two, three, two, one]))


def test_contract_mode_takes_nothing_back(mancala, tmp_path):
    file = tmp_path / "game.txt"
    words = f"play omweso --contract --north human --record {file}"
    _, out, _ = mancala(words, "m", "undo", f"load {file}")
    assert out.count("in contract mode no move is taken back") == 2
    assert ma.read_record(file).headers["mode"] == "contract"
    assert len(ma.read_record(file).actions) == 1
    _, out, _ = mancala(f"play --record {file} --north human", "undo")  # it stays what it is
    assert "in contract mode no move is taken back" in out
    _, out, _ = mancala("play omweso --north human", "m", "undo")
    assert "contract" not in out


def test_save_and_load(mancala, tmp_path):
    file, other = tmp_path / "game.txt", tmp_path / "other.txt"
    other.write_text("not a game")
    typed = ["save", "3", f"save {file}", "6", "save", f"load {other}", f"save {other}", "load"]
    typed += [f"load {tmp_path}/none", f"save {tmp_path}", f"save {tmp_path}/no/such"]
    _, out, _ = mancala("play kalah --north human --seed 9", *typed)
    assert out.count(f"saved to {file}\n") == 2
    for complaint in (
        "save needs the name of a file",
        "load needs the name of a file",
        f"{other}: line 1: 'not a game' is no header",
        f"{other} exists, and is no record of a game",
        f"{tmp_path}/none: No such file or directory",
        f"{tmp_path}: Is a directory",
        f"{tmp_path}/no/such: No such file or directory",
    ):
        assert f"\n{complaint}" in out
    assert other.read_text() == "not a game"
    record = ma.read_record(file)
    assert record.actions == (2, 5)
    assert record.headers["seed"] == "9"
    assert (record.headers["south"], record.headers["north"]) == ("human", "human")

    _, out, _ = mancala("play oware --north first", f"load {file}", "2", "undo")
    reached = after(ma.make("kalah").initial_state(), "3", "6", "1")
    assert boards(out, reached[0])[1:3] == list(map(str, reached[2:]))  # North's turn: it plays


@pytest.mark.parametrize("word", [name for name in play.COMMANDS if not name.endswith(" FILE")])
def test_nothing_may_follow_a_command_that_stands_alone(mancala, word):
    typed = [f"{word} now", f"{word.upper()}  3 4", f"{word} 3"]
    _, out, _ = mancala("play kalah --north human --hints first", "1", *typed, "2")
    for rest in ("now", "3 4", "3"):
        assert f"\n{word} stands alone on its line, without '{rest}'\n" in out
    one, two, three = after(ma.make("kalah").initial_state(), "1", "2")
    assert boards(out, one) == list(map(str, [one, two, three]))
    assert "would play" not in out
    assert "legal moves" not in out


@pytest.mark.parametrize("word", sorted(play.TAKE_A_FILE))
@pytest.mark.parametrize("name", ['""', "''", '" "'])
def test_a_file_needs_a_name(mancala, tmp_path, monkeypatch, word, name):
    monkeypatch.chdir(tmp_path)
    _, out, _ = mancala("play kalah --north human --record game.txt", f"{word} {name}")
    assert f"\nthe name of the file is empty: {word} FILE\n" in out
    assert os.listdir() == ["game.txt"]


def test_the_name_of_a_file_may_be_quoted(mancala, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mancala("play kalah --north human", "1", 'save "a b.txt"', "2", "load 'a b.txt'", "3", "save")
    assert os.listdir() == ["a b.txt"]
    assert ma.read_record("a b.txt").actions == (0, 2)


def test_a_record_is_gone_on_with(mancala, tmp_path):
    file = tmp_path / "game.txt"
    assert mancala(f"play kalah --north first --record {file}", "3", "6")[0] == 0
    assert ma.read_record(file).actions == (2, 5, 0)
    code, out, _ = mancala(f"play --north random --seed 1 --record {file}", "2", "quit")
    assert code == 0
    record = ma.read_record(file)
    assert record.actions[:4] == (2, 5, 0, 1)
    assert record.headers["north"] == "random"
    assert boards(out, record.start)[0] == str(record.states()[3])
    before = file.read_text()
    for words, complaint in (
        ("play oware", "the game in"),
        ("play kalah --position x", "--position starts a new game"),
        ("play --contract", "--contract is a mode of omweso, not of kalah"),
    ):
        code, _, err = mancala(f"{words} --record {file}")
        assert code == 2
        assert complaint in err
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("words", "plays", "named"),
    [
        ("", ("human", "first"), ("Ada", "first")),
        ("--south human --north first", ("human", "first"), ("Ada", "first")),
        ("--north human", ("human", "human"), ("Ada", "human")),
        ("--south random", ("random", "first"), ("random", "first")),
    ],
)
def test_players_of_a_record_stay_unless_others_are_asked_for(
    mancala, tmp_path, words, plays, named
):
    file = tmp_path / "game.txt"
    headers = {"event": "tea", "south": "Ada", "north": "first"}
    ma.write_record(ma.Record(ma.make("kalah"), [2, 5], headers), file)
    _, out, _ = mancala(f"play --record {file} {words}", "1")
    assert "kalah: South is {}, North is {}.\n".format(*plays) in out
    record = ma.read_record(file)
    assert len(record.actions) > 2
    assert (record.headers["south"], record.headers["north"]) == named
    assert list(record.headers) == ["event", "south", "north"]


def test_players_whom_a_record_does_not_name(mancala, tmp_path):
    file = tmp_path / "game.txt"
    ma.write_record(ma.Record(ma.make("kalah"), start=None), file)
    _, out, _ = mancala(f"play --record {file}")
    assert "kalah: South is human, North is alphabeta:seconds=2" in out
    assert ma.read_record(file).headers == play.DEFAULT_PLAYERS


def test_a_program_that_a_record_names_is_not_run(mancala, tmp_path):
    file, trace = tmp_path / "game.txt", tmp_path / "trace"
    program = f"process:cmd=touch {trace}"
    ma.write_record(ma.Record(ma.make("kalah"), headers={"south": program}), file)
    before = file.read_text()
    code, out, err = mancala(f"play --record {file}")
    assert (code, out) == (2, "")
    assert err == "mancala: the south of the record is a program: it is run if --south names it\n"
    assert not trace.exists()
    assert file.read_text() == before
    assert mancala(f"play --record {file} --south human")[0] == 0
    assert ma.read_record(file).headers["south"] == "human"


def test_a_loaded_game_keeps_the_names_of_those_who_play_on(mancala, tmp_path):
    file = tmp_path / "game.txt"
    headers = {"south": "Ada", "north": "greedy"}
    ma.write_record(ma.Record(ma.make("kalah"), [2, 5], headers), file)
    mancala("play kalah --north first", f"load {file}", "save")
    assert ma.read_record(file).headers == {"south": "Ada", "north": "first"}


def test_a_record_that_is_none_is_left_alone(mancala, tmp_path):
    file = tmp_path / "game.txt"
    file.write_text("game: kalah\n1. south 9\n")
    code, out, err = mancala(f"play kalah --record {file}", "1")
    assert (code, out) == (2, "")
    assert err.startswith(f"mancala: {file}: line 2: move 1: no legal move '9'")
    assert file.read_text() == "game: kalah\n1. south 9\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_loaded_file_is_changed_by_save_alone(mancala, tmp_path):
    one, two = tmp_path / "1.txt", tmp_path / "2.txt"
    ma.write_record(ma.Record(ma.make("kalah"), [2, 5, 0]), two)
    before = two.read_bytes()
    words = f"play kalah --north first --record {one}"
    _, out, _ = mancala(words, f"load {two}", "undo", "2")
    assert f"the game before is kept in {one}, this one where it is saved" in out
    assert two.read_bytes() == before
    assert ma.read_record(one).actions == ()


def test_load_leaves_the_record_for_that_of_the_other_game(mancala, tmp_path):
    one, two, three = tmp_path / "1.txt", tmp_path / "2.txt", tmp_path / "3.txt"
    ma.write_record(ma.Record(ma.make("oware"), [3]), two)
    words = f"play kalah --north human --record {one}"
    mancala(words, "1", f"save {three}", "2", f"load {two}", "b", "save")
    assert ma.read_record(one).actions == (0, 1)
    assert ma.read_record(two).actions == (3, 1)
    assert ma.read_record(three).actions == (0,)


def test_two_agents_play_by_themselves(mancala, tmp_path):
    first, second = tmp_path / "1.txt", tmp_path / "2.txt"
    for file in (first, second):
        words = "play hoyito_iii:columns=3 --south random --north random --seed 4 --record"
        code, out, err = mancala([*words.split(), str(file)])
        assert (code, err) == (0, "")
        assert "help" not in out
        assert ">" not in out.replace("  > ", "")  # only the marks of boards
    record = ma.read_record(first)
    assert record.final.is_terminal
    assert first.read_text() == second.read_text()
    assert boards(out, record.start)[-1] == str(record.final)
    code, out, _ = mancala(f"play --south random --north random --record {first}")
    assert (code, len(boards(out, record.start))) == (0, 1)  # it is over


def test_the_seed_of_the_setup_and_of_the_agents_is_recorded(mancala, tmp_path):
    seeds = set()
    for name in ("1.txt", "2.txt"):
        assert mancala(f"play omweso:setup=random --record {tmp_path / name}")[0] == 0
        record = ma.read_record(tmp_path / name)
        seeds.add(record.headers["seed"])
        drawn = ma.make("omweso", setup="random").initial_state(int(record.headers["seed"]))
        assert record.start == drawn
    assert len(seeds) == 2


class Knowing(Agent):
    """Takes the last move, and says that it has thought."""

    NAME = "knowing"

    def choose(self, state, seconds):
        action = state.legal_actions()[-1]
        line = [action, state.apply(action).legal_actions()[0], 99]  # the last is nonsense
        info = {"value": 2.5, "objective": "margin", "depth": 7, "proven": True}
        return action, {**info, "num_simulations": 1234, "principal_variation": line}


class Failing(Agent):
    NAME = "failing"

    def choose(self, state, seconds):
        raise AgentError("failing: no idea")


class Time:
    """What the clock of a match shows; it goes on when somebody says so."""

    now = 0.0


class Slow(Agent):
    """Takes two seconds for a decision, then 2.5, and so on; an engine would hang."""

    NAME = "slow"
    takes, given = 2.0, []

    def choose(self, state, seconds):
        Slow.given.append(seconds)
        Time.now += Slow.takes
        Slow.takes += 0.5
        if Slow.takes > 3.5:
            raise AgentError("slow: did not answer in time")
        return state.legal_actions()[0], {}


@pytest.fixture
def more_agents(monkeypatch):
    """The agents ``knowing``, ``failing`` and ``slow``."""
    known = registry._agent_class
    added = {"knowing": Knowing, "failing": Failing, "slow": Slow}
    monkeypatch.setattr(registry, "_agent_class", lambda name: added.get(name) or known(name))


def test_an_agent_that_fails_ends_the_game_in_one_line(mancala, more_agents, tmp_path):
    file = tmp_path / "game.txt"
    code, _, err = mancala(f"play kalah --north failing --record {file}", "1")
    assert code == 2
    assert err == "mancala: failing: no idea\n"
    assert ma.read_record(file).actions == (0,)


def test_what_an_agent_finds_is_shown_and_recorded(mancala, more_agents, tmp_path):
    file = tmp_path / "game.txt"
    found = "+2.5 seeds exactly, depth 7, 1,234 simulations, line 6 1"
    words = f"play kalah --north knowing --hints knowing --record {file}"
    _, out, _ = mancala(words, "hint", "1")
    assert f"knowing would play 6 ({found})\n" in out
    assert f"North plays 6: 4 seeds from 6 to South's 3\n     {found}\n" in out
    assert f"2. north 6 ; {found}\n" in file.read_text()


def test_hints_that_say_little_or_fail(mancala, more_agents):
    _, out, _ = mancala("play kalah --hints first --north first", "hint")
    assert "first would play 1\n" in out
    code, out, _ = mancala("play kalah --hints failing --north first", "hint", "1")
    assert code == 0
    assert "\nfailing: no idea\n" in out
    assert "South plays 1" in out


def test_help_lists_commands_and_moves(mancala):
    _, out, _ = mancala("play kalah --north first", "help")
    for name, meaning in play.COMMANDS.items():
        assert re.search(rf"^{name} +{meaning}$", out, re.MULTILINE)
    assert out.count("legal moves:\n1  2  3  4  5  6\n") == 1
    _, out, _ = mancala("play omweso --north first", "HELP")
    assert "legal moves, by name or by number:\ni (0)  j (1)" in out


def test_what_cannot_be_read_is_refused(mancala):
    _, out, _ = mancala("play kalah --north first", "", "\x1b[A", "save a\0b", "\ud800")
    assert out.count("that has characters that cannot be read") == 3


def test_laps_are_told_and_long_relays_shortened(mancala):
    game = ma.make("hoyito_iii")
    _, out, _ = mancala("play hoyito_iii --north human", "1")
    (lap, *others) = game.initial_state().trace(0)
    assert f"South plays 1: {1 + len(others)} laps\n  1  4 seeds from 1 to 5\n" in out
    assert len(others) == 4
    assert out.count(" seeds from ") == 5

    position = "1,3,2,1,2,2,6,1,2,5,4,3,1,4,1,2/0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,5 south"
    _, out, _ = mancala(["play", "omweso", "--north", "human", "--position", position], "m")
    assert "South plays m: 61 laps\n  1  2 seeds from m to o\n" in out
    assert "\n     ... 54 laps ...\n 59  " in out
    assert len(re.findall("seeds? from", out)) == 7


def test_a_relay_that_never_ends(mancala):
    words = ["play", "omweso", "--north", "human", "--position", NEVER]
    _, out, _ = mancala(words, "i")
    assert "South plays i: never ends, repeats after 128 laps\n" in out
    assert "annulled: the move never ends" in out
    assert "wins" not in out


def test_a_relay_that_is_too_long(mancala):
    _, out, _ = mancala("play hoyito_iii:max_laps=4 --north human", "1")
    assert "South plays 1: 5 laps, too many\n" in out


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("play", "GAME"),
        ("play chess", "chess"),
        ("play kalah oware", "oware"),
        ("play kalah --south nobody", "nobody"),
        ("play kalah --north greedy:depth=3", "depth"),
        ("play kalah --hints nobody", "nobody"),
        ("play kalah --hints human", "--hints cannot be human"),
        ("play kalah --position 1,2", "1,2"),
        ("play kalah --contract", "--contract"),
        ("play kalah --match mode=blitz", "'mode'"),
        ("play kalah --match blitz", "'blitz'"),
        ("play --match games=3", "a game is needed"),
        ("play kalah --match games=3 --contract", "--contract"),
        ("play hoyito_iii:last_four=player_0 --match rounds=3", "last_four"),
        ("play kalah --seed -1", "--seed"),
        ("play kalah --seed 1.5", "--seed"),
        ("play kalah --record /no/such/folder/file.txt", "/no/such/folder/file.txt"),
        ("play kalah --record .", "directory"),
        ("replay", "FILE"),
        ("replay /no/such/file.txt", "/no/such/file.txt"),
        ("replay . --check", "directory"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(mancala, line, named):
    code, out, err = mancala(line)
    assert (code, out) == (2, "")
    assert err.startswith("mancala: ")
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize("command", ["play", "replay"])
def test_help_is_light(command, tmp_path):
    program = (
        f"import sys; from mancala_ai.cli import main; main(['{command}', '--help'])\n"
        "print({'numba', 'rich.live'} & set(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith(f"Usage: mancala {command}")
    assert result.stdout.endswith("set()\n")


# Matches ---------------------------------------------------------------------


def first_mover(spec, first):
    """A seed with which a player of a match begins."""
    return next(n for n in range(100) if ma.make_match(spec, seed=n).seats[0] == first)


def match_in(file):
    """The match in a file, before the last game."""
    return ma.Match.from_text(ma.read_records(file)[-1].headers["match"])


def test_a_match_of_agents_to_its_end(mancala, tmp_path):
    file = tmp_path / "match.txt"
    words = f"play omweso --match mode=untimed --south greedy --north random --record {file}"
    code, out, err = mancala(f"{words} --seed 4")
    assert (code, err) == (0, "")
    records = ma.read_records(file)
    match = ma.make_match("omweso", seed=4)
    for number, record in enumerate(records, 1):
        state, seats = match.next_game()
        assert record.headers["match"] == match.to_text()
        assert record.start == state
        names = ["greedy", "random"]
        assert [record.headers["south"], record.headers["north"]] == [names[p] for p in seats]
        score = "Score: greedy {:g}, random {:g}.".format(*match.score)
        assert f"Game {number}. {score}\nomweso: South is {names[seats[0]]}" in out
        match = match.after(record.final)
    assert match.is_over
    score = "Score: greedy {:g}, random {:g}. ".format(*match.score)
    assert out.endswith(f"\n{score}{names[match.winner]} wins the match.\n")
    before = file.read_text()
    code, out, _ = mancala(f"play --record {file}")  # over: nothing is played
    assert out.splitlines()[1].startswith(score)
    assert file.read_text() == before
    _, out, _ = mancala(f"replay {file} --check")
    assert out.count(": OK, omweso, ") == len(records)
    _, out, _ = mancala(f"replay {file}")
    assert out.count("\nresult: ") == len(records)
    with pytest.raises(ma.RecordError, match=f"there are {len(records)} games"):
        ma.read_record(file)


def test_rounds_of_hoyito_carry_seeds_over(mancala, tmp_path):
    file = tmp_path / "match.txt"
    words = "play hoyito_iii --match rounds=4,fill_pits=True --south first --north random"
    code, out, _ = mancala(f"{words} --seed 1 --record {file}")
    assert code == 0
    one, two, *later = ma.read_records(file)
    assert two.start.board.sum() + two.start.captured.sum() == 48
    assert sorted((two.start.board.sum(axis=1) + two.start.captured).tolist()) == sorted(
        one.final.captured.tolist()
    )
    assert all(record.game.options["last_four"] != "capturer" for record in later)
    assert "match" in out.splitlines()[-1]


def test_a_match_is_left_and_gone_on_with(mancala, tmp_path):
    file = tmp_path / "match.txt"
    game = "kalah:columns=2,seeds=1"
    words = f"play {game} --match games=5 --south human --north human"
    _, out, _ = mancala(
        f"{words} --seed {first_mover(game, 0)} --record {file}", "1", "undo", "1", "quit"
    )
    assert f"Match of {game}, games=5.\nGame 1. Score: human (1) 0, human (2) 0.\n" in out
    (begun,) = ma.read_records(file)
    assert begun.actions == (0,)
    named = {**begun.headers, "south": "Ada", "north": "Bo"}
    ma.write_record(ma.Record(begun.game, begun.actions, named), file)
    code, out, _ = mancala(f"play --record {file}", *["1", "2"] * 6)
    assert code == 0
    records = ma.read_records(file)
    assert records[0].actions[:1] == (0,)
    assert len(records) > 1
    assert (records[1].headers["south"], records[1].headers["north"]) == ("Bo", "Ada")
    assert "Score: Ada " in out
    assert records[-1].result == "*"
    before = file.read_text()
    for words, complaint in (
        ("play oware", "the match in"),
        ("play --match games=3", "has the terms games=5"),
        ("play --position x", "a match takes neither --position nor --contract"),
        ("play --contract", "a match takes neither --position nor --contract"),
    ):
        code, _, err = mancala(f"{words} --record {file}")
        assert (code, err.count("\n")) == (2, 1)
        assert complaint in err
    assert file.read_text() == before
    assert mancala(f"play kalah:columns=2,seeds=1 --match games=5 --record {file}")[0] == 0
    for wrong, complaint in (
        ("match: kalah:columns=2,seeds=1 match:games=5 seed=x", "a match has match:OPTIONS"),
        ("match: kalah match:games=5 seed=1", "is not the next one of its match"),
        (f"{ma.read_records(file)[0].headers['match']}\nforfeit: west", "is south or north, not"),
    ):
        head = wrong if wrong.startswith("match:") else f"match: {wrong}"
        file.write_text(f"game: {game}\n{head}\n\nresult: *\n")
        code, _, err = mancala(f"play --record {file}")
        assert (code, err.count("\n")) == (2, 1)
        assert complaint in err
    file.write_text("game: kalah\n\nresult: *\n")
    code, _, err = mancala(f"play kalah --match games=3 --record {file}")
    assert code == 2
    assert "there is a game without one in" in err


def test_a_match_in_contract_mode(mancala, tmp_path):
    file = tmp_path / "match.txt"
    words = f"play omweso --match mode=contract --south human --north human --record {file}"
    _, out, _ = mancala(words, "m", "undo", f"load {file}", f"save {tmp_path}/other.txt", "quit")
    assert "in contract mode no move is taken back" in out
    assert "in a match no other game is loaded" in out
    assert match_in(tmp_path / "other.txt") == match_in(file)
    _, out, _ = mancala(f"play --record {file}", "undo")
    assert "in contract mode no move is taken back" in out
    _, out, _ = mancala(
        "play omweso --match mode=blitz --south human --north human --hints first", "m", "undo"
    )
    assert "contract" not in out


def test_annulled_games_end_a_match_in_the_end(mancala, tmp_path):
    file = tmp_path / "match.txt"
    words = "play omweso:max_laps=1 --match max_annulled=3 --south first --north first"
    code, out, _ = mancala(f"{words} --record {file}")
    assert code == 0
    assert out.endswith("The match is abandoned: 3 games in a row had no result.\n")
    assert [record.result for record in ma.read_records(file)] == ["0-0 annulled"] * 3


def test_long_games_are_broken_off(mancala, tmp_path):
    file = tmp_path / "match.txt"
    words = "play kalah --match max_plies=4,max_annulled=1 --south first --north human"
    code, out, _ = mancala(f"{words} --seed {first_mover('kalah', 0)} --record {file}", "1", "1")
    assert code == 0
    assert "The game is broken off after 4 decisions.\n" in out
    assert out.endswith("The match is abandoned: 1 game in a row had no result.\n")
    assert len(ma.read_record(file).actions) == 4
    code, out, _ = mancala(f"play --record {file}")
    assert out.endswith("The match is abandoned: 1 game in a row had no result.\n")


@pytest.fixture
def clock(monkeypatch, more_agents):
    """The clock of matches stands still, but for slow agents and ``typing``."""
    monkeypatch.setattr(matches, "perf_counter", lambda: Time.now)
    monkeypatch.setattr(Slow, "takes", 2.0)
    monkeypatch.setattr(Slow, "given", [])


@pytest.fixture
def typing(monkeypatch, clock):
    """Typing takes as many seconds as stand before a line; those are not seen."""
    asked = matches.Table._ask

    def ask(self, prompt):
        seconds, _, line = asked(self, prompt).rpartition(" s ")
        Time.now += float(seconds or 0)
        return line

    monkeypatch.setattr(matches.Table, "_ask", ask)


def test_an_agent_that_is_too_slow_loses_on_time(mancala, clock, tmp_path):
    file = tmp_path / "match.txt"
    words = "play omweso --match mode=blitz --south slow --north first --seed"
    code, out, err = mancala(f"{words} {first_mover('omweso', 0)} --record {file}")
    assert (code, err) == (0, "")
    assert out.endswith("\nScore: slow 0, first 12. first wins the match.\n")
    assert "South took 3.00 s of 3 s for a turn: North wins on time." in out
    assert "North took 3.50 s of 3 s for a turn: South wins on time." in out  # it failed, too late
    assert set(Slow.given) == {1.5}
    records = ma.read_records(file)
    assert len(records) == 12
    for record in records:
        assert record.headers[record.headers["forfeit"]] == "slow"
        assert record.result == "*"
    assert len(records[0].actions) == 4  # it was in time twice


def test_an_agent_that_fails_in_time_ends_the_command(mancala, clock, tmp_path):
    file = tmp_path / "match.txt"
    words = f"play omweso --match mode=blitz --south failing --north first --record {file}"
    assert mancala(words)[::2] == (2, "mancala: failing: no idea\n")
    assert "forfeit" not in ma.read_record(file).headers


def test_all_decisions_of_a_turn_have_one_limit(mancala, typing):
    rng, states = random.Random(1), []
    while not (states and states[-1].phase == "lap"):
        if not states or states[-1].is_terminal:
            states, typed = [ma.make("omweso").initial_state()], []
        action = rng.choice(states[-1].legal_actions())
        typed.append(states[-1].action_to_text(action))
        states.append(states[-1].apply(action))
    typed.append(states[-1].action_to_text(states[-1].legal_actions()[0]))
    words = "play omweso --match mode=blitz --south human --north human --hints first"
    for seconds, late in ((1.4, 0), (1.5, 1)):
        _, out, _ = mancala(words, *typed[:-2], *(f"{seconds} s {text}" for text in typed[-2:]))
        assert out.count("took 3.00 s of 3 s for a turn") == late


def test_a_person_who_is_too_slow_loses_on_time(mancala, typing, tmp_path):
    file = tmp_path / "match.txt"
    seed = first_mover("omweso", 0)
    words = (
        f"play omweso --match mode=blitz --south human --north first --hints first --seed {seed}"
    )
    typed = ["2.9 s m", "1.5 s help", "1.6 s j"]  # in time; too late, and not played
    code, out, _ = mancala(f"{words} --record {file}", *typed)
    assert code == 0
    assert "\nSouth took 3.10 s of 3 s for a turn: North wins on time.\n" in out
    one, two = ma.read_records(file)
    assert one.headers["forfeit"] == "south"
    assert [one.states()[at].player for at in range(len(one.actions))] == [0, 1]
    assert "Game 2. Score: human 0, first 1.\nomweso: South is first, North is human." in out
    assert two.headers["north"] == "human"
    again = f"play --hints first --record {file}"
    code, out, _ = mancala(again, "4 s undo")
    assert "North took 4.00 s of 3 s for a turn: South wins on time." in out
    assert "Score: human 0, first 2." in out
    code, out, _ = mancala(again, "2 s m", "5 s quit")
    assert out.count("wins on time") == 1
    assert ma.read_records(file)[-1].headers["forfeit"] == "south"
    assert match_in(file).score == (0, 2)


def test_arranging_is_not_on_the_clock(mancala, typing, tmp_path):
    file = tmp_path / "match.txt"
    words = "play omweso:setup=arrange --match mode=blitz --south human --north human --hints first"
    arranged = [f"9 s {pit}" for pit in "ijklmnop" for _ in range(4)] * 2
    _, out, _ = mancala(f"{words} --record {file}", *arranged, "2 s m", "2.5 s m", "3 s j")
    assert out.count("wins on time") == 1
    assert len(ma.read_records(file)[0].actions) == 66


# Replay ----------------------------------------------------------------------


@pytest.fixture
def record_file(tmp_path):
    record = ma.Record(ma.make("kalah"), [2, 5, 0], {"event": "tea"}, {0: "so", 2: "a\nb"})
    ma.write_record(record, tmp_path / "game.txt")
    return tmp_path / "game.txt"


def test_replay_prints_all_positions(mancala, record_file):
    code, out, err = mancala(["replay", str(record_file)])
    assert (code, err) == (0, "")
    states = after(ma.make("kalah").initial_state(), "3", "6", "1")
    assert boards(out, states[0]) == list(map(str, states))
    assert out.startswith("game: kalah\nevent: tea\n; so\n\n")
    assert "\n2. South plays 6: 5 seeds from 6 to North's 4\n; a\n; b\n\n" in out
    assert out.endswith("\nresult: *\n")


def test_replay_check(mancala, record_file):
    code, out, _ = mancala(["replay", str(record_file), "--check"])
    assert (code, out) == (0, f"{record_file}: OK, kalah, 3 moves, result *\n")
    text = record_file.read_text()
    record_file.write_text(text.replace("2. north 1", "2. north 7"))
    for words in (["--check"], []):
        code, out, err = mancala(["replay", str(record_file), *words])
        assert (code, out) == (2, "")
        line = 1 + text.splitlines().index("2. north 1")
        reason = "no legal move '7' here; the legal moves are: 1 2 3 4 5 6"
        assert err == f"mancala: {record_file}: line {line}: move 3: {reason}\n"


# On a terminal -----------------------------------------------------------------


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words, columns=80, **environment):
        pty = pytest.importorskip("pty")
        self.end, other = pty.openpty()
        size = {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm"}
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=other,
            stdout=other,
            stderr=other,
            env={**clean, **size, **environment},
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(other)
        self.shown = ""

    def read_until(self, text):
        """What appears up to a text."""
        begin = len(self.shown)
        while text not in self.shown[begin:]:
            self.shown += self.read()
        return self.shown[begin:]

    def read(self):
        assert select([self.end], [], [], 120)[0], f"nothing more appears: {self.shown}"
        return os.read(self.end, 65536).decode()

    def type(self, text):
        os.write(self.end, text.encode())

    def interrupt(self):
        """Ctrl-C, until it is heard: Python waits on when one comes just before it waits."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=5)

    def finish(self):
        """The exit code, once everything was shown."""
        try:
            while text := self.read():
                self.shown += text
        except OSError:  # the other end is closed: Linux says so by an error
            pass
        os.close(self.end)
        return self.process.wait(timeout=60)


def test_play_in_colour_and_end_by_control_c(tmp_path):
    file = tmp_path / "game.txt"
    terminal = Terminal("play", "kalah", "--north", "human", "--record", str(file))
    terminal.read_until("South> ")
    terminal.type("3\n")
    assert "\x1b[1;32m  5" in terminal.read_until("South> ")  # a pit that gained a seed
    terminal.type("undo\n3\n6\n")
    terminal.read_until("North> ")
    terminal.interrupt()
    assert terminal.finish() == 130
    assert terminal.shown.endswith("\r\nmancala: interrupted\r\n")
    assert "Traceback" not in terminal.shown
    assert ma.read_record(file).actions == (2, 5)


SLOW = """
import sys
from threading import Event
from mancala_ai.agents import Agent, registry
from mancala_ai.cli import main

class Slow(Agent):
    NAME, searching = "slow", False
    def choose(self, state, seconds):
        self.searching = True
        print("searching", flush=True)
        Event().wait()
    def close(self):
        if self.searching:
            Event().wait()  # until it has ended

registry._agent_class = lambda name: Slow
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words", ["play kalah --south slow --north slow --hints slow", "analyse kalah --agent slow"]
)
def test_control_c_does_not_wait_for_an_agent(words):
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            while process.stdout.readline() != "searching\n":
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert process.stderr.read() == "mancala: interrupted\n"
        finally:
            process.kill()


def test_no_colour_where_none_is_wanted_and_a_narrow_terminal():
    words = ["play", "tsoro", "--north", "human"]
    terminal = Terminal(*words, columns=70, NO_COLOR="1")
    shown = terminal.read_until("South> ")
    terminal.type("\x04")
    assert terminal.finish() == 0
    assert "\x1b[3" not in shown
    assert "\x1b[1" not in shown
    assert max(map(len, shown.splitlines())) <= 70


def test_replay_steps(record_file):
    terminal = Terminal("replay", str(record_file), NO_COLOR="1")
    for typed, told in [
        ("", "so"),
        ("\n", "1. South plays 3"),
        ("2\n", "2. South plays 6"),
        ("b\n", "1. South plays 3"),
        ("9\n", "(0 to 3)"),
        ("3\n", "3. North plays 1"),
    ]:
        terminal.type(typed)
        shown = terminal.read_until(" of 3] ")
        assert told in shown
    terminal.type("\n")  # there is nothing after the last position
    assert terminal.finish() == 0
