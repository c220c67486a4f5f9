"""The playable board: games in headless Chromium, and what the board is to Python.

The page is driven as by a person, with the mouse or the keyboard, and read as by a screen
reader. Playwright does it with the Chromium of the system: it needs no driver of that very
version, sets dark screens and reduced motion, and waits for conditions. ``board_host.py``
stands for the notebook.
"""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import contextmanager
from datetime import date

import pytest
from board_host import hosted
from helpers import random_policy

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.agents.network import FILE_NAME, write_policy
from mancala_ai.agents.simple import FirstAgent
from mancala_ai.errors import (
    AgentError,
    ArgumentError,
    IllegalActionError,
    UnknownAgentError,
    UnknownGameError,
)
from mancala_ai.render.scene import lap_scenes
from mancala_ai.widget import Board
from mancala_ai.widget.view import move_label, pit_label, standing

GAMES_WITH_VARIANTS = [
    *ma.games(), "omweso:setup=arrange", "katro:direction=either,lone_seed=True",
    "tsoro:columns=5,optional_bonus=True",
]  # fmt: skip
PATIENCE = 180  # seconds; an agent may have to be compiled first
HURRY = "{ const wait = setTimeout; window.setTimeout = (go, time) => wait(go, time / 50); }"
BY_KEYBOARD = {"omweso": "Enter", "katro": "Space", "gore": "Enter", "kalah": "Space"}


@pytest.fixture
def shown(chromium):
    """A function that shows a board on a page; in the end, nothing was complained of."""
    complaints = []

    def open_page(context, url):
        page = context.new_page()
        page.add_init_script(HURRY)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        wait_for_turn(page)
        return page

    @contextmanager
    def show(make_board, pages=1, **settings):
        with hosted(make_board) as (board, url):
            context = chromium.new_context(**settings)
            context.set_default_timeout(1000 * PATIENCE)
            yield board, *(open_page(context, url) for _ in range(pages))
            context.close()

    yield show
    assert complaints == []


def wait_for_turn(page):
    """Wait until a person may play or the game is over, and all of it has been shown."""
    page.wait_for_selector('.mancala-board[aria-busy="false"]')


def legal_pits(page):
    return page.locator('.mancala-pit[aria-disabled="false"]')


def moves(page):
    return page.get_by_role("group", name="Moves")


def play(page, state, action, key=None):
    """Do on the page what plays an action: with the mouse, or with a key."""
    number, actions = state.game._pit_of(action), state.legal_actions()
    if number is not None:
        owner, pit = state.game._place(state.player, number)
        press(page, page.locator(".mancala-pit").nth(owner * state.board.shape[1] + pit), key)
        if [state.game._pit_of(a) for a in actions].count(number) == 1:
            return
    label = move_label(state, action)
    if moves(page).get_by_role("combobox").count():
        moves(page).get_by_role("combobox").select_option(label)
        label = "Play"
    button = moves(page).get_by_role("button", name=label, exact=True)
    if key:
        button.focus()
        page.keyboard.press(key)
    else:
        button.click()


def press(page, pit, key):
    if key is None:
        pit.click()
        return
    if not page.locator(".mancala-pit:focus").count():
        page.locator('.mancala-pit[tabindex="0"]').focus()
    walk_to(page, pit)
    page.keyboard.press(key)


def walk_to(page, pit):
    """Press arrows until a pit has the focus: columns, then rows."""
    where = "node => [node.offsetLeft, node.offsetTop]"
    x, y = pit.evaluate(where)
    for side, (less, more) in enumerate((("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown"))):
        while (gap := (x, y)[side] - page.locator(":focus").evaluate(where)[side]) != 0:
            before = page.locator(":focus").get_attribute("aria-label")
            page.keyboard.press(more if gap > 0 else less)
            assert page.locator(":focus").get_attribute("aria-label") != before
    assert pit.evaluate("node => node === document.activeElement")


def short_game(spec):
    """Positions and actions of the shortest of ten games of a random player against greedy."""

    def game(seed):
        rng, agent = random.Random(seed), make_agent("greedy", seed=1)
        states, actions = [ma.make(spec).initial_state()], []
        while not (state := states[-1]).is_terminal:
            actions.append(agent.act(state) if state.player else rng.choice(state.legal_actions()))
            states.append(state.apply(actions[-1]))
        return states, actions

    return min(map(game, range(10)), key=lambda played: len(played[1]))


