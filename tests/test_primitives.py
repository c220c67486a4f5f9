"""Each primitive of the kernels, compiled, against its Python body; and games without compiling.

A primitive works on :class:`~mancala_ai.sowing.Pits`, which exist in compiled
code only: it is reached through the stored states of a toy game of each size.
"""

from __future__ import annotations

import inspect
import json
import os
import pickle
import platform
import random
import subprocess
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest
from helpers import NAMES
from numba import njit
from numba.core.dispatcher import Dispatcher

import mancala_ai as ma
from mancala_ai import arrays, dispatch, rng, sowing

if not isinstance(sowing.sow, Dispatcher):
    pytest.skip("these tests compare compiled code", allow_module_level=True)

SIZES = (8, 16, 32, 64)


PITS = {8: dispatch.Pits8, 16: dispatch.Pits16, 32: dispatch.Pits32, 64: dispatch.Pits64}
BYTE_FIELDS = [("phase", dispatch.Byte), ("number", dispatch.Byte), ("mask", dispatch.Mask)]
RULES = {n: NamedTuple(f"Rules{n}", [("max_laps", int)]) for n in SIZES}
STATES = {
    n: NamedTuple(f"State{n}", [("pits", PITS[n]), ("other", PITS[n]), *BYTE_FIELDS]) for n in SIZES
}
for n in SIZES:
    dispatch.register_state(RULES[n], STATES[n])


# What the arguments of the primitives mean, by name: how to draw them. Bit 63 is never used.


def a_pit(draw, size):
    return draw.randrange(min(size, 63))


def a_set(draw, size):
    return draw.getrandbits(min(size, 63)) & draw.choice((-1, draw.getrandbits(63)))


ARGUMENTS = {
    "pit": a_pit,
    "mask": a_set,
    # no count of 0 where the empty pit 63 would be bit 63
    "count": lambda draw, size: draw.choice((int(size == 64), 1, 2, 3, 4, 10, 16, 254, 255)),
}


def pits_of(draw, size):
    high = draw.choice((0, 1, 4, 18, 255))
    pits = np.array([draw.randint(0, high) for _ in range(size)], np.uint8)
    if size == 64:
        pits[63] = 0  # such a pit would be bit 63
    if draw.random() < 0.2:
        pits[:] = 0
        pits[a_pit(draw, size)] = draw.randint(1, 255)
    return pits


def few_pits(draw, size):
    """Seeds that add up to at most 255, as everywhere in play."""
    pits = np.zeros(size, np.uint8)
    for _ in range(draw.randint(0, 40)):
        pits[a_pit(draw, size)] += draw.randint(0, 6)
    return pits


def ring_of(draw, size):
    return draw.randint(2, min(size, 62))


def sowing_arguments(draw, size, most):
    ring = ring_of(draw, size)
    start = draw.randrange(ring)
    return start, draw.randint(1, 3 * ring if most is None else ring - 1), ring


# Functions of pits in sowing.py, with the arguments after the pits
PRIMITIVES = {
    "at_least": ("count",),
    "exactly": ("count",),
    "seeds": ("pit",),
    "total": (),
    "keep": ("mask",),
    "emptied": ("pit",),
    "put": ("pit", "count"),
    "drop": ("mask",),
    "half_turn": (),
    "sow_within": "within",
    "sow": "laps",
    "sow_clockwise": "laps",
}
# functions of integers, in sowing.py and rng.py; with the arguments to try
INTEGER_PRIMITIVES = {
    "below": lambda draw: (draw.randrange(63),),
    "landing_pit": lambda draw: sowing_arguments(draw, 64, "within"),
    "reached": lambda draw: (
        draw.randrange(ring := draw.randint(2, 30)),
        draw.randrange(ring),
        ring,
    ),
    "mix": lambda draw: (draw.randint(-(2**63), 2**63 - 1),),
    "advance": lambda draw: (draw.randint(-(2**63), 2**63 - 1),),
    "after_draws": lambda draw: (draw.randint(-(2**63), 2**63 - 1), draw.randint(0, 10**6)),
    "draw_below": lambda draw: (draw.randint(-(2**63), 2**63 - 1), draw.randint(1, 2**31 - 1)),
    "bit_count": lambda draw: (draw.getrandbits(63) & draw.getrandbits(63),),
    "byte_counts": lambda draw: (draw.getrandbits(63) & draw.getrandbits(63),),
    "lowest_set_bit": lambda draw: (
        draw.choice((0, 1 << draw.randrange(63), draw.getrandbits(63))),
    ),
    "bit_length": lambda draw: (draw.choice((0, 1 << draw.randrange(63), draw.getrandbits(63))),),
    "stream": lambda draw: (draw.randint(-(2**63), 2**63 - 1), draw.randrange(2**40)),
}
TESTED_BELOW = {"select", "deposit", "first_byte_over", "nth_set_bit"}


