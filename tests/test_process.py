"""Engines in processes of their own: good ones, and all the ways in which they fail.

The engines are small Python programs, and ``serve`` with our own agents. They wait for
what never comes, or for the test, on a named pipe; none sleeps.
"""

from __future__ import annotations

import gc
import os
import re
import select
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mancala_ai as ma
from mancala_ai.agents import make_agent, process
from mancala_ai.agents.process import read_info, write_info
from mancala_ai.agents.serve import Server
from mancala_ai.errors import AgentError, ArgumentError, OptionError

# how a message begins: it quotes the command, a long one not to its end
NAMED = 'engine "' + re.escape(sys.executable[:50])

PROTOCOL = Path(__file__).parents[1] / "docs" / "engine_protocol.md"
SERVE = f"{shlex.quote(sys.executable)} -m mancala_ai.agents.serve"
START = ma.make("kalah").initial_state()

ENGINE = """
import os, signal, subprocess, sys, threading
from pathlib import Path
here = Path(__file__).parent
def note(text):
    with here.joinpath("notes").open("a") as file:
        file.write(text + "\\n")
def hang():
    threading.Event().wait()
note(f"pid {{os.getpid()}}")
{first}
for line in sys.stdin:
    note(line.strip())
    word = line.split()[0]
    {then}
    if word == "quit":
        break
    print("action 0" if word == "go" else "ready", flush=True)
"""


@pytest.fixture
def fake(tmp_path):
    """Agents whose engine does something ``first``, and ``then`` something with each word."""
    agents = []

    def make(then="pass", first="pass", timeout=60.0, seed=0):
        script = tmp_path / "an engine.py"
        script.write_text(ENGINE.format(then=then, first=first), encoding="utf-8")
        cmd = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
        agents.append(make_agent("process", seed=seed, cmd=cmd, timeout=timeout))
        return agents[-1]

    yield make
    for agent in agents:
        agent.close()


@pytest.fixture
def notes(tmp_path):
    """What the engines were told, and the numbers of their processes."""

    def read(pids=False):
        lines = tmp_path.joinpath("notes").read_text().splitlines()
        if pids:
            return [int(line.split()[1]) for line in lines if line.startswith("pid ")]
        return [line for line in lines if not line.startswith("pid ")]

    return read


@pytest.fixture
def held(tmp_path):
    """A pipe ``here / "held"`` that processes hold; tells whether all have ended."""
    path = tmp_path / "held"
    os.mkfifo(path)
    end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield lambda: bool(select.select([end], [], [], 30)[0]) and os.read(end, 100) == b""
    os.close(end)


def assert_gone(pids):
    """The processes have ended and were waited for."""
    assert pids
    for pid in pids:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# Engines that work ------------------------------------------------------------


def test_what_an_engine_is_told(fake, notes):
    agent = fake(seed=-7)
    assert agent.act(START) == 0
    assert agent.act(START.apply(0), seconds=2.5) == 0
    agent.reset()
    assert agent.act(START) == 0
    other = ma.make("omweso", akakyala=True).initial_state()
    assert agent.act(other, seconds=1) == 0
    agent.close()
    first, second = START.to_text(), START.apply(0).to_text()
    assert notes() == [
        "mancala 1", "seed -7",
        "newgame kalah", f"position {first}", "go",
        f"position {second}", "go seconds 2.5",
        "newgame kalah", f"position {first}", "go",
        "newgame omweso:akakyala=True", f"position {other.to_text()}", "go seconds 1.0",
        "quit",
    ]  # fmt: skip
    assert_gone(notes(pids=True))


def test_an_engine_is_ready_before_the_first_action(fake, notes):
    agent = fake()
    agent.prepare(START)
    assert notes() == ["mancala 1", "seed 0", "newgame kalah"]
    agent.act(START)
    assert notes()[3:] == [f"position {START.to_text()}", "go"]


