"""Pictures of boards: all that is on a board is in them, for every game and screen."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

import mancala_ai as ma
from mancala_ai.cli import main
from mancala_ai.errors import ArgumentError
from mancala_ai.render.animation import game_scenes
from mancala_ai.render.rgb import picture
from mancala_ai.render.scene import MOST_DRAWN, Box, Disc, Words, lap_scenes, scene
from mancala_ai.render.svg import board_svg

GAMES = [*ma.games(), "katro:rows=2", "kalah:columns=1", "tsoro:columns=4,heads=1"]


def line_of_play(spec, seed, most):
    """States and actions of a random game."""
    rng, state = random.Random(seed), ma.make(spec).initial_state()
    states, actions = [state], []
    while not state.is_terminal and len(actions) < most:
        actions.append(rng.choice(state.legal_actions()))
        state = state.apply(actions[-1])
        states.append(state)
    return states, actions


@pytest.mark.parametrize("spec", GAMES)
def test_every_seed_is_in_the_picture(spec):
    states, _ = line_of_play(spec, 1, 30)
    for state in states[::5]:
        shapes = scene(state).shapes
        board = state.board.ravel()
        drawn = sum(isinstance(shape, Disc) and shape.fill == "seed" for shape in shapes)
        assert drawn == board[board <= MOST_DRAWN].sum()
        numbers = [s.text for s in shapes if isinstance(s, Words) and s.fill == "number"]
        for seeds in board[board > MOST_DRAWN].tolist():
            numbers.remove(str(seeds))
        assert numbers in ([], [str(seeds) for seeds in state.captured.tolist()])


@pytest.mark.parametrize("spec", GAMES)
def test_nothing_lies_outside_the_picture_and_pits_do_not_overlap(spec):
    drawn = scene(ma.make(spec).initial_state())
    pits = [s for s in drawn.shapes if isinstance(s, Disc) and s.line == "rim"]
    assert len(pits) == 2 * ma.make(spec).initial_state().board.shape[1]
    for shape in drawn.shapes:
        room = shape.radius if isinstance(shape, Disc) else 0
        assert room <= shape.x <= drawn.width - room
        assert room <= shape.y <= drawn.height - room
        if isinstance(shape, Box):
            assert shape.x + shape.width <= drawn.width
            assert shape.y + shape.height <= drawn.height
    for number, pit in enumerate(pits):
        for other in pits[:number]:
            away = np.hypot(pit.x - other.x, pit.y - other.y)
            assert away > pit.radius + other.radius


@pytest.mark.parametrize("spec", GAMES)
def test_the_last_move_is_marked_as_it_was_traced(spec):
    states, actions = line_of_play(spec, 2, 20)
    for before, action, after in zip(states, actions, states[1:], strict=False):
        rings = [s.line for s in scene(after, (before, action)).shapes if isinstance(s, Disc)]
        laps = before.trace(action)
        taken = {place for lap in laps for place in lap.captured}
        assert rings.count("start") == (1 if laps else 0)
        in_store = laps and laps[-1].landing >= before.board.size
        assert rings.count("landing") == (1 if laps and not in_store else 0)
        assert rings.count("captured") == len(taken)


def test_what_is_special_about_pits_is_shown():
    def kinds(state):
        return [s.fill for s in scene(state).shapes if isinstance(s, Disc) and s.line == "rim"]

    assert kinds(ma.make("tsoro").initial_state()).count("head") == 4
    assert kinds(ma.make("tsoro:heads=0").initial_state()).count("head") == 0
    filled = ma.make("hoyito_iii").initial_state(captured=(40, 8))
    assert kinds(filled).count("out") == 4
    lost = ma.make("gore").state([[6] * 4, [6] * 4], owner=[0, 1, 0, 0, 1, 1, 1, 0])
    assert kinds(lost).count("foreign") == 2


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
@pytest.mark.parametrize("spec", GAMES)
def test_svg_is_well_formed_and_says_what_it_shows(spec, theme):
    states, actions = line_of_play(spec, 3, 9)
    text = board_svg(states[-1], (states[-2], actions[-1]), width=300, theme=theme)
    root = ET.fromstring(text)
    assert root.get("width") == "300"
    assert states[-1].to_text() in root.get("aria-label")
    assert ("var(" in text) == (theme == "auto")


def test_a_notebook_shows_the_board():
    state = ma.make("kalah").initial_state()
    ET.fromstring(state._repr_svg_())
    assert state._repr_svg_() in state._repr_html_()


@pytest.mark.parametrize("spec", GAMES)
def test_pixels_have_the_size_that_was_asked_for_and_show_the_seeds(spec):
    states, _ = line_of_play(spec, 4, 7)
    images = [picture(state, 200) for state in states]
    assert {image.shape for image in images} == {images[0].shape}
    assert images[0].shape[1:] == (200, 3)
    assert images[0].dtype == np.uint8
    for (one, other), (before, after) in zip(pairwise(images), pairwise(states), strict=True):
        if (before.board != after.board).any():
            assert (one != other).any()


def test_there_are_no_other_themes():
    state = ma.make("kalah").initial_state()
    with pytest.raises(ArgumentError, match="light, dark"):
        picture(state, theme="green")
    with pytest.raises(ArgumentError, match="auto"):
        board_svg(state, theme="green")


@pytest.mark.parametrize("spec", ma.games())
def test_a_film_shows_every_position_and_the_laps_between(spec):
    states, actions = line_of_play(spec, 5, 12)
    shown = [drawn.title for drawn, _ in game_scenes(states, actions)]
    positions = [scene(state).title for state in states]
    rest = iter(shown)
    assert all(title in rest for title in positions)  # in this order
    laps = sum(max(0, len(before.trace(a)) - 1) for before, a in zip(states, actions, strict=False))
    assert len(shown) == len(states) + laps


def test_a_lap_is_shown_with_its_own_board():
    state = ma.make("hoyito_iii").initial_state()
    action = max(state.legal_actions(), key=lambda a: len(state.trace(a)))
    laps = list(lap_scenes(state, action))
    assert len(laps) == len(state.trace(action)) - 1 > 0
    seeds = [
        sum(isinstance(s, Disc) and s.fill == "seed" for s in drawn.shapes)
        + sum(int(s.text) for s in drawn.shapes if isinstance(s, Words) and s.fill == "number")
        for drawn in laps
    ]
    hands = [lap.hand for lap in state.trace(action)[1:]]  # lifted for the next lap
    assert [n + hand for n, hand in zip(seeds, hands, strict=True)] == [48] * len(laps)


def test_a_move_that_never_ends_has_no_laps_to_show():
    ring = [2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2, 1]
    state = ma.make("omweso").state([ring, [4] * 8 + [0] * 8], moved=(1, 1))
    assert 0 in state.game.endless_moves(state)
    assert list(lap_scenes(state, 0)) == []
    scene(state.apply(0), (state, 0))


def test_replay_writes_a_film(tmp_path, capsys):
    states, actions = line_of_play("kalah", 6, 5)
    record, film = tmp_path / "game.txt", tmp_path / "game.gif"
    ma.write_record(ma.Record(states[0].game, tuple(actions)), record)
    assert main(["replay", str(record), "--gif", str(film), "--width", "200", "--dark"]) == 0
    with Image.open(film) as image:
        assert image.width == 200
        assert image.n_frames == len(list(game_scenes(states, actions)))
    assert capsys.readouterr().out.startswith(str(film))
    missing = tmp_path / "nowhere" / "game.gif"
    assert main(["replay", str(record), "--gif", str(missing)]) == 2
