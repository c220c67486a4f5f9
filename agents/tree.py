"""One search tree in Python's hands: its arrays, its growth, and what it says of actions.

Read first: ``tree_kernels.py`` (how a tree is grown). Read next: ``mcts.py``.
"""

from __future__ import annotations

from threading import Event
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mancala_ai import kernels
from mancala_ai.errors import ArgumentError
from mancala_ai.state import State

from . import tree_kernels
from .tree_kernels import (
    BLOCK,
    MAX_DEPTH,
    MAX_ROLLOUT_PLIES,
    NODE,
    NONE,
    UNEXPANDED,
    Progress,
    Search,
    is_dominated,
)

SLICE_SECONDS = 0.005  # between two looks at the clock; Ctrl-C is heard then
SCRATCH = 4  # bytes a node, of `promote`


class Tree:
    """A tree that begins at one position after the other and keeps what it still can use.

    Parameters
    ----------
    memory : int
        Bytes to take at most.
    seed : int
        A signed 64-bit integer. Simulations are numbered over all positions, so that each
        is another one.

    Attributes
    ----------
    root : State or None
        Where it begins; None if nothing is planted.
    nodes, rows : ndarray
        See ``tree_kernels.py``; the first ``progress.used`` are in use.
    progress : Progress
    """

    def __init__(self, memory: int, seed: int) -> None:
        self._memory, self._seed = memory, seed
        self.root: State | None = None
        self.progress = Progress(0, 0, 0)
        self.clear()

    def clear(self) -> None:
        """Give the memory back."""
        self.root = None
        self.nodes: NDArray[Any] = np.empty(0, NODE)
        self.rows: NDArray[np.uint8] = np.empty((0, 0), np.uint8)

    def __getstate__(self) -> dict[str, Any]:
        used = self.progress.used if self.root is not None else 0  # the rest means nothing
        return {**vars(self), "nodes": self.nodes[:used], "rows": self.rows[:used]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        nodes, rows = self.nodes, self.rows
        self._allot(rows.shape[1])
        self.nodes[: len(nodes)], self.rows[: len(rows)] = nodes, rows

    def _allot(self, size: int) -> None:
        """Take the memory for states of a size; ArgumentError where there is not so much."""
        capacity = self._memory // (NODE.itemsize + SCRATCH + size)
        try:
            self.nodes, self.rows = np.empty(capacity, NODE), np.empty((capacity, size), np.uint8)
        except MemoryError:
            mebibytes = self._memory / 2**20
            raise ArgumentError(f"there is no memory for a tree of {mebibytes:g} MiB") from None

    def begin_at(self, state: State, search: Search) -> None:
        """Make a position the root; ``search`` says what the tree is grown for, up to the seed."""
        used = self._keep(state) or self._plant(state, search.most)
        self.root = state
        self.progress = Progress(used, self.progress.next, 0)
        self._search = search._replace(seed=self._seed)
        self._past = self._history = None
        if state.game._counts_repetition:
            self._past = state._history_rows()
            room = len(self._past) + MAX_DEPTH + MAX_ROLLOUT_PLIES
            self._history = np.empty((2, room), np.int64)

    def _keep(self, state: State) -> int:
        """Make the node of a state the root; returns how many nodes are kept, 0 without one."""
        if self.root is None or self.root.game != state.game:
            return 0
        node = tree_kernels.find(self.nodes, self.rows, self.progress.used, state._row)
        if node == NONE or self._replay(node) != state:  # the same position after other ones
            return 0
        used = self.progress.used
        moved = np.empty(used, np.int32)
        return int(tree_kernels.promote(self.nodes, self.rows, used, node, moved))

    def _plant(self, state: State, most: int) -> int:
        """A tree that is a root alone."""
        size = state._row.shape[1]
        if self.rows.shape[1] != size:
            self._allot(size)
        root = self.nodes[0]
        root["total"], root["visits"], root["parent"], root["first"] = 0, 0, NONE, UNEXPANDED
        root["low"], root["high"], root["player"], root["count"] = -most, most, state.player, 0
        self.rows[0] = state._row[0]
        return 1

    # What it says

    @property
    def expanded(self) -> bool:
        return bool(self.nodes[0]["first"] > 0)

    @property
    def proven(self) -> bool:
        """Whether the result of the root at best play is known."""
        return bool(self.nodes[0]["low"] == self.nodes[0]["high"])

    @property
    def visits(self) -> int:
        return int(self.nodes[0]["visits"])

    @property
    def memory(self) -> int:
        """Bytes of the nodes in use."""
        return int(self.progress.used * (NODE.itemsize + self.rows.shape[1]))

    def children(self, node: int = 0) -> NDArray[Any]:
        """The children of an expanded node: a view, in no order."""
        first = int(self.nodes[node]["first"])
        return self.nodes[first : first + int(self.nodes[node]["count"])]

    def child_by(self, action: int) -> int:
        """The node that an action leads to from the root."""
        return int(self.nodes[0]["first"]) + int(np.argmax(self.children()["action"] == action))

    def line(self, node: int) -> list[int]:
        """The best line from a node on, as far as it was visited."""
        actions = []
        while self.nodes[node]["first"] > 0:
            children = self.children(node)
            best = Outlook(children, int(self.nodes[node]["player"]), self._search.most).best
            if children[best]["visits"] == 0:
                break
            actions.append(int(children[best]["action"]))
            node = int(self.nodes[node]["first"]) + best
        return actions

    def state_of(self, node: int) -> State:
        """The position of a node."""
        assert self.root is not None
        game = self.root.game
        if game._counts_repetition:  # what must not recur, only the way there tells
            return self._replay(node)
        row = self.rows[node : node + 1].copy()
        looked = game._act(game.rules, row, kernels.LOOK, 0, np.empty_like(row))
        ply = self.root.ply + len(self._actions_to(node))
        return State(game, row, looked, ply, game._captured_after(self.root, row), ())

    def _replay(self, node: int) -> State:
        assert self.root is not None
        state = self.root
        for action in self._actions_to(node):
            state = state.apply(action)
        return state

    def _actions_to(self, node: int) -> list[int]:
        actions = []
        while node != 0:
            actions.append(int(self.nodes[node]["action"]))
            node = int(self.nodes[node]["parent"])
        return actions[::-1]

    # Growth

    def roll_out(self, count: int, deadline: float | None, stop: Event) -> int:
        """Run simulations by rollouts, a slice at a time; returns how many.

        Fewer than ``count`` if the root is proven, the clock reaches ``deadline`` or
        ``stop`` is set.
        """
        assert self.root is not None
        rules, first = self.root.game.rules, self.progress.next
        end, part = first + count, BLOCK
        while self.progress.next < end and not stop.is_set():
            begin, number = perf_counter(), self.progress.next
            progress = tree_kernels.simulate(
                rules, self.nodes, self.rows, self._past, self._history, self.progress,
                min(number + part, end), self._search,
            )  # fmt: skip
            self.progress = Progress(*progress)
            now = perf_counter()
            if self.proven or (deadline is not None and now >= deadline):
                if deadline is not None:  # else the others run their share: no time shall tell
                    stop.set()
                break
            wanted = SLICE_SECONDS if deadline is None else min(SLICE_SECONDS, (deadline - now) / 2)
            part = BLOCK * max(1, int(part * wanted / (now - begin + 1e-9)) // BLOCK)
        return self.progress.next - first

    def gather(self, end: int, count: int) -> NDArray[np.int32]:
        """Begin at most ``count`` simulations up to number ``end``: the leaves to be judged."""
        leaves = np.empty(count, np.int32)
        found, progress = tree_kernels.gather(self.nodes, leaves, self.progress, end, self._search)
        self.progress = Progress(*progress)
        return leaves[:found]

    def absorb(
        self,
        leaves: NDArray[np.int32],
        priors: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> None:
        """Finish the simulations of gathered leaves."""
        assert self.root is not None
        progress = tree_kernels.absorb(
            self.root.game.rules, self.nodes, self.rows, self._past,
            leaves, priors, values, self.progress, self._search,
        )  # fmt: skip
        self.progress = Progress(*progress)


class Outlook:
    """What is known of the actions in a node, for the player who decides there.

    Attributes
    ----------
    visits, values : ndarray, shape (n,)
        Visits, and mean results within the bounds that are proven.
    sensible : ndarray of bool, shape (n,)
        Which actions may be the best: those proven to win, if any are; all if all are lost.
    best : int
        Which of them was visited most; of equal ones the better, then the lower action.
    value : float
        Its value, within the bounds of the node.
    proven : bool
        Whether the value is exact.
    """

    def __init__(self, children: NDArray[Any], player: int, most: int) -> None:
        sign = 1 if player == 0 else -1
        bounds = sign * np.array([children["low"], children["high"]], np.int64)
        lower, upper = np.sort(bounds, axis=0)
        guaranteed, possible = lower.max(), upper.max()
        self.visits = children["visits"]
        self.values = np.clip(sign * children["total"] / np.maximum(self.visits, 1), lower, upper)
        self.sensible = ~is_dominated(lower, upper, guaranteed, most)
        if not self.sensible.any():
            self.sensible[:] = True
        if guaranteed > 0:  # a win that is proven, whatever else may be hoped for
            self.sensible &= lower > 0
        ranks = (children["action"], -self.values, -self.visits, ~self.sensible)
        self.best = int(np.lexsort(ranks)[0])
        self.value = float(np.clip(self.values[self.best], guaranteed, possible))
        self.proven = bool(guaranteed == possible)


def merged(trees: list[Tree]) -> NDArray[Any]:
    """The children of the roots of several trees with the same root, added up, by action."""
    first, *others = (np.sort(tree.children(), order="action") for tree in trees)
    for other in others:
        first["visits"] += other["visits"]
        first["total"] += other["total"]
        first["low"] = np.maximum(first["low"], other["low"])
        first["high"] = np.minimum(first["high"], other["high"])
    return first


def line_after(trees: list[Tree], action: int) -> list[int]:
    """The best line after an action at their root, by the tree that visited it most."""
    places = [(tree, tree.child_by(action)) for tree in trees]
    tree, node = max(places, key=lambda place: int(place[0].nodes[place[1]]["visits"]))
    return tree.line(node)