def test_what_an_engine_says_it_found(fake):
    agent = fake(
        'if word == "go": print("info depth=3 nodes=9 taste=sweet\\r\\n'
        'info depth=4 value=-1.5 principal_variation=0,2")'
    )
    agent.act(START)
    found = {key: agent.last_info[key] for key in agent.last_info if key != "seconds"}
    assert found == {
        "action": 0, "depth": 4, "nodes": 9, "value": -1.5, "objective": "margin",
        "principal_variation": [0, 2],
    }  # fmt: skip
    agent.act(ma.make("tsoro").initial_state())
    assert agent.last_info["objective"] == "win"


def test_information_is_written_and_read_back():
    info = {
        "objective": "win", "value": 0.1, "proven": True, "depth": 12, "nodes": 10**10,
        "nodes_per_second": 1e7 / 3, "num_simulations": 5, "simulations_per_second": 2.5,
        "principal_variation": [3, 0, 41], "memory": 1 << 33,
    }  # fmt: skip
    assert read_info(write_info({**info, "action": 3, "seconds": 1.0})) == info
    protocol = PROTOCOL.read_text(encoding="utf-8")
    assert all(f"`{key}`" in protocol for key in info)


def test_a_position_longer_than_a_pipe_arrives_whole(fake, notes):
    game = ma.make("oware", repetition="split_rows")
    earlier = [number for n in range(2600) for number in (*divmod(n, 100), *(2,) * 10, 1)]
    state = game.state([[4] * 6] * 2, seen=earlier)
    assert len(state.to_text()) > 1 << 16
    agent = fake()
    assert agent.act(state) == 0
    assert f"position {state.to_text()}" in notes()

    deaf = fake('if word == "go": print("action 0", flush=True); hang()')
    deaf.act(game.initial_state())
    deaf.options = {**deaf.options, "timeout": 0.05}
    with pytest.raises(AgentError, match="did not answer 'position"):
        deaf.act(state)


def test_starting_is_not_on_the_clock(fake, notes, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "go")
    agent = fake(first='here.joinpath("go").read_text()')  # which waits for a writer
    monkeypatch.setattr(process, "GRACE", 0.0)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(agent.act, START, 0.01)
        with pytest.raises(TimeoutError):
            acting.result(0.1)
        monkeypatch.setattr(process, "GRACE", 60.0)
        tmp_path.joinpath("go").write_text("")
        assert acting.result() == 0
    assert notes()[-1] == "go seconds 0.01"


