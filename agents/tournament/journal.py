"""The journal of a tournament: every finished game, one JSON line each, before it counts.

The first line holds the settings. A process may be killed at any moment: a last line that
was not finished is dropped when the journal is opened again, and its game is played again.
A line that is damaged elsewhere is named, and nothing is done. Who writes holds a lock,
which the system takes back however he ends.

Read next: ``standing.py``, ``running.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, BinaryIO, cast

from filelock import FileLock, Timeout

from mancala_ai.errors import TournamentError, shown
from mancala_ai.record import Record
from mancala_ai.registry import make
from mancala_ai.state import PLAYERS

from .plan import Plan
from .playing import Outcome

VERSION = 1
_COMPACT = (",", ":")


class Journal:
    """The journal of a plan in a file, open for writing; a context manager.

    Parameters
    ----------
    path : str or Path
        Made if it does not exist. A file ``path.lock`` lies beside it while it is open.
    plan : Plan

    Raises
    ------
    TournamentError
        If another process writes it, it is damaged, or it belongs to another plan.
    OSError
        If it cannot be written.
    """

    def __init__(self, path: str | Path, plan: Plan) -> None:
        self.path, self._plan = Path(path), plan
        self.path.open("ab").close()  # or say why not, before a lock makes its folder
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise TournamentError(
                f"{self.path}: another tournament is writing this journal"
            ) from None
        try:
            self._file = self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> BinaryIO:
        with naming(self.path, 1):
            for settings in _first_line(self.path):
                self._plan.check_same(settings)
        file = self.path.open("ab")
        _drop_torn_line(file, self.path)
        if file.tell() == 0:
            file.write(_line({"version": VERSION, "settings": self._plan.settings()}))
            file.flush()
        return file

    def outcomes(self) -> Iterator[Outcome]:
        """The games in it that belong to the plan, in the order of the file."""
        for line, outcome in enumerate(read_outcomes(self.path), 2):
            if outcome["number"] >= self._plan.total:
                continue
            with naming(self.path, line):
                self._check_fixture(outcome)
            yield outcome

    def _check_fixture(self, outcome: Outcome) -> None:
        fixture, agents = self._plan.fixture(outcome["number"]), self._plan.agents
        wanted = fixture.game, agents[fixture.south], agents[fixture.north]
        found = outcome["game"], outcome["south"], outcome["north"]
        if wanted != found:
            raise TournamentError(f"game {fixture.number} is {wanted} in the plan, not {found}")

    def append(self, outcome: Outcome) -> None:
        """Add a game; when this returns, it survives the end of this process."""
        self._file.write(_line(outcome))
        self._file.flush()

    def close(self) -> None:
        """Close the file and let others write."""
        self._file.close()
        self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_settings(path: str | Path) -> dict[str, Any]:
    """The settings of the tournament in a journal. TournamentError if it has none."""
    with naming(path, 1):
        for settings in _first_line(Path(path)):
            return settings
        raise TournamentError("it is empty")


def read_outcomes(path: str | Path) -> Iterator[Outcome]:
    """The games of a journal one after the other; a torn last line is passed over.

    Raises
    ------
    TournamentError
        At a damaged line, naming it.
    """
    seen = bytearray()
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1 or not line.endswith(b"\n"):
                continue
            with naming(path, number):
                outcome = _read_outcome(line)
                _note_once(seen, outcome["number"])
            yield outcome


def read_record(path: str | Path, number: int) -> Record:
    """One game of a journal as a record.

    Raises
    ------
    TournamentError
        If the journal does not have it, or is damaged before it.
    """
    for outcome in read_outcomes(path):
        if outcome["number"] == number:
            return _record(outcome)
    raise TournamentError(f"{path}: there is no game {number}")


def _record(outcome: Outcome) -> Record:
    game = make(outcome["game"])
    fault = outcome["fault"]
    headers = {name: outcome[name] for name in PLAYERS}  # type: ignore[literal-required]
    comments = {outcome["opening"]: "the opening ends here"} if outcome["opening"] else {}
    if fault is not None:
        headers["forfeit"] = fault["player"]
        comments[len(outcome["moves"])] = f"{fault['player']} lost: {fault['message']}"
    start = game.state_from_text(outcome["position"])
    return Record(game, tuple(outcome["moves"]), headers, comments, start)


def _note_once(seen: bytearray, number: int) -> None:
    """Note a game; TournamentError if it was noted before."""
    if number >= len(seen):
        seen.extend(bytes(max(number + 1 - len(seen), len(seen), 1024)))
    if seen[number]:
        raise TournamentError(f"game {number} occurs twice")
    seen[number] = 1


@contextmanager
def naming(path: str | Path, line: int) -> Iterator[None]:
    """Say of errors in which line they are."""
    try:
        yield
    except TournamentError as error:
        raise TournamentError(f"{path}:{line}: {error}") from None


def _line(value: object) -> bytes:
    return json.dumps(value, separators=_COMPACT, allow_nan=False).encode() + b"\n"


def _read_json(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise TournamentError(
            f"not a line of a journal: {shown(line.decode(errors='replace'))}"
        ) from None
    if not isinstance(value, dict):
        raise TournamentError(f"not a line of a journal: {shown(value)}")
    return value


def _first_line(path: Path) -> Iterator[dict[str, Any]]:
    """The settings in the first line, if it is there and finished."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        line = file.readline()
    if line.endswith(b"\n"):
        value = _read_json(line)
        if value.get("version") != VERSION or not isinstance(value.get("settings"), dict):
            raise TournamentError(f"not the first line of a journal of version {VERSION}")
        yield value["settings"]


def _drop_torn_line(file: BinaryIO, path: Path) -> None:
    """Cut off what follows the last newline."""
    size = file.seek(0, 2)
    with path.open("rb") as reader:
        end = size
        while end > 0:
            begin = max(0, end - 4096)
            reader.seek(begin)
            newline = reader.read(end - begin).rfind(b"\n")
            if newline >= 0:
                end = begin + newline + 1
                break
            end = begin
    if end < size:
        file.truncate(end)
    file.seek(0, 2)


_KINDS = {
    "number": int, "game": str, "south": str, "north": str, "seeds": list, "position": str,
    "opening": int, "moves": list, "result": (int, NoneType), "points": list, "ending": str,
    "seconds": list, "late": (int, float),
}  # fmt: skip


def _read_outcome(line: bytes) -> Outcome:
    value = _read_json(line)
    for name, kind in _KINDS.items():
        if not isinstance(value.get(name), kind):  # type: ignore[arg-type]
            raise TournamentError(f"field {name} of a game cannot be {shown(value.get(name))}")
    if value["result"] not in (-1, 0, 1, None) or value["number"] < 0:
        raise TournamentError(f"a game {value['number']} with result {value['result']}")
    return cast(Outcome, value)