@pytest.mark.parametrize("spec", ma.games())
def test_a_whole_game_against_an_agent(shown, spec):
    states, actions = short_game(spec)
    with shown(lambda: Board(spec, north="greedy", seed=0)) as (board, page):
        for state, action in zip(states, actions, strict=False):
            if state.player == 0:
                assert board.state == state
                pits = {state.game._pit_of(legal) for legal in state.legal_actions()} - {None}
                assert legal_pits(page).count() == len(pits)
                play(page, state, action, BY_KEYBOARD.get(spec))
                wait_for_turn(page)
        assert board.record.actions == tuple(actions)
        said = page.get_by_role("status").first.inner_text()
        assert f"({board.state.win_kind})" in said
        assert ("Nobody wins." in said) == (board.state.points[0] == board.state.points[1])
        assert legal_pits(page).count() == moves(page).get_by_role("button").count() == 0
        assert page.get_by_role("button", name="Hint").is_disabled()


def reach(spec, phase):
    """A position of some phase in which South decides."""
    rng = random.Random(2)
    while True:
        state = ma.make(spec).initial_state()
        while not state.is_terminal:
            if state.phase == phase and state.player == 0:
                return state
            state = state.apply(rng.choice(state.legal_actions()))


@pytest.mark.parametrize(
    ("spec", "phase", "deeds"),
    [
        ("omweso", "lap", {"sow", "sow clockwise"}),
        ("tsoro", "head", {"Relay", "Stop"}),
        ("tsoro:optional_bonus=True", "bonus", {"Stop"}),
    ],
)
def test_decisions_inside_a_turn_are_labelled_buttons(shown, spec, phase, deeds):
    start = reach(spec, phase)
    with shown(lambda: Board(start, north="first")) as (board, page):
        labels = moves(page).get_by_role("button").all_inner_texts()
        assert {label.rpartition(": ")[2] for label in labels} == deeds
        moves(page).get_by_role("button").last.click()
        wait_for_turn(page)
        (chosen,) = [a for a in start.legal_actions() if move_label(start, a) == labels[-1]]
        assert board.record.actions[0] == chosen


def test_offers_of_gore_are_a_list_and_are_answered_by_buttons(shown):
    start = ma.make("gore").state([[2, 1, 2, 1], [1, 5, 1, 1]], captured=(14, 20))
    with shown(lambda: Board(start, north="first")) as (board, page):
        offers = moves(page).get_by_role("combobox")
        assert offers.locator("option").count() == len(board.state.legal_actions()) - 4
        offers.select_option("Offer a, c")
        moves(page).get_by_role("button", name="Play").click()
        wait_for_turn(page)
        assert board.record.actions[0] == start.game.action_names(0).index("offer:ac")


def test_laps_are_shown_one_by_one(shown):
    state = ma.make("katro").initial_state()
    action = next(a for a in state.legal_actions() if 3 <= len(state.trace(a)) <= 6)
    expected = [scene.title for scene in lap_scenes(state, action)]
    watch = """() => {
        window.titles = [];
        const picture = document.querySelector(".mancala-picture");
        const note = () => window.titles.push(picture.firstChild.getAttribute("aria-label"));
        new MutationObserver(note).observe(picture, { childList: true });
    }"""
    for motion, laps in (("no-preference", expected), ("reduce", [])):
        with shown(lambda: Board("katro", north="human"), reduced_motion=motion) as (board, page):
            page.evaluate(watch)
            legal_pits(page).nth(state.legal_actions().index(action)).click()
            wait_for_turn(page)
            titles = page.evaluate("window.titles")
            assert titles[:-1] == laps
            assert board.state.to_text() in titles[-1]


def test_a_hint_shows_the_move_and_all_values(shown):
    spec = "alphabeta:depth=4"
    with shown(lambda: Board("kalah", north="first", hints=spec, seed=3)) as (board, page):
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector(".mancala-hint table")
        best = make_agent(spec, seed=5).act(board.state)
        assert page.locator(".mancala-pit.hinted").get_attribute("aria-label") == pit_label(
            board.state, (0, best), ["sow"]
        )
        words = page.locator(".mancala-hint p").inner_text()
        assert words.startswith(f"{spec} would play {board.state.action_to_text(best)} (")
        rows = page.locator(".mancala-hint tbody tr").all_inner_texts()
        assert len(rows) == len(board.state.legal_actions())
        assert rows[0].startswith(f"{move_label(board.state, best)}\t")
        assert all(row.endswith(" seeds") for row in rows)
        legal_pits(page).first.click()
        wait_for_turn(page)
        assert page.locator(".mancala-hint").inner_text() == ""


