"""Monte-Carlo tree search: ``mcts``, for every game.

By itself it is UCT: a simulation ends with a random game, played to its end. With an
*evaluator*, a Python function that judges batches of positions (a neural network, say), it
is PUCT, and nothing is played at random. In both, what is proven is not searched again,
and the part of the tree below the position that the game came to serves for the next move.

Read first: ``tree_kernels.py``, ``tree.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mancala_ai.errors import AgentError, ArgumentError, shown
from mancala_ai.fields import Option, RealOption, as_int
from mancala_ai.rng import mix
from mancala_ai.state import State

from .agent import LONGEST_SECONDS, OBJECTIVES, Agent, Info, is_real, natural_objective
from .tree import Outlook, Tree, line_after, merged
from .tree_kernels import BLOCK, Search

if TYPE_CHECKING:
    from mancala_ai.game import Game

Evaluator = Callable[[list[State]], tuple[ArrayLike, ArrayLike]]

DEFAULT_SIMULATIONS = 1000  # of a move for which neither they nor seconds are given
FORCED_SIMULATIONS = BLOCK  # where nothing is to be chosen: for an idea of the value
MOST_VISITS = 2**31 - 1  # of a node
ANSWER_SECONDS = 0.0005  # from the last simulation to the answer
MIB = 2**20


class MCTSAgent(Agent):
    """Monte-Carlo tree search.

    A simulation visits the tree down to a leaf and plays a random game from there; children
    are chosen by UCT with weight ``c``. With an evaluator, it is asked about the leaf instead,
    and children are chosen by PUCT with weight ``c_puct``. The weights are for values from 0
    to 1. An unvisited child counts as good as its parent (``tree_kernels.choose_child``).

    Of ``last_info``: ``visit_counts`` include the visits kept from earlier moves, ``depth``
    is that of the deepest leaf visited, ``memory`` is what the nodes in use take.

    Parameters
    ----------
    seed : int
        The seed, the threads, and the states shown so far decide the action, unless time
        does.
    evaluator : callable, optional
        Takes a list of n states and returns priors, (n, num_actions) numbers not below 0 that
        weigh the legal actions, and values, (n,) numbers from -1 to 1, the expected
        returns of the players who decide.
    **options
        As of every agent.

    Raises
    ------
    ArgumentError
        If an option needs or excludes an evaluator.
    """

    NAME = "mcts"
    OPTIONS = (
        Option("num_simulations", None, range(1, 10**9 + 1), "simulations of a move, at most"),
        RealOption("seconds", None, (0.001, LONGEST_SECONDS), "time of a move, at most"),
        RealOption("c", 0.5, (0.0, 100.0), "weight of exploration without an evaluator"),
        RealOption("c_puct", 1.25, (0.0, 100.0), "weight of exploration with an evaluator"),
        Option("objective", None, OBJECTIVES, "what to seek: seeds, or to win; by the game"),
        Option("threads", 1, range(1, 65), "trees grown at a time; their visits are added up"),
        Option("batch_size", 8, range(1, 4097), "states shown to the evaluator at a time"),
        Option("memory", 256, range(4, 2**16 + 1), "MiB that the trees may take"),
        RealOption("temperature", 0.0, (0.0, 100.0), "0: most visits; 1: drawn by visits"),
        RealOption("dirichlet_alpha", 0.0, (0.0, 100.0), "of noise in priors at the root; 0: none"),
        RealOption("dirichlet_fraction", 0.25, (0.0, 1.0), "part of the noise in these priors"),
    )

    def __init__(
        self, seed: int = 0, *, evaluator: Evaluator | None = None, **options: Any
    ) -> None:
        super().__init__(seed, **options)
        self._evaluator = evaluator
        if evaluator is not None:
            self._check_evaluator()
        self._random = np.random.default_rng(self.seed % 2**64)
        threads = self.options["threads"]
        memory = self.options["memory"] * MIB // threads
        self._trees = [Tree(memory, mix(mix(self.seed) + i)) for i in range(threads)]
        self._stop: Event | None = None  # of the search under way; set to end it
        self._given_up = False

    def _check_evaluator(self) -> None:
        if not callable(self._evaluator):
            raise ArgumentError(f"an evaluator of mcts is a function, not {shown(self._evaluator)}")
        if self.options["threads"] > 1:
            raise ArgumentError("mcts asks an evaluator from one thread: threads is 1 then")
        if self.options["objective"] == "margin":
            raise ArgumentError("mcts asks an evaluator for returns: objective is win then")

    def prepare(self, state: State) -> None:
        judge = None if self._evaluator is None else _indifferent
        rehearsal = MCTSAgent(
            evaluator=judge, num_simulations=1, memory=4, objective=self.options["objective"]
        )
        for _ in range(2):  # the second begins with a tree
            rehearsal.act(state)

    def reset(self) -> None:
        if not self._give_up():
            for tree in self._trees:
                tree.root = None

    def close(self) -> None:
        if not self._give_up():
            for tree in self._trees:
                tree.clear()

    def _give_up(self) -> bool:
        """End a search under way, which then clears its trees; whether there is one."""
        if self._stop is None:
            return False
        self._given_up = True
        self._stop.set()
        return True

    def check_game(self, game: Game) -> None:
        if self._evaluator is None and self.options["dirichlet_alpha"] > 0:
            raise ArgumentError("dirichlet_alpha of mcts needs an evaluator, whose priors it blurs")
        self._objective(game)

    def _objective(self, game: Game) -> str:
        """What is sought in a game; an evaluator tells of nothing but results."""
        return natural_objective(
            game, self.options["objective"] if self._evaluator is None else "win"
        )

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        begin = perf_counter()
        if self._stop is not None:  # its evaluator asks it
            raise AgentError("mcts looks at one position at a time")
        search = self._search(state, self._objective(state.game) == "margin")
        limits = [s for s in (seconds, self.options["seconds"]) if s is not None]
        deadline = begin + _time_to_search(min(limits)) if limits else None
        self._stop, self._given_up = Event(), False
        try:
            for tree in self._trees:
                tree.begin_at(state, search)
            done = self._grow(self._budget(state, deadline), deadline, self._stop)
            if self._given_up:
                raise AgentError("mcts was closed or reset in the middle of a search")
        except BaseException:  # Ctrl-C too; a tree is sound between simulations only
            for tree in self._trees:
                tree.clear()
            raise
        finally:
            self._stop = None
        action, info = self._answer(state, search)
        info["num_simulations"] = done
        info["simulations_per_second"] = done / (perf_counter() - begin)
        return action, info

    def _search(self, state: State, by_margin: bool) -> Search:
        """What the trees are grown for."""
        most, spread = 1, 2.0  # results seldom differ by more than the spread
        if by_margin:
            most = int(state.board.sum() + state.captured.sum()) + state.in_hand
            spread = most / 2
        by_prior = self._evaluator is not None
        c = self.options["c_puct" if by_prior else "c"]
        return Search(0, by_margin, most, by_prior, c * spread, spread / 2)

    def _budget(self, state: State, deadline: float | None) -> int:
        """Simulations to run at most."""
        count = self.options["num_simulations"]
        if count is None:
            count = DEFAULT_SIMULATIONS if deadline is None else MOST_VISITS
        if len(state.legal_actions()) == 1:
            count = min(count, FORCED_SIMULATIONS)
        return int(min(count, MOST_VISITS - sum(tree.visits for tree in self._trees)))

    def _grow(self, count: int, deadline: float | None, stop: Event) -> int:
        """Run simulations; returns how many."""
        threads = len(self._trees)
        if self._evaluator is not None:
            return self._ask(self._trees[0], count, deadline, stop)
        if threads == 1:
            return self._trees[0].roll_out(count, deadline, stop)
        shares = [(count + i) // threads for i in range(threads)]
        with ThreadPoolExecutor(threads - 1) as pool:
            try:
                others = [
                    pool.submit(tree.roll_out, share, deadline, stop)
                    for tree, share in zip(self._trees[1:], shares[1:], strict=True)
                ]
                done = self._trees[0].roll_out(shares[0], deadline, stop)
                return done + sum(other.result() for other in others)
            finally:
                stop.set()  # so that the others end too, at Ctrl-C

    def _answer(self, state: State, search: Search) -> tuple[int, Info]:
        """The action chosen, and what is known of the position."""
        # all trees, unless there were fewer simulations than threads
        trees = [tree for tree in self._trees if tree.expanded]
        children = merged(trees)
        outlook = Outlook(children, state.player, search.most)
        chosen = self._chosen(outlook)
        action = int(children[chosen]["action"])
        info: Info = {
            "proven": outlook.proven,
            "visit_counts": {int(c["action"]): int(c["visits"]) for c in children},
            "principal_variation": [action, *line_after(trees, action)],
            "depth": max(tree.progress.deepest for tree in trees),
            "memory": sum(tree.memory for tree in trees),
        }
        if search.by_margin:
            captured = state.captured.tolist()
            so_far = captured[state.player] - captured[1 - state.player]
            info["objective"], info["value"] = "margin", outlook.value - so_far
        else:
            info["objective"], info["value"] = "win", (1 + outlook.value) / 2
        return action, info

    def _chosen(self, outlook: Outlook) -> int:
        """The number of the action to play: the best, or one drawn by visits."""
        temperature = self.options["temperature"]
        visits = np.where(outlook.sensible, outlook.visits, 0)
        if temperature == 0 or outlook.proven or not visits.any():
            return outlook.best
        return int(self._random.choice(len(visits), p=_shares(visits, temperature)))

    # With an evaluator

    def _ask(self, tree: Tree, count: int, deadline: float | None, stop: Event) -> int:
        """Run simulations that end with the evaluator's judgment; returns how many."""
        if not tree.expanded:
            self._run_batch(tree, tree.progress.next + 1)  # of the root; it is no simulation
        priors = tree.children()["prior"]
        clean = priors.copy()
        priors[:] = self._noisy(clean)
        first = tree.progress.next
        while tree.progress.next < first + count and not (tree.proven or stop.is_set()):
            begin = perf_counter()
            self._run_batch(tree, first + count)
            now = perf_counter()
            if deadline is not None and now + (now - begin) > deadline:
                break
        priors[:] = clean
        return tree.progress.next - first

    def _run_batch(self, tree: Tree, end: int) -> None:
        leaves = tree.gather(end, self.options["batch_size"])
        if len(leaves):
            priors, values = self._judge([tree.state_of(leaf) for leaf in leaves.tolist()])
            tree.absorb(leaves, priors, values)

    def _noisy(self, priors: NDArray[np.float32]) -> NDArray[np.float32]:
        alpha, part = self.options["dirichlet_alpha"], self.options["dirichlet_fraction"]
        if alpha == 0:
            return priors
        noise = self._random.dirichlet(np.full(len(priors), alpha))
        mixed: NDArray[np.float32] = ((1 - part) * priors + part * noise).astype(np.float32)
        return mixed

    def _judge(self, states: list[State]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The evaluator's answer, checked."""
        assert self._evaluator is not None
        wanted = (len(states), states[0].game.num_actions)
        answer = self._evaluator(states)
        try:
            priors, values = (np.array(part, np.float64) for part in answer)
        except (TypeError, ValueError):
            raise AgentError("the evaluator of mcts answers with priors and values") from None
        if priors.shape != wanted or values.shape != wanted[:1]:
            raise AgentError(
                f"the evaluator of mcts answers with priors of shape {wanted} and values of "
                f"shape {wanted[:1]}, not {priors.shape} and {values.shape}"
            )
        if not (priors >= 0).all() or not np.isfinite(priors).all():
            raise AgentError("the evaluator of mcts answered priors that are no numbers from 0 up")
        if not (np.abs(values) <= 1).all():
            raise AgentError("the evaluator of mcts answered values outside -1 ... 1")
        return priors, values


def _time_to_search(seconds: float) -> float:
    """The time of a move without what it takes to answer."""
    return seconds - min(ANSWER_SECONDS, 0.03 * seconds)


def _indifferent(states: list[State]) -> tuple[ArrayLike, ArrayLike]:
    """An evaluator to which all is equal."""
    return np.ones((len(states), states[0].game.num_actions)), np.zeros(len(states))


def visit_policy(info: Info, num_actions: int, temperature: float = 1.0) -> NDArray[np.float64]:
    """What a search recommends, for self-play to learn: the shares of the visits.

    Parameters
    ----------
    info : Info
        ``agent.last_info`` of ``mcts``.
    num_actions : int
        Of the game.
    temperature : float
        Above 0; shares are of ``visits ** (1 / temperature)``.

    Returns
    -------
    ndarray of float64, shape (num_actions,)
        Its sum is 1. All is on the action played where the value is proven: visits then
        say little.

    Raises
    ------
    ArgumentError
        If the info is of an agent that counts no visits, or a number is out of range.
    """
    if "visit_counts" not in info:
        raise ArgumentError(f"the info of an agent that counts visits is needed, not {shown(info)}")
    if not is_real(temperature) or not 0 < temperature < math.inf:
        raise ArgumentError(f"temperature is a number above 0, not {shown(temperature)}")
    most = max(info["visit_counts"])
    if as_int(num_actions) is None or num_actions <= most:
        raise ArgumentError(f"num_actions is an integer above {most}, not {shown(num_actions)}")
    policy = np.zeros(num_actions)
    if info["proven"]:
        policy[info["action"]] = 1.0
    else:
        counts = info["visit_counts"]
        policy[list(counts)] = _shares(np.array(list(counts.values())), temperature)
    return policy


def _shares(visits: NDArray[Any], temperature: float) -> NDArray[np.float64]:
    weights = (visits / visits.max()) ** (1 / temperature)
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