def functions_of(module):
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, Dispatcher))
        and value.__module__ == module.__name__
    }


def test_every_primitive_is_tested():
    known = {*PRIMITIVES, *INTEGER_PRIMITIVES, *TESTED_BELOW}
    assert functions_of(sowing) | functions_of(rng) == known


def python(function):
    """The Python body of a primitive, jitted or not, calling Python bodies only."""
    body = getattr(function, "py_func", function)
    scope = {
        name: python(value) if isinstance(value, Dispatcher) else value
        for name, value in body.__globals__.items()
        if name in body.__code__.co_names
    }
    return types.FunctionType(body.__code__, {"__builtins__": __builtins__, **scope})


def draw_arguments(draw, size, kinds):
    if kinds == "within":
        start, hand, ring = sowing_arguments(draw, size, "within")
        return draw.choice((start, -1)), hand, ring
    if kinds == "laps":
        return sowing_arguments(draw, size, None)
    return tuple(ARGUMENTS[kind](draw, size) for kind in kinds)


def through_a_state(primitive, size, arguments, gives_pits, numbers):
    """The primitive compiled, from and to the pits of stored states.

    It takes pits and ``arguments`` numbers; it returns pits or not, and ``numbers`` numbers.
    """
    values = ", ".join(f"values[{i}]" for i in range(arguments))
    results = ["pits"] * gives_pits + [f"number_{i}" for i in range(numbers)]
    source = (
        "def run(rules, rows, values):\n"
        "    state = load(rules, rows, 0)\n"
        "    pits = state.pits\n"
        f"    {', '.join(results)} = primitive(state.pits, {values})\n"
        "    save(rules, rows, 0, state_type(pits, state.other, 0, 0, 0))\n"
        f"    return ({', '.join([*results[gives_pits:], ''])})\n"
    ).replace("(,)", "()")
    scope = {"primitive": primitive, "state_type": STATES[size]}
    exec(source, {**scope, "load": dispatch.load, "save": dispatch.save}, scope)
    compiled = njit(scope["run"])

    def run(pits, values):
        row = np.zeros((1, dispatch.stored_size(STATES[size])), np.uint8)
        row[0, :size] = pits
        padded = (*values, *[0] * (3 - len(values)))
        told = compiled(RULES[size](1), row, padded)
        return row[0, :size].tolist(), told

    return run


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitive_on_pits(name, size):
    kinds, primitive = PRIMITIVES[name], getattr(sowing, name)
    body = python(primitive)
    draw = random.Random(f"{name} {size}")
    results = set()
    run = None
    for _ in range(400):
        few = name in ("total", "put", "drop", "sow", "sow_clockwise", "sow_within")
        pits = (few_pits if few else pits_of)(draw, size)
        arguments = draw_arguments(draw, size, kinds)
        with np.errstate(over="ignore"):
            expected = body(pits.copy(), *arguments)
        expected = expected if isinstance(expected, tuple) else (expected,)
        gives_pits = np.ndim(expected[0]) > 0
        numbers = expected[gives_pits:]
        if run is None:
            run = through_a_state(primitive, size, len(arguments), gives_pits, len(numbers))
        after = (expected[0] if gives_pits else pits).tolist()
        assert run(pits, arguments) == (after, numbers), (pits, arguments)
        results.add((str(after), numbers))
    assert len(results) > 3