def test_keys_pressed_on_the_board_are_not_for_the_notebook(shown):
    with shown(lambda: Board("kalah", north="first")) as (board, page):
        page.evaluate("() => { heard = []; document.onkeydown = ({ key }) => heard.push(key); }")
        legal_pits(page).first.focus()
        for key in ("a", "ArrowRight", "Enter", "Control+s"):
            page.keyboard.press(key)
        wait_for_turn(page)
        assert page.evaluate("heard") == ["Control", "s"]
        assert board.record.actions[0] == 1


def test_undo_and_new_game(shown):
    with shown(lambda: Board("oware", north="first", seed=1)) as (board, page):
        start, undo = board.state, page.get_by_role("button", name="Undo")
        assert undo.is_disabled()
        legal_pits(page).nth(2).click()
        wait_for_turn(page)
        assert board.state.ply == 2
        undo.click()
        page.get_by_text("Taken back.").wait_for()
        assert board.state == start
        assert undo.is_disabled()
        legal_pits(page).nth(3).click()
        wait_for_turn(page)
        page.get_by_role("button", name="New game").click()
        page.get_by_text("A new game.").wait_for()
        assert board.state == start


def test_what_is_illegal_or_nonsense_changes_nothing(shown):
    with shown(lambda: Board("kalah:seeds=1", north="first")) as (board, page):
        legal_pits(page).first.click()
        wait_for_turn(page)
        before, alert = board.state, page.locator(".mancala-error")
        page.locator('.mancala-pit[aria-disabled="true"]').first.click(force=True)
        position = board.view["position"]
        for message, reason in (
            ({"do": "play", "action": 0, "position": position}, "not legal"),
            ({"do": "play", "action": "x", "position": position}, "no legal move 'x'"),
            ({"do": "dance"}, "a message does one of play, answer, hint, undo, new game"),
            (["play"], "a message does one of"),
        ):
            page.evaluate("message => window.send(message)", message)
            alert.filter(has_text=reason).wait_for()
            assert board.state is before
        page.evaluate("window.send({do: 'play', action: 1, position: 0})")  # of an older page
        assert board.state is before
        legal_pits(page).first.click()
        wait_for_turn(page)
        assert board.state.ply > before.ply
        assert alert.inner_text() == ""


def test_two_pages_show_one_game_and_two_agents_are_watched(shown):
    def make_board():
        return Board("kalah:seeds=2", south="greedy", north="random", seed=2)

    with shown(make_board, pages=2) as (board, *pages):
        for page in pages:
            assert "finished" in page.get_by_role("status").first.inner_text().lower()
        assert board.state.is_terminal
        assert board.record.headers["south"] == "greedy"


def test_colours_follow_the_page(shown):
    papers = []
    for scheme in ("light", "dark"):
        with shown(lambda: Board("oware"), color_scheme=scheme) as (board, page):
            frame = page.locator(".mancala-board")
            assert frame.get_attribute("data-theme") == scheme
            colour = "node => getComputedStyle(node)"
            papers.append(frame.evaluate(f"{colour}.backgroundColor"))
            drawn = page.locator(".mancala-picture rect").first
            assert drawn.evaluate(f"{colour}.fill") == papers[-1]
            page.evaluate("document.body.style = 'color: rgb(250, 250, 250)'")  # a switch is seen
            page.wait_for_selector('.mancala-board[data-theme="dark"]')
    assert papers[0] != papers[1]


# Without a page


@pytest.mark.parametrize("spec", GAMES_WITH_VARIANTS)
def test_every_move_has_a_label_of_its_own(spec):
    rng, state = random.Random(4), ma.make(spec).initial_state()
    for _ in range(60):
        if state.is_terminal:
            break
        actions = state.legal_actions()
        assert len({move_label(state, action) for action in actions}) == len(actions)
        for action in actions:
            number = state.game._pit_of(action)
            if laps := state.trace(action)[:1] if number is not None else []:
                assert laps[0].start == number
        state = state.apply(rng.choice(actions))