def test_the_engine_in_the_documentation(tmp_path):
    (program,) = re.findall("```python\n(# file.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.S)
    tmp_path.joinpath("engine.py").write_text(program, encoding="utf-8")
    cmd = shlex.join([sys.executable, str(tmp_path / "engine.py")])
    agent, first = make_agent("process", cmd=cmd), make_agent("first")
    state = START
    while not state.is_terminal:
        action = agent.act(state)
        assert action == first.act(state)
        state = state.apply(action)
    with pytest.raises(AgentError, match="plays kalah only' to 'newgame oware'"):
        agent.act(ma.make("oware").initial_state())
    agent.close()


# Engines that fail ------------------------------------------------------------


def test_an_engine_that_does_not_even_answer_at_first(fake):
    with pytest.raises(AgentError, match=r"did not answer 'mancala 1' in 0\.2 s"):
        fake(first="hang()", timeout=0.2).act(START)


@pytest.mark.parametrize("word", ["newgame", "position", "go"])
def test_an_engine_that_hangs_without_a_clock(fake, notes, monkeypatch, word):
    ask = process._Engine.ask

    def impatient(self, line, seconds):
        assert seconds == 60.0
        return ask(self, line, 0.05 if line.startswith(word) else seconds)

    monkeypatch.setattr(process._Engine, "ask", impatient)
    with pytest.raises(AgentError, match=rf"^{NAMED}.* did not answer '{word}.* in 0.05 s"):
        fake(f'if word == "{word}": hang()').act(START)
    assert_gone(notes(pids=True))


def test_an_engine_that_hangs_under_a_clock(fake, notes, monkeypatch):
    monkeypatch.setattr(process, "GRACE", 0.04)
    with pytest.raises(AgentError, match=r"did not answer 'go seconds 0\.01' in 0\.05 s"):
        fake('if word == "go": hang()').act(START, seconds=0.01)
    assert_gone(notes(pids=True))


def test_what_an_engine_started_is_killed_with_it(fake, held, monkeypatch):
    monkeypatch.setattr(process, "GRACE", 0.04)
    agent = fake(
        first='wait = [sys.executable, "-c", "import threading; threading.Event().wait()"]\n'
        'subprocess.Popen(wait, stdout=here.joinpath("held").open("w"))',
        then='if word == "go": hang()',
    )
    with pytest.raises(AgentError, match="did not answer"):
        agent.act(START, seconds=0.01)
    assert held()


def test_a_process_that_keeps_the_pipe_holds_nothing_up(fake, held, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "end")
    monkeypatch.setattr(process, "PATIENCE", 0.05)
    monkeypatch.setattr(process, "GRACE", 0.04)
    agent = fake(
        first='subprocess.Popen(["cat", here.joinpath("end")], start_new_session=True,'
        ' stderr=here.joinpath("held").open("w"))',
        then='if word == "go": hang()',
    )
    with pytest.raises(AgentError, match="did not answer"):
        agent.act(START, seconds=0.01)
    agent.close()
    tmp_path.joinpath("end").write_text("")  # the other process ends
    assert held()


@pytest.mark.parametrize("word", ["mancala", "seed", "newgame", "position", "go"])
def test_an_engine_that_ends(fake, notes, word):
    agent = fake(f'if word == "{word}": sys.stdout.write("oh"); sys.exit(3)')
    with pytest.raises(AgentError, match=r"ended without an answer after 'oh' \(exit code 3\)"):
        agent.act(START)
    assert_gone(notes(pids=True))


def test_an_engine_that_closes_its_output(fake, notes):
    agent = fake('if word == "go": os.close(1); hang()')
    with pytest.raises(AgentError, match="ended without an answer"):
        agent.act(START)
    assert_gone(notes(pids=True))


def test_an_engine_that_has_ended_between_two_actions(fake, held):
    agent = fake(
        first='os.open(here.joinpath("held"), os.O_WRONLY)',  # closed by the end of the process
        then='if word == "go": print("action 0", flush=True); break',
    )
    assert agent.act(START) == 0
    assert held()
    with pytest.raises(AgentError, match=r"ended without an answer \(exit code 0\)"):
        agent.act(START)


def test_a_failed_engine_is_started_again(fake, notes):
    agent = fake(
        'if word == "go" and here.joinpath("notes").read_text().count("go") == 1: sys.exit(1)'
    )
    with pytest.raises(AgentError):
        agent.act(START)
    assert agent.act(START) == 0
    assert len(notes(pids=True)) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "action 6", "action 99", "action -1", "action", "action x", "action 0 0", "action 1.0",
        "Action 0", "0", "", "ready", "error it is too hard", "bestmove 0", "action \\u0660",
        "info depth=deep\\naction 0", "info depth\\naction 0", "info value=nan\\naction 0",
        "info objective=fun\\naction 0", "info proven=1\\naction 0",
        "info principal_variation=0,,1\\naction 0",
    ],
)  # fmt: skip
def test_answers_that_make_no_sense(fake, notes, answer):
    agent = fake(f'if word == "go": print("{answer}", flush=True); hang()')
    with pytest.raises(AgentError) as caught:
        agent.act(START)
    message = str(caught.value)
    assert "\n" not in message
    assert re.match(NAMED, message)
    assert answer.partition("\\n")[0].encode().decode("unicode_escape") in message
    assert_gone(notes(pids=True))


@pytest.mark.parametrize("word", ["mancala", "seed", "newgame", "position"])
def test_engines_that_are_not_ready(fake, word):
    agent = fake(f'if word == "{word}": print("error no", flush=True); hang()')
    with pytest.raises(AgentError, match=f"answered 'error no' to '{word} "):
        agent.act(START)


def test_bytes_that_are_no_text(fake):
    agent = fake('if word == "go": os.write(1, bytes([255, 0, 254, 10]))')
    with pytest.raises(AgentError, match="answered"):
        agent.act(START)


@pytest.mark.parametrize("end", ["", "\\n"])
def test_an_enormous_line(fake, notes, end):
    agent = fake(f'if word == "go": print("action " + "0" * 10**7, end="{end}"); hang()')
    with pytest.raises(AgentError, match="a line of more than 65536 bytes") as caught:
        agent.act(START)
    assert len(str(caught.value)) < 400
    assert_gone(notes(pids=True))