def slow_sow(pits, start, hand, ring, step):
    """Seed by seed."""
    sown, pit = pits.copy(), start
    for _ in range(hand):
        pit = (pit + step) % ring
        sown[pit] += 1
    return sown.tolist(), pit


@pytest.mark.parametrize("size", SIZES)
def test_sowing_is_seed_by_seed(size):
    draw = random.Random(size)
    for _ in range(300):
        pits, (start, hand, ring) = few_pits(draw, size), sowing_arguments(draw, size, None)
        for body, step in ((sowing.sow, 1), (sowing.sow_clockwise, -1)):
            sown, landing, there = python(body)(pits.copy(), start, hand, ring)
            assert (sown.tolist(), landing) == slow_sow(pits, start, hand, ring, step)
            assert there == sown[landing]
        hand = hand % ring
        within = sowing.sow_within(pits.copy(), start, hand, ring)
        assert within.tolist() == slow_sow(pits, start, hand, ring, 1)[0]
        if ring <= 30:
            fell = python(sowing.reached)(start, hand, ring)
            assert sowing.drop(pits, fell).tolist() == within.tolist()


@pytest.mark.parametrize("name", INTEGER_PRIMITIVES)
def test_primitive_on_integers(name):
    function = getattr(sowing, name, None) or getattr(rng, name)
    body, arguments = python(function), INTEGER_PRIMITIVES[name]
    draw = random.Random(name)
    count = len(arguments(draw))
    names = ", ".join("abc"[:count])
    scope = {"primitive": function}
    exec(f"def run({names}): return primitive({names})", scope)
    compiled = njit(scope["run"])
    results = set()
    for _ in range(500):
        values = arguments(draw)
        got = compiled(*values)
        assert got == body(*values), values
        assert isinstance(got, int)
        results.add(got)
    assert len(results) > 3
    assert len(compiled.signatures) == 1


@njit
def select_numbers(condition, a, b):
    return sowing.select(condition, a, b)


def pits_selected(state_type):
    @njit
    def run(rules, rows, condition):
        state = dispatch.load(rules, rows, 0)
        chosen = sowing.select(condition, state.pits, state.other)
        dispatch.save(rules, rows, 0, state_type(chosen, state.other, 0, 0, 0))

    return run


@pytest.mark.parametrize("size", SIZES)
def test_select(size):
    draw = random.Random(size)
    select_pits = pits_selected(STATES[size])
    for condition in (True, False):
        assert select_numbers(condition, 3, -5) == sowing.select(condition, 3, -5)
        pits, other = (pits_of(draw, size) for _ in range(2))
        row = np.zeros((1, dispatch.stored_size(STATES[size])), np.uint8)
        row[0, : 2 * size] = np.concatenate([pits, other])
        select_pits(RULES[size](1), row, condition)
        assert row[0, :size].tolist() == sowing.select(condition, pits, other).tolist()
        assert row[0, size : 2 * size].tolist() == other.tolist()


@njit
def with_another_phase(rules, rows, phase):
    state = dispatch.with_phase(dispatch.load(rules, rows, 0), phase)
    dispatch.save(rules, rows, 1, state)
    return dispatch.same(dispatch.load(rules, rows, 0), dispatch.load(rules, rows, 1)), state.mask


@pytest.mark.parametrize("size", SIZES)
def test_stored_states(size):
    rules, state_type = RULES[size](1), STATES[size]
    draw = random.Random(size)
    bytes_of = dispatch.stored_size(state_type)
    assert bytes_of == 2 * size + 2 + 8
    for _ in range(50):
        rows = np.zeros((2, bytes_of), np.uint8)
        rows[0] = [draw.randrange(256) for _ in range(bytes_of)]
        rows[0, -1] &= 127  # bit 63 of the mask
        state = dispatch.load(rules, rows, 0)
        assert state.phase == rows[0, 2 * size]
        phase = draw.choice((state.phase, draw.randrange(256)))
        equal, mask = with_another_phase(rules, rows, phase)
        assert equal == (phase == state.phase)
        python_rows = rows.copy()
        python_rows[1] = 0
        changed = dispatch.with_phase(state, phase)
        dispatch.save(rules, python_rows, 1, changed)
        assert (python_rows == rows).all()
        assert dispatch.same(state, changed) == equal
        assert mask == state.mask == int.from_bytes(rows[0, -8:].tobytes(), "little")


