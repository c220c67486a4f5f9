"""What ``mancala bench --peers`` found: JSON, tables, a plot.

Every figure is the median of nine rounds. Its interval goes from the second lowest to the
second highest, which covers the median of such rounds with a probability of 96 %, however
they are distributed. Ratios are taken within a round, as those measured together share what
disturbs the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from statistics import median
from typing import Any, TextIO

from .. import BenchmarkError
from ..machine import describe_machine
from ..throughput import ROUNDS
from .running import ROWS, Measured
from .worker import PEERS

KINDS = {
    "games": ("Random games", "whole games in compiled code, nothing shown"),
    "states": ("States", "games played from Python, some calls a decision"),
    "batch": ("Batches", f"{ROWS:,} games at once, with observations and masks"),
    "environment": ("Environments", "one game at a time, observed, by the loop of its library"),
}
HEADERS = ("game", "program", "games/s", "decisions/s", "interval", "ours : it")
NUMBERS = HEADERS[2:]
COVERAGE = 1 - 2 * (1 + ROUNDS) / 2**ROUNDS  # of the intervals, by the binomial distribution
OURS = PEERS["mancala_ai"].title
_COLOURS = {OURS: "#0072b2", "C": "#444444"}  # Okabe and Ito's, seen by everybody
_OTHER_COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_MARKERS = "oDs^vPX"


def report(measured: Measured, command: str, seconds: float) -> dict[str, Any]:
    """All figures, ready for JSON."""
    ours = {
        (entry.kind, entry.beside): speeds
        for entry, speeds in zip(measured.entries, measured.speeds, strict=True)
        if entry.program == OURS
    }
    rows = []
    for entry, speeds in zip(measured.entries, measured.speeds, strict=True):
        row: dict[str, Any] = {
            "kind": entry.kind,
            "game": entry.beside,
            "program": entry.program,
            "plays": entry.game,
            "same_rules": entry.same_rules,
            "note": entry.note,
            "games_per_second": _summary([speed.games for speed in speeds]),
            "decisions_per_second": _summary([speed.decisions for speed in speeds]),
        }
        if entry.program != OURS:
            pairs = zip(ours[entry.kind, entry.beside], speeds, strict=True)
            row["decisions_ratio"] = _summary([a.decisions / b.decisions for a, b in pairs])
        rows.append(row)
    return {
        "machine": describe_machine(),
        "command": command,
        "setting": {
            "processors": 1,
            "threads": 1,
            "rounds": ROUNDS,
            "seconds": seconds,
            "games_in_a_batch": ROWS,
            "interval_coverage": COVERAGE,
        },
        "programs": measured.programs,
        "skipped": measured.skipped,
        "rows": rows,
    }


def _summary(values: Sequence[float]) -> dict[str, float]:
    """The median and its interval."""
    ordered = sorted(values)
    return {"median": median(ordered), "low": ordered[1], "high": ordered[-2]}


# Tables -------------------------------------------------------------------------


def tables(found: dict[str, Any]) -> Iterator[tuple[str, list[list[str]], list[str]]]:
    """For each kind a title, the cells below ``HEADERS``, and what is not the same."""
    for kind, (title, what) in KINDS.items():
        rows = [row for row in found["rows"] if row["kind"] == kind]
        if rows:
            notes = {_label(row): row["note"] for row in rows if row["note"]}
            listed = [f"{label}: {note}." for label, note in notes.items()]
            yield f"{title}: {what}", [_cells(row) for row in rows], listed


def _label(row: dict[str, Any]) -> str:
    """A program, and what it plays if that is another game than ours."""
    return str(row["program"]) + ("" if row["same_rules"] else f" {row['plays']}")


def _cells(row: dict[str, Any]) -> list[str]:
    speed, ratio = row["decisions_per_second"], row.get("decisions_ratio")
    games = row["games_per_second"]["median"]
    return [
        row["game"],
        _label(row),
        f"{games:,.0f}" if games else "-",  # too slow for a batch to come to an end
        f"{speed['median']:,.0f}",
        f"{speed['low']:,.0f} to {speed['high']:,.0f}",
        "" if ratio is None else f"{ratio['median']:.2f}",
    ]


def remarks(found: dict[str, Any]) -> Iterator[str]:
    """What was measured how, and who was not."""
    yield (
        f"Medians of {ROUNDS} rounds in turns, with intervals that cover them with "
        f"{COVERAGE:.0%}; one processor, one thread, random moves; {HEADERS[-1]} is of decisions/s."
    )
    for skipped in found["skipped"]:
        yield f"{skipped['name']} is left out: {skipped['reason']}."


def write_markdown(found: dict[str, Any], file: TextIO) -> None:
    """Write the tables, and what they were measured on."""
    for title, rows, notes in tables(found):
        lines = [HEADERS, ["-:" if header in NUMBERS else "-" for header in HEADERS], *rows]
        file.write(f"## {title}\n\n")
        file.writelines(f"| {' | '.join(line)} |\n" for line in lines)
        file.write("\n")
        file.writelines(f"- {note}\n" for note in notes)
        file.write("\n" if notes else "")
    file.write("## How\n\n")
    file.writelines(f"- {remark}\n" for remark in remarks(found))
    machine = found["machine"]
    file.write(f"- {machine['cpu']}, {machine['platform']}, {machine['date']}.\n")
    for program in found["programs"]:
        packages = [f"{name} {number}" for name, number in program["packages"].items() if number]
        python = [f"Python {program['python']}"] if "python" in program else []
        if packages or python:
            file.write(f"- {program['name']}: {', '.join(packages + python)}.\n")
    file.write(f"- `{found['command']}`\n")


# The plot -----------------------------------------------------------------------


def check_plot_possible() -> None:
    """BenchmarkError if a plot cannot be drawn for want of a library."""
    try:
        import_module("matplotlib.figure")
    except ImportError:
        raise BenchmarkError(
            '--out draws a plot, which needs matplotlib: pip install "mancala-ai[report]"'
        ) from None


def write_plot(found: dict[str, Any], path: Any) -> None:
    """Draw decisions a second of everybody, with intervals, to a PNG file."""
    games = list(dict.fromkeys(row["game"] for row in found["rows"]))
    labels = list(dict.fromkeys(_label(row) for row in found["rows"]))
    others = [label for label in labels if label not in _COLOURS]
    colours = _COLOURS | dict(zip(others, _OTHER_COLOURS * len(others), strict=False))
    figure = import_module("matplotlib.figure").Figure(
        figsize=(11, 2 + 0.6 * len(games)), layout="constrained"
    )
    panels = figure.subplots(2, 2, sharex=True, sharey=True).flat
    handles = {}
    for panel, (kind, (title, what)) in zip(panels, KINDS.items(), strict=True):
        for row in found["rows"]:
            if row["kind"] == kind:
                label, speed = _label(row), row["decisions_per_second"]
                place = labels.index(label)
                handles[label] = panel.errorbar(
                    [speed["median"]],
                    [games.index(row["game"]) + 0.1 * (place - len(labels) / 2)],  # side by side
                    xerr=[[speed["median"] - speed["low"]], [speed["high"] - speed["median"]]],
                    color=colours[label], marker=_MARKERS[place % len(_MARKERS)], markersize=5,
                    linestyle="none", capsize=2,
                )  # fmt: skip
        panel.set_title(title, loc="left", fontsize=10, fontweight="bold")
        panel.set_xlabel(f"decisions/s, {what}", fontsize=8)
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter(import_module("matplotlib.ticker").EngFormatter())
        panel.set_yticks(range(len(games)), games)
        panel.set_ylim(len(games) - 0.4, -0.6)
        panel.tick_params(labelsize=8, labelbottom=True)
        panel.grid(axis="x", which="major", color="#dddddd")
        panel.spines[["top", "right"]].set_visible(False)
    figure.legend(
        [handles[label] for label in labels], labels, loc="outside lower center", ncols=4,
        frameon=False, fontsize=9,
    )  # fmt: skip
    machine = found["machine"]
    figure.suptitle(
        f"Random play on one core of {machine['cpu']}, {str(machine['date'])[:10]}", fontsize=11
    )
    figure.savefig(path, format="png", dpi=150)