def test_ctrl_c_ends_the_engine(fake, notes):
    agent = fake('if word == "go": os.kill(os.getppid(), signal.SIGINT); hang()')
    with pytest.raises(KeyboardInterrupt):
        agent.act(START)
    assert_gone(notes(pids=True))


@pytest.mark.parametrize("cmd", ["/no/such/engine", str(Path(__file__).parent), "a\0b"])
def test_commands_that_cannot_be_started(cmd):
    with pytest.raises(AgentError, match=r"engine '.*' cannot be started") as caught:
        make_agent("process", cmd=cmd).act(START)
    assert "\n" not in str(caught.value)


# The end ----------------------------------------------------------------------


def test_an_engine_may_end_in_its_own_time(fake, notes):
    agent = fake('if word == "quit": note("tidied up"); break')
    agent.act(START)
    agent.close()
    agent.close()
    assert notes()[-2:] == ["quit", "tidied up"]
    assert_gone(notes(pids=True))
    with pytest.raises(AgentError, match="is closed"):
        agent.act(START)


def test_an_engine_that_ends_when_it_is_terminated(fake, notes, monkeypatch):
    monkeypatch.setattr(process, "PATIENCE", 1.0)
    agent = fake(
        first='def bye(*_): note("terminated"); os._exit(0)\nsignal.signal(signal.SIGTERM, bye)',
        then='if word == "quit": hang()',
    )
    agent.act(START)
    agent.close()
    assert notes()[-1] == "terminated"
    assert_gone(notes(pids=True))


def test_an_engine_that_has_to_be_killed(fake, notes, monkeypatch):
    monkeypatch.setattr(process, "PATIENCE", 0.05)
    agent = fake(
        first="signal.signal(signal.SIGTERM, signal.SIG_IGN)", then='if word == "quit": hang()'
    )
    agent.act(START)
    agent.close()
    assert_gone(notes(pids=True))


def test_an_agent_that_is_forgotten_ends_its_engine(notes, tmp_path):
    script = tmp_path / "engine.py"
    script.write_text(ENGINE.format(then="pass", first="pass"), encoding="utf-8")
    agent = make_agent("process", cmd=shlex.join([sys.executable, str(script)]))
    agent.act(START)
    del agent
    gc.collect()
    assert notes()[-1] == "quit"
    assert_gone(notes(pids=True))


def test_the_end_of_the_program_ends_its_engine(notes, tmp_path):
    script = tmp_path / "engine.py"
    script.write_text(ENGINE.format(then="pass", first="pass"), encoding="utf-8")
    program = (
        "import mancala_ai as ma; from mancala_ai.agents import make_agent\n"
        f"agent = make_agent('process', cmd={shlex.join([sys.executable, str(script)])!r})\n"
        "print(agent.act(ma.make('kalah').initial_state()))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert notes()[-1] == "quit"
    for pid in notes(pids=True):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# Options ----------------------------------------------------------------------


def test_the_command_takes_the_rest_of_a_spec():
    spec = "process:timeout=1.5,cmd=engine --a=1,b 'c d'"
    agent = make_agent(spec)
    assert agent.spec == spec
    assert agent._words == ["engine", "--a=1,b", "c d"]


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("process", "cmd of process is needed"),
        ("process:timeout=1", "cmd of process is needed"),
        ("process:cmd=", "not empty"),
        ("process:cmd=engine 'x", "No closing quotation"),
        ("process:timeout=0,cmd=engine", "timeout"),
        ("process:engine", "name=value"),
        ("process:command=engine", "cmd, timeout"),
    ],
)
def test_bad_options(spec, named):
    with pytest.raises(OptionError, match=named) as caught:
        make_agent(spec)
    assert "\n" not in str(caught.value)


# Our own agents as engines ----------------------------------------------------