# nth_set_bit has two ways: by the processor's pdep, or by tables


def masks(draw):
    mask = draw.choice(
        (draw.getrandbits(63), draw.getrandbits(63) & draw.getrandbits(63), 2**63 - 1)
    )
    return mask or 1


@pytest.mark.parametrize("deposits_fast", [True, False])
def test_nth_set_bit(deposits_fast, monkeypatch):
    if deposits_fast and not rng.DEPOSITS_FAST:
        pytest.skip("this processor has no fast pdep")
    monkeypatch.setattr(rng, "DEPOSITS_FAST", deposits_fast)
    body = python(rng.nth_set_bit)
    compiled = njit(body)
    draw = random.Random(1)
    for _ in range(300):
        mask = masks(draw)
        positions = [bit for bit in range(63) if mask >> bit & 1]
        for r in {0, len(positions) - 1, draw.randrange(len(positions))}:
            assert body(mask, r) == positions[r], (mask, r)
            assert compiled(mask, r) == positions[r], (mask, r)


@njit
def byte_over(counts, r):
    return rng.first_byte_over(counts, r)


def test_first_byte_over():
    draw = random.Random(2)
    for _ in range(500):
        mask = masks(draw)
        r = draw.randrange(mask.bit_count())
        counts = rng.byte_counts(mask)
        assert rng.first_byte_over(counts, r) == byte_over(counts, r)
        assert (mask & (1 << rng.first_byte_over(counts, r)) - 1).bit_count() <= r


@njit
def deposited(bits, mask):
    return rng.deposit(bits, mask)


def test_deposit():
    draw = random.Random(3)
    for _ in range(300):
        mask, bits = masks(draw), draw.getrandbits(63)
        spread = rng.deposit(bits, mask)
        assert spread & ~mask == 0
        assert spread.bit_count() == (bits & (1 << mask.bit_count()) - 1).bit_count()
        if rng.DEPOSITS_FAST:
            assert deposited(bits, mask) == spread


# Random numbers ----------------------------------------------------------------


def test_splitmix_numbers_are_the_published_ones():
    """The first outputs of splitmix64 from seed 0 (and of many a library that seeds with it)."""
    stream, outputs = 0, []
    for _ in range(3):
        outputs.append(rng.mix(stream + rng.GOLDEN) & 2**64 - 1)
        stream = rng.advance(stream)
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@pytest.mark.parametrize("mask", [0, 1, 5, 2**62, 2**63 - 1])
def test_python_counts_bits_of_numpy_integers(mask):
    counts = rng.byte_counts(mask)
    assert rng.byte_counts(np.int64(mask)) == counts
    for r in range(mask.bit_count()):
        byte = rng.first_byte_over(np.int64(counts), r)
        assert byte == rng.first_byte_over(counts, r) == [*_set_bits(mask)][r] // 8 * 8


def _set_bits(mask):
    return (bit for bit in range(63) if mask >> bit & 1)


def test_draws_are_uniform():
    for n in (2, 3, 7, 36):
        counts = np.zeros(n, int)
        stream = python(rng.stream)(5, n)
        for _ in range(400 * n):
            counts[rng.draw_below(stream, n)] += 1
            stream = rng.advance(stream)
        assert abs(counts - 400).max() < 110  # over five standard deviations


def test_so_many_draws_advance_as_often():
    stream = python(rng.stream)(5, 0)
    for n in range(100):
        assert rng.after_draws(python(rng.stream)(5, 0), n) == stream
        stream = rng.advance(stream)