def test_what_only_the_picture_shows_is_said_as_well():
    state = ma.make("kalah").state([[0, 0, 0, 0, 0, 1], [4] * 6], captured=(20, 3))
    assert standing(state) == "South to sow. Captured: South 20, North 3."
    assert standing(ma.make("katro").initial_state()) == "South to sow."


def test_labels_say_what_is_on_the_board():
    state = ma.make("gore").state(
        [[2, 1, 2, 1], [1, 5, 1, 0]], owner=[0, 1, 0, 0, 1, 1, 1, 1], captured=(18, 16)
    )
    assert pit_label(state, (0, 0), ["sow"]) == "South pit a: 2 seeds, legal"
    assert pit_label(state, (0, 1), []) == "South pit b: 1 seed, belongs to North"
    assert pit_label(state, (1, 3), []) == "North pit h: 0 seeds"
    labels = {move_label(state, action) for action in state.legal_actions()}
    assert {"a: sow", "Offer a", "Offer a, c"} <= labels
    omweso = ma.make("omweso").initial_state()
    assert pit_label(omweso, (0, 0), ["sow", "sow clockwise"]) == (
        "South pit i: 4 seeds, legal: sow or sow clockwise"
    )
    tsoro = ma.make("tsoro").initial_state()
    assert pit_label(tsoro, (1, 20), ["take"]) == "North pit u1: 2 seeds, head, legal: take"


def test_a_board_is_played_from_python():
    board = Board("omweso:akakyala=True", north="first", hints="greedy", seed=7)
    first = board.state
    board.play("m")
    assert board.state == first.apply(first.text_to_action("m"))
    with pytest.raises(ArgumentError, match="North is first"):
        board.play(0)
    board.answer()
    assert board.state.player == 0
    ply = board.state.ply
    board.answer()
    assert board.state.ply == ply
    with pytest.raises(IllegalActionError):
        board.play(99)
    assert board.hint().action in board.state.legal_actions()
    record = board.record
    assert record.game == ma.make("omweso", akakyala=True)
    assert record.final == board.state
    assert record.headers == {
        "south": "human", "north": "first", "date": date.today().isoformat(), "seed": "7",
    }  # fmt: skip
    board.undo()
    assert board.state == first
    with pytest.raises(ArgumentError, match="nothing to take back"):
        board.undo()
    board.close()


def test_a_board_begins_where_it_is_told():
    game = ma.make("kalah")
    state = game.initial_state().apply(2)
    board = Board(state, south="human", north="human")
    board.play(0)
    board.new_game()
    assert board.state == state
    assert Board(game).state == game.initial_state()
    with pytest.raises(UnknownGameError):
        Board("chess")
    with pytest.raises(UnknownAgentError):
        Board("kalah", north="deep blue")
    with pytest.raises(ArgumentError, match="a seed is"):
        Board("kalah", seed="seven")


def test_random_set_ups_differ_from_game_to_game():
    board = Board("omweso:setup=random", seed=5)
    first = board.state
    assert first == board.state.game.initial_state(5)
    board.new_game()
    assert board.state != first


class Failing(FirstAgent):
    """An agent that always fails."""

    def choose(self, state, seconds):
        raise self.error


@pytest.mark.parametrize("error", [AgentError("out of ideas"), RuntimeError("out of ideas")])
def test_an_agent_that_fails_is_told_of_and_can_be_left(shown, error):
    agent = Failing()
    agent.error = error
    with shown(lambda: Board("kalah", north=agent)) as (board, page):
        legal_pits(page).first.click()
        page.get_by_role("alert").filter(has_text="out of ideas").wait_for()
        page.get_by_role("button", name="Undo").click()
        wait_for_turn(page)
        assert board.state.ply == 0


def test_players_and_helpers_that_cannot_serve_are_refused(tmp_path):
    write_policy(random_policy(ma.make("kalah")), tmp_path / FILE_NAME)
    with pytest.raises(ArgumentError, match="trained for kalah, not for oware"):
        Board("oware", north=f"policy:path={tmp_path}")
    with pytest.raises(ArgumentError, match="hints are given by an agent"):
        Board("oware", hints="human")


def test_what_is_missing_is_named(tmp_path):
    program = "import sys; sys.modules['anywidget'] = None; import mancala_ai.widget"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert run.stderr.decode().splitlines()[-1] == (
        'ImportError: a board needs anywidget: pip install "mancala-ai[notebook]"'
    )