def test_a_served_agent_plays_as_the_agent_does():
    served, agent = make_agent(f"process:cmd={SERVE} greedy", seed=3), make_agent("greedy", seed=3)
    for spec in ("kalah", "oware:columns=4"):
        state = ma.make(spec).initial_state()
        for _ in range(30):
            if state.is_terminal:
                break
            action = served.act(state, seconds=20)
            assert action == agent.act(state)
            state = state.apply(action)
        served.reset()
    served.close()


def test_an_engine_may_be_served_in_turn(fake, notes):
    agent = fake('if word == "go": print("info depth=4 value=1.0 proven=true")')
    server = Server(agent.spec)
    told = ["seed 9", "newgame kalah", f"position {START.to_text()}", "go seconds 1", "quit", "x"]
    *_, info, action = server.answers(told)
    assert (info, action) == ("info objective=margin value=1.0 proven=true depth=4", "action 0")
    assert "seed 9" in notes()
    server.close()
    assert_gone(notes(pids=True))


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "begins with mancala, seed, newgame, position, go or quit, not ''"),
        ("hello", "'hello'"),
        ("Go", "'Go'"),
        ("mancala", "1"),
        ("mancala 2", "'2'"),
        ("seed", "64-bit"),
        ("seed x", "'x'"),
        ("seed 99999999999999999999", "64-bit"),
        ("newgame", "unknown game ''"),
        ("newgame chess", "'chess'; the games are: tsoro"),
        ("newgame kalah:columns=0", "1 to 12"),
        ("position", "position ''"),
        ("position 1,2/3,4 south", "shape"),
        ("position 4,4,4,4,4,4/4,4,4,4,4,4 east", "'east'"),
        ("go fast", "'fast'"),
        ("go seconds", "'seconds'"),
        ("go seconds soon", "'seconds soon'"),
        ("go seconds 0", "positive"),
        ("go seconds nan", "positive"),
        ("go seconds -1", "positive"),
    ],
)
def test_lines_that_make_no_sense(line, named):
    ready = ["mancala 1", "newgame kalah", f"position {START.to_text()}"]
    *before, answer, again = Server("first").answers([*ready, line, "seed 1"])
    assert before == ["ready first", "ready", "ready"]
    assert answer.startswith("error ")
    assert named in answer
    assert "\n" not in answer
    assert again == "ready"


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["go"], "position comes before go"),
        (["position 4,4/4,4 south"], "newgame comes before position"),
        (["newgame kalah", "go"], "position comes before go"),
        (["newgame kalah", f"position {START.to_text()}", "position x", "go"], "comes before"),
        (["newgame kalah", f"position {START.to_text()}", "newgame x", "go"], "comes before"),
        (["newgame kalah", "position 0,0,0,0,0,0/0,0,0,0,0,0 south phase=over", "go"], "finished"),
    ],
)
def test_lines_that_come_too_early_or_too_late(lines, named):
    *_, answer = Server("first").answers(lines)
    assert answer.startswith("error ")
    assert named in answer


def test_the_command_that_serves():
    command = [*shlex.split(SERVE), "greedy"]
    told = f"mancala 1\n\xe9\nnewgame kalah\nposition {START.to_text()}\ngo\nquit\ngo\n"
    done = subprocess.run(command, input=told.encode(), capture_output=True, check=True)
    first, error, *rest = done.stdout.decode().splitlines()
    assert (first, error[:5]) == ("ready greedy", "error")
    assert [line.split()[0] for line in rest] == ["ready", "ready", "action"]
    assert done.stderr == b""
    refused = subprocess.run([*command[:-1], "chess"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("serve: unknown agent 'chess'")
    assert refused.stderr.count("\n") == 1


def test_finished_games_do_not_reach_the_engine(fake, tmp_path):
    over = ma.make("kalah").state([[0] * 6] * 2, phase="over")
    with pytest.raises(ArgumentError, match="finished"):
        fake().act(over)
    assert not tmp_path.joinpath("notes").exists()


@pytest.mark.parametrize(
    "told", ["objective=win value=55", "objective=win value=-0.5", "depth=-3", "nodes=-1"]
)
def test_information_that_makes_no_sense_is_refused(told):
    with pytest.raises(ValueError):
        read_info(told)


def test_an_empty_line_is_not_told():
    assert write_info({"principal_variation": [], "depth": 0}) == "depth=0"