# Several bytes at a time ----------------------------------------------------------


@njit
def pick_two(one, first, other, second, out):
    """Bytes of two arrays, picked and united, 16 by 16 into an array of their own number."""
    some = arrays.picked(arrays.bytes_at(one, 1), arrays.bytes_at(first, 0))
    more = arrays.picked(arrays.bytes_at(other, 0), arrays.bytes_at(second, 0))
    both = arrays.united(some, more)
    ones, none = np.ones(arrays.AT_ONCE, np.uint8), np.zeros(arrays.AT_ONCE, np.uint8)
    arrays.put_products(out, 0, arrays.AT_ONCE, 0, both, ones, none)


def test_bytes_are_picked_as_in_python():
    draw, n = np.random.default_rng(0), arrays.AT_ONCE
    for _ in range(50):
        one, other = draw.integers(0, 256, (2, n + 1), np.uint8)
        numbers = draw.permutation(n).astype(np.uint8)
        first, second = (np.where(draw.random(n) < 0.5, numbers, arrays.NOTHING) for _ in "ab")
        found, wanted = np.zeros((2, n), np.uint8)
        pick_two(one, first, other, second, found)
        pick_two.py_func(one, first, other, second, wanted)
        np.testing.assert_array_equal(found, wanted)
        assert (found[(first == arrays.NOTHING) & (second == arrays.NOTHING)] == 0).all()


@njit
def rearrange(some, numbers, out):
    there = arrays.rearranged(arrays.bytes_at(some, 1), arrays.bytes_at(numbers, 0))
    ones, none = np.ones(arrays.AT_ONCE, np.uint8), np.zeros(arrays.AT_ONCE, np.uint8)
    arrays.put_products(out, 0, arrays.AT_ONCE, 0, there, ones, none)


def test_bytes_are_rearranged_as_in_python():
    draw, n = np.random.default_rng(2), arrays.AT_ONCE
    for _ in range(50):
        some = draw.integers(0, 256, n + 1, np.uint8)
        numbers = draw.integers(0, n, n, np.uint8)
        is_any = draw.random(n) < 0.5
        found, wanted = np.zeros((2, n), np.uint8)
        rearrange(some, np.where(is_any, numbers, np.uint8(arrays.NOTHING)), found)
        rearrange.py_func(some, numbers, wanted)
        np.testing.assert_array_equal(found[is_any], wanted[is_any])


