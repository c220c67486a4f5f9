"""The ``mancala`` command where people see it: terminals of any width, colours, shells."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import Screen

from mancala_ai.cli import app, main, start

pty = pytest.importorskip("pty")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

COMMAND = [sys.executable, "-m", "mancala_ai.cli"]
NAMES = [name for name in app if not name.startswith("-") and name != "start"]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3|4|9|10)[0-7]m")
MOVES_CURSOR = re.compile(r"\x1b\[[0-9;?]*[A-HJKf]|\x1b\[\?25[lh]")
OURS = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}


def environment(**changed):
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    return {**kept, "TERM": "xterm-256color", **changed}


def on_terminal(columns, line, typed="", stdout=None, **changed):
    """Exit code and all that a command writes to a terminal of so many columns.

    Stdout is the terminal too unless it is given.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    with subprocess.Popen(
        [*COMMAND, *shlex.split(line)],
        stdin=theirs,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env=environment(**changed),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        written = b""
        while chunk := _read(ours):
            written += chunk
    os.close(ours)
    return process.returncode, written.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # nobody writes to it any more
        return b""


def piped(line, **changed):
    """A command whose output goes to a pipe."""
    return subprocess.run(
        [*COMMAND, *shlex.split(line)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(**changed),
    )


# Start and help ---------------------------------------------------------------


def test_the_command_alone_says_what_to_do_next(capsys):
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 60
    for command in start.STEPS:
        assert command in out
        words = shlex.split(command)[1:]
        assert words[0] in NAMES
        assert app.parse_args(words, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_a_narrow_screen_and_its_examples_are_right(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: mancala {name} ")
    assert max(map(len, out.splitlines())) <= 60
    assert "default: False" not in out
    assert "--no-" not in out
    assert "STR" not in out
    lines = re.sub(r"\\\s+", "", out).splitlines()
    examples = [line.strip() for line in lines if re.match(r" +mancala [a-z]", line)]
    assert examples
    for example in examples:
        words = shlex.split(example)[1:]
        assert app.parse_args(words, exit_on_error=False, print_error=False)


def test_every_command_is_listed_in_reading_order(capsys):
    main(["--help"])
    out = capsys.readouterr().out
    places = [out.index(f" {name} ") for name in NAMES]
    assert places == sorted(places)
    assert NAMES[0] == "play"
    assert "start" not in out


@pytest.mark.parametrize(
    ("typed", "meant"), [("gmaes", "games"), ("tournment", "tournament"), ("Bench", "bench")]
)
def test_a_wrong_command_is_told_the_nearest_one(typed, meant, capsys):
    assert main([typed]) == 2
    assert f'Did you mean "{meant}"?' in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag, capsys):
    assert main([flag]) == 0
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+\n", capsys.readouterr().out)


# Widths -----------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 60, 120])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("games", ["hoyito_iii", "protected_heads", "no_capture,"]),
        ("perft kalah 2 --divide", ["total: 35"]),
        ("analyse kalah --agent alphabeta:depth=2", ["best line", "value", "depth"]),
        ("bench kalah --seconds 0.02", ["games/s", "decisions/s", "truncated"]),
        ("tournament kalah --agents first random --games 2 --jobs 1", ["Elo", "better"]),
    ],
)
def test_nothing_is_cut_off_on_any_terminal(columns, line, words, monkeypatch):
    """A table is shown whole, if need be row by row."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    assert main(line.split()) == 0
    shown = ESCAPE.sub("", screen.getvalue())
    assert "…" not in shown
    assert max(len(text.rstrip()) for text in shown.splitlines()) <= columns
    for word in words:
        assert word in shown


@pytest.mark.parametrize("columns", [40, 62, 63])
def test_a_wide_board_is_cut_into_parts_that_fit(columns):
    code, out = on_terminal(columns, "play tsoro --north first", typed="quit\n")
    assert code == 0
    drawn = [line for line in ESCAPE.sub("", out).splitlines() if re.match(" [ -]", line)]
    assert max(map(len, drawn)) <= columns
    dividers = [line for line in drawn if line.startswith(" --")]
    assert len(dividers) == (1 if columns == 63 else 2)
    assert sum(map(len, dividers)) == 63  # all columns are there


def test_output_to_a_pipe_is_whole_and_plain():
    wide, narrow = piped("games"), piped("games", COLUMNS="20")
    assert wide.stdout == narrow.stdout
    assert "\x1b" not in wide.stdout
    assert "arrange, random, or two lists of 16 seed counts that add up to 32 each" in wide.stdout


# Colours and progress ---------------------------------------------------------


def test_colours_on_a_terminal():
    code, out = on_terminal(80, "play kalah --south first --north first")
    assert code == 0
    assert COLOUR.search(out)


def test_no_color():
    for line in ("play kalah --south first --north first", "--help"):
        _, out = on_terminal(80, line, NO_COLOR="1")
        assert not COLOUR.search(out)


def test_force_color_colours_a_pipe_and_nothing_else():
    played = piped("play kalah --south first --north first", FORCE_COLOR="1")
    assert COLOUR.search(played.stdout)
    assert not MOVES_CURSOR.search(played.stdout)
    table = piped("games", FORCE_COLOR="1")
    assert ESCAPE.sub("", table.stdout) == piped("games").stdout
    measured = piped("bench kalah --seconds 0.02 --json -", FORCE_COLOR="1")
    assert json.loads(measured.stdout)["rows"]
    assert measured.stderr == ""


def test_a_terminal_that_can_do_nothing_gets_plain_lines():
    for line in ("bench kalah --seconds 0.02", "analyse kalah --agent alphabeta:depth=2"):
        code, out = on_terminal(80, line, TERM="dumb")
        assert code == 0
        assert "\x1b" not in out
        assert "looking at" not in out


def test_progress_goes_to_the_terminal_while_figures_go_to_the_pipe(tmp_path):
    target = tmp_path / "figures.txt"
    with target.open("w") as file:
        code, shown = on_terminal(80, "bench kalah --seconds 0.02", stdout=file)
    assert code == 0
    assert MOVES_CURSOR.search(shown)
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")  # the cursor is back
    figures = target.read_text()
    assert "\x1b" not in figures
    assert re.search(r"^kalah +[0-9,]+ +[0-9,]+ ", figures, re.M)


# Ends -------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["", "--help", "games --help", "games"])
def test_a_closed_pipe_is_no_error(line):
    script = f'"$0" -m mancala_ai.cli {line} | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(PYTHONUNBUFFERED="1"),
    )
    assert done.stdout.strip() in ("141", "0")  # 0: all was written before the pipe was closed
    assert done.stderr == ""


# Completion -------------------------------------------------------------------


def completed(capsys, *words):
    assert main(["__complete", *words]) == 0
    return [line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()[2:]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["play", ""], {"tsoro", "kalah"}),
        (["bench", "oware", ""], {"tsoro", "kalah"}),
        (["perft", "kalah:"], {"kalah:columns=", "kalah:seeds="}),
        (["bench", "tsoro:columns=8,"], {"tsoro:columns=8,bonus="}),
        (["play", "kalah", "--south", ""], {"human", "mcts"}),
        (["analyse", "kalah", "--agent", "alphabeta:"], {"alphabeta:depth="}),
        (["tournament", "kalah", "--agents", ""], {"greedy"}),
    ],
)
def test_names_of_games_agents_and_options_are_completed(capsys, words, expected):
    assert expected <= set(completed(capsys, *words))


def test_nothing_is_completed_after_a_name_that_is_none(capsys):
    assert completed(capsys, "play", "chess:") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_after_the_installation(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["--install-completion", "--shell", "bash"]) == 0
    told = capsys.readouterr().out
    script = Path(told.partition(" written")[0])
    assert script.is_relative_to(tmp_path)
    assert str(script) in (tmp_path / ".bashrc").read_text()
    command = tmp_path / "bin" / "mancala"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mancala_ai.cli "$@"\n')
    command.chmod(0o755)
    for words, expected in (
        ("mancala to", "tournament"),
        ("mancala play om", "omweso"),
        ("mancala play kalah --north gr", "greedy"),
        ("mancala bench --yard", "--yardstick"),
    ):
        typed = words.split()
        ask = (
            f'. "{script}"; COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; '
            '_mancala; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
        out = subprocess.run(
            ["bash", "-c", ask], capture_output=True, text=True, env=environment(PATH=path)
        )
        assert out.stdout.split() == [expected]


def test_completion_can_be_printed_for_any_shell(capsys):
    for shell in ("bash", "zsh", "fish", "powershell"):
        assert main(["--install-completion", "--show", "--shell", shell]) == 0
        assert "mancala" in capsys.readouterr().out


def test_an_unknown_shell_is_one_line(capsys, monkeypatch, tmp_path):
    for name in ("SHELL", "BASH_VERSION", "ZSH_VERSION", "FISH_VERSION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "PATH"):  # nothing there: `ps` is not found, which would tell the parent
        monkeypatch.setenv(name, str(tmp_path))
    assert main(["--install-completion"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("mancala: ") and "--shell" in err and err.count("\n") == 1
    assert main(["--install-completion", "--shell", "csh"]) == 2
    assert "csh" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
