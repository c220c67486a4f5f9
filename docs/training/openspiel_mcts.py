"""OpenSpiel's Monte-Carlo tree search against an agent of the library."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import mancala_ai.envs.openspiel  # noqa: F401  # registers the game
from mancala_ai.agents import make_agent


def play(
    game_string: str = "python_mancala_ai(game=kalah,columns=4)",
    opponent: str = "greedy",
    simulations: int = 100,
) -> list[float]:
    """Both players' results of one game in which the search begins."""
    game = pyspiel.load_game(game_string)
    chance = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=chance)
    bot = mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=chance)
    agent = make_agent(opponent, seed=1)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() == 0:
            action = bot.step(state)
        else:
            action = agent.act(state.position)  # the same position as a State of ours
        print(state.action_to_string(action), end=" ")
        state.apply_action(action)
    return state.returns()


if __name__ == "__main__":
    print(play())