@njit
def write_products(seen, to, length, some, high, low):
    for first in range(0, -(-length // arrays.LANES), arrays.AT_ONCE // arrays.LANES):
        here = arrays.bytes_at(some, first * arrays.LANES)
        arrays.put_products(seen, to, length, first, here, high, low)


@pytest.mark.parametrize("kind", [np.float32, np.uint8])
def test_products_are_those_of_python(kind):
    draw = np.random.default_rng(1)
    for length in (16, 17, 31, 32, 36, 64, 65, 127, 128, 129):
        numbers = -(-length // arrays.LANES) * arrays.LANES
        some = draw.integers(0, 256, numbers + arrays.AT_ONCE, np.uint8)
        high = (draw.integers(0, 2**16, numbers) / 2**14).astype(kind)  # so that products are exact
        low = (draw.random(numbers) * 3).astype(kind)
        found, wanted = np.full((2, length + 5), 77, kind)
        write_products(found, 3, length, some, high, low)
        write_products.py_func(wanted, 3, length, some, high, low)
        np.testing.assert_array_equal(found, wanted)
        assert (found[:3] == 77).all() and (found[3 + length :] == 77).all()
        whole = length // arrays.LANES * arrays.LANES
        plain = some[:whole] * high[:whole] + some[:whole] * low[:whole]
        if length == whole:
            np.testing.assert_array_equal(found[3 : 3 + whole], plain.astype(kind))


def test_aligned_arrays_begin_where_a_line_does():
    for first in range(arrays.CACHE_LINE):
        array = np.arange(200, dtype=np.uint8)[first:].reshape(-1, 1)
        same = arrays.aligned(array)
        np.testing.assert_array_equal(same, array)
        assert same.ctypes.data % arrays.CACHE_LINE == 0
        assert same.flags.c_contiguous
        assert arrays.aligned(same) is same


# On other processors, and without compiling ------------------------------------------


def said_by_python(program, environment):
    """What a program says in JSON, run in an environment of its own; nothing on stderr."""
    out = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert out.stderr == ""
    return json.loads(out.stdout)


BATCHES = """
import json
import mancala_ai as ma
from mancala_ai import arrays, rng

def play(spec, normalize):
    return go_on(ma.make(spec).batch(4, seed=4, max_plies=9, normalize=normalize), 12)

def go_on(batch, steps):
    shown = []
    for _ in range(steps):
        batch.step(batch.random_actions())
        shown.append([batch.observation.tolist(), batch.infos["action_mask"].tolist()])
    return shown

def play_all():
    specs = "kalah:columns=2", "omweso", "hoyito_iii"
    return [play(spec, normalize) for spec in specs for normalize in (False, True)]
"""


@pytest.mark.parametrize("features", ["+ssse3,+sse4.2,+avx2", "+sse2"])
def test_batches_are_the_same_on_other_processors(features):
    """Bytes are picked 64 or 16 at a time or one by one; not all processors have ``pdep``."""
    batch = ma.make("hoyito_iii").batch(20, seed=5)
    program = f"""{BATCHES}
import pickle
taken_along = go_on(pickle.loads({pickle.dumps(batch)!r}), 3)
print(json.dumps([arrays.AT_ONCE, rng.DEPOSITS_FAST, play_all(), taken_along]))
"""
    processor = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": features}
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("these are features of x86-64")
    said = said_by_python(program, processor)
    scope: dict = {}
    exec(BATCHES, scope)
    wanted = [16, False, scope["play_all"](), scope["go_on"](batch, 3)]
    assert said == json.loads(json.dumps(wanted))


OPTIONS = {
    "omweso": {"setup": "random", "akakyala": True, "max_laps": 60},
    "katro": {"direction": "kept", "lone_seed": True, "max_laps": 60},
    "oware": {"repetition": "split_rows", "grand_slam": "illegal_unless_forced"},
    "tsoro": {"columns": 6, "protected_heads": True, "max_laps": 60},
    "hoyito_iii": {"columns": 4, "max_laps": 60},
}
PLAY = f"""
import json, random, sys
import mancala_ai as ma

def play(name, options):
    game = ma.make(name, **options)
    state, texts, rng = game.initial_state(), [], random.Random(name)
    for _ in range(16):
        texts.append([state.to_text(), state.points, state.legal_actions()])
        if state.is_terminal:
            break
        action = rng.choice(state.legal_actions())
        texts[-1].append(str(state.trace(action)))
        state = state.apply(action)
    games = game.random_games(2, seed=3, max_plies=25)
    texts.append([column.tolist() for column in games])
    texts.append([game.perft(2), str(game.relay_lengths(game.initial_state(), max_laps=20))])
    batch = game.batch(2, seed=4, opponent="random", seat="random", max_plies=9)
    for _ in range(12):
        batch.step(batch.random_actions())
    texts.append([batch.observation.tolist(), batch.rewards.tolist(), batch.seeds.tolist()])
    return texts

def play_all():
    options = {OPTIONS!r}
    return {{name: play(name, options.get(name, {{}})) for name in {NAMES!r}}}
"""


def test_python_plays_the_same_games():
    """NUMBA_DISABLE_JIT=1, for debugging and coverage, changes nothing but the speed."""
    program = (
        f"{PLAY}\nimport numba\nassert numba.config.DISABLE_JIT\nprint(json.dumps(play_all()))"
    )
    said = said_by_python(program, {"NUMBA_DISABLE_JIT": "1"})
    scope: dict = {}
    exec(PLAY, scope)
    compiled = json.loads(json.dumps(scope["play_all"]()))
    assert said == compiled
    assert set(compiled) == set(ma.games())
