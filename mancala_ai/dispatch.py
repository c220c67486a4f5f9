"""Generic functions over games: one name, one version per type of rules.

Playouts, searches, perft and batches are written once, as jitted functions that
call ``legal(rules, state)``, ``lap(rules, state)`` and so on. These names are
*generic functions*: a game registers its own version for the type of its rules
(a ``NamedTuple`` of integers), and Numba compiles a loop once per rules type
with the game's version inlined into it. The values in the rules are ordinary
run-time values, so changing an option never recompiles.

What a game supplies (``rules/omweso.py`` is a full example):

==================  =========================================================
``legal``           the legal actions, as two bit masks
``begin``           an action up to its first lap, or whole if it sows nothing
``lap``             one lap: sow the seeds in hand, and say what follows
``settle``          the start of a turn: passes, and the end of the game
``winner``          who won a finished game
==================  =========================================================

and, where the default below does not fit, ``rollout_legal``, ``second_word``,
``prize``, ``deal``, ``opposing_seeds``, ``counts_repetition`` and
``end_by_repetition``; for searches ``seeds_ahead``, ``features``, ``stake`` and
``future``.

A state in a kernel is a ``NamedTuple`` of register values; stored, it is one row
of bytes (:func:`load`, :func:`save`). Its fields are annotated ``Pits8`` ...
``Pits64``, ``Byte`` or ``Mask``; ``phase``, ``player``, ``pit`` and ``hand`` (the
pending lap) are always among them. Rules have a field ``max_laps``. Kernels make no
arrays (``cache.entry``).

Read next: ``rules/omweso.py``, ``playout.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, get_type_hints

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import lower_builtin, overload, type_callable

from .rng import GOLDEN, _emit_mix, mix
from .sowing import Pits

# Phases. A game numbers the choices of its own from 1 to 7.
SOW = 0  # a pit is to be chosen
OVER = 8  # finished, with a result
ANNULLED = 9  # finished without a result: a move that went on too long
SOWING = 16  # seeds are in hand; only inside a move

ONE_WORD = 63  # second_word() where the first mask has room for all actions
DRAW = 2  # winner() of a drawn game

UNIT = 16  # of scores: a seed
WIN = 1 << 14  # the score of a won game, beyond any number of seeds

Pits8 = Annotated[Any, Pits(8)]
Pits16 = Annotated[Any, Pits(16)]
Pits32 = Annotated[Any, Pits(32)]
Pits64 = Annotated[Any, Pits(64)]
Byte = Annotated[int, types.uint8]
Mask = Annotated[int, types.int64]

_states: dict[str, type] = {}  # the state class of each rules class, by its name


def generic(function: Callable[..., Any]) -> Any:
    """Make ``function`` generic in the type of its first argument.

    The result is a plain name for jitted code and for Python alike (so that
    ``NUMBA_DISABLE_JIT=1`` works); the function's own body is the default.
    ``name.register(Rules)`` decorates the version of one game.
    """
    versions: dict[type, Callable[..., Any]] = {}

    def dispatcher(rules: Any, *args: Any) -> Any:
        return versions.get(type(rules), function)(rules, *args)

    def typed(rules: Any, *args: Any) -> Any:
        return versions.get(getattr(rules, "instance_class", type(None)), function)

    def register(rules_type: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def add(version: Callable[..., Any]) -> Callable[..., Any]:
            versions[rules_type] = version
            return version

        return add

    # Numba binds arguments by signature, and cannot bind ``*args`` to an inlined version
    signature = inspect.signature(function)
    for wrapper in (dispatcher, typed):
        wrapper.__signature__ = signature  # type: ignore[attr-defined]
    dispatcher.__doc__, dispatcher.__name__ = function.__doc__, function.__name__
    dispatcher.register = register  # type: ignore[attr-defined]
    overload(dispatcher, strict=False, jit_options={"forceinline": True})(typed)
    return dispatcher


@generic
def legal(rules, state):
    """The legal actions: bit a of the first mask is action a.

    Bit b of the second mask is action ``second_word(rules) + b``. A live state
    has at least one legal action, a finished one none.
    """
    raise NotImplementedError


@generic
def second_word(rules):
    """The action that bit 0 of the second mask of :func:`legal` stands for.

    ``ONE_WORD``: that mask is always empty.
    """
    return ONE_WORD


@generic
def rollout_legal(rules, state):
    """The actions that random playouts choose from: all legal ones, unless a game says else."""
    return legal(rules, state)


@generic
def begin(rules, state, action):
    """The state once the action is chosen: ``SOWING`` if seeds were lifted to be sown.

    If the turn is over it is ``SOW``, not yet settled (:func:`settle` is called next).
    """
    raise NotImplementedError


@generic
def lap(rules, state):
    """The state after the seeds in hand were sown: ``SOWING`` if the relay goes on.

    If the turn is over it is ``SOW``, not yet settled (:func:`settle` is called next).
    """
    raise NotImplementedError


@generic
def settle(rules, state):
    """A state at the start of a turn, after passes, and marked as finished if it is."""
    raise NotImplementedError


@generic
def winner(rules, state):
    """The player who won a game that is ``OVER``: 0, 1 or ``DRAW``."""
    raise NotImplementedError


@generic
def prize(rules, state):
    """Points for winning a game that is ``OVER``."""
    return 1.0


@generic
def deal(rules, state, stream):
    """The initial state with its random part drawn, and the stream after that."""
    return state, stream


@generic
def opposing_seeds(rules, state):
    """A number that changes whenever a relay captures and goes on."""
    return 0


@generic
def counts_repetition(rules):
    """Whether a position that occurs a second time ends the game."""
    return False


@generic
def end_by_repetition(rules, state):
    """The finished state when a position occurred a second time."""
    return state


# What searches ask besides; scores are in sixteenths of a seed (UNIT)


@generic
def seeds_ahead(rules, state):
    """Captured seeds of the player to move, less the opponent's, where seeds decide the game."""
    return 0


@generic
def features(rules, state):
    """Four numbers by which a live state is valued: the player to move's less the opponent's.

    ``Game.WEIGHTS`` says what each is worth, in sixteenths of a seed to be won from here
    on; captured seeds are counted apart.
    """
    return 0, 0, 0, 0


@generic
def stake(rules, state):
    """The most that either player can still win from here on, in sixteenths of a seed."""
    return WIN


@generic
def future(rules, state):
    """The state without what does not matter for the seeds still to be won."""
    return state


@njit(forceinline=True)
def begun(rules, state, action):
    """:func:`begin`, and :func:`settle` if that was the whole turn."""
    state = begin(rules, state, action)
    return settle(rules, state) if state.phase == SOW else state


@njit(forceinline=True)
def lapped(rules, state):
    """:func:`lap`, and :func:`settle` if that ended the turn."""
    state = lap(rules, state)
    return settle(rules, state) if state.phase == SOW else state


@njit(forceinline=True)
def apply(rules, state, action):
    """The state after a legal action (unchecked), up to the next decision or the end.

    A relay that has made ``max_laps`` laps and would go on annuls the game; the
    board is left as it stood at the decision.
    """
    after = begun(rules, state, action)
    laps = 0
    while after.phase == SOWING:
        if laps >= rules.max_laps:
            return with_phase(state, ANNULLED)
        after = lapped(rules, after)
        laps += 1
    return after


@njit(forceinline=True)
def points(rules, state):
    """The game's own score ``(p0, p1)``; zeros while the game runs and when annulled."""
    if state.phase != OVER:
        return 0.0, 0.0
    won_by = winner(rules, state)
    if won_by == DRAW:
        return 0.5, 0.5
    won = prize(rules, state)
    return (won, 0.0) if won_by == 0 else (0.0, won)


# Stored states -------------------------------------------------------------


def register_state(rules_type: type, state_type: type) -> None:
    """Say which state belongs to a type of rules; needed once, before any kernel runs."""
    # Numba tells NamedTuple types apart by the name of the class
    known = _states.setdefault(rules_type.__name__, state_type)
    if known is not state_type:
        raise ValueError(
            f"there is a game with rules of the name {rules_type.__name__} already; "
            f"to define it anew, restart Python"
        )


@cache
def state_fields(state_type: type) -> Mapping[str, Any]:
    """Name to Numba type (``Pits`` or ``uint8``) of each field of a state, in stored order."""
    hints = get_type_hints(state_type, include_extras=True)
    return MappingProxyType({name: hint.__metadata__[0] for name, hint in hints.items()})


def field_size(field: Any) -> int:
    """Bytes that a field takes in a stored state."""
    return field.size if isinstance(field, Pits) else field.bitwidth // 8


def stored_size(state_type: type) -> int:
    """Bytes of a stored state."""
    return sum(field_size(field) for field in state_fields(state_type).values())


class Fields(Mapping[str, Any]):
    """The fields of a stored state by name, each read when it is asked for.

    Parameters
    ----------
    row : bytes
    layout : Mapping
        Offset and type of each field.
    """

    __slots__ = ("_layout", "_row")

    def __init__(self, row: bytes, layout: Mapping[str, tuple[int, Any]]) -> None:
        self._row, self._layout = row, layout

    def __getitem__(self, name: str) -> Any:
        at, field = self._layout[name]
        if isinstance(field, Pits):
            return np.frombuffer(self._row, np.uint8, field.size, at).astype(np.int64)
        if field is types.uint8:
            return self._row[at]
        return int.from_bytes(self._row[at : at + field_size(field)], "little")

    def __contains__(self, name: object) -> bool:
        return name in self._layout

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)


def load(rules: Any, rows: Any, index: int) -> Any:
    """The state stored in row ``index`` of ``rows``, a C-contiguous uint8 (n, size) array."""
    state_type = _states[type(rules).__name__]
    values, at = [], 0
    for field in state_fields(state_type).values():
        stored = rows[index, at : at + field_size(field)]
        if isinstance(field, Pits):
            values.append(stored.copy())
        else:
            values.append(int.from_bytes(stored.tobytes(), "little"))
        at += field_size(field)
    return state_type(*values)


def save(rules: Any, rows: Any, index: int, state: Any) -> None:
    """Store a state in row ``index`` of ``rows``."""
    at = 0
    for field, value in zip(state_fields(state.__class__).values(), state, strict=True):
        size = field_size(field)
        if not isinstance(field, Pits):
            value = np.frombuffer(int(value).to_bytes(size, "little"), np.uint8)
        rows[index, at : at + size] = value
        at += size


def with_phase(state: Any, phase: int) -> Any:
    """The state in another phase, all else equal."""
    return state._replace(phase=phase)


def fingerprint(state: Any) -> int:
    """A 64-bit hash of all fields of a state.

    Pairs of 64-bit words, each mixed with a number of its own, are multiplied and the
    halves of the product combined, as in wyhash (Wang Yi, 2019).
    """
    words, small = [], 0
    for field, value in zip(state_fields(state.__class__).values(), state, strict=True):
        if isinstance(field, Pits):
            words += np.ascontiguousarray(value).view(np.uint64).tolist()
        elif field == types.uint8:
            small = small * _SMALL_STEP + value & _MASK64
        else:
            words.append(int(value))
    words.append(small)
    words += [0] * (len(words) % 2)
    result = 0
    for i in range(0, len(words), 2):
        product = (words[i] ^ _salt(i)) * (words[i + 1] ^ _salt(i + 1))
        result ^= product ^ product >> 64
    return mix(result & _MASK64)


_MASK64 = (1 << 64) - 1
_SMALL_STEP = 0x100000001B3  # of the hash FNV-1


def _salt(index: int) -> int:
    return mix((index + 1) * GOLDEN) & _MASK64


def _register_type(state_type: type) -> types.NamedTuple:
    fields = state_fields(state_type).values()
    return types.NamedTuple(
        [field if isinstance(field, Pits) else types.int64 for field in fields], state_type
    )


def same(a: Any, b: Any) -> bool:
    """Whether two states are equal in every field."""
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@type_callable(same)
def _type_same(context):
    return lambda a, b: types.boolean if a == b else None


@lower_builtin(same, types.NamedTuple, types.NamedTuple)
def _lower_same(context, builder, sig, args):
    equal = cgutils.true_bit
    for a, b in zip(*(cgutils.unpack_tuple(builder, state) for state in args), strict=True):
        if isinstance(a.type, ir.VectorType):
            bits = ir.IntType(8 * a.type.count)
            a, b = builder.bitcast(a, bits), builder.bitcast(b, bits)
        equal = builder.and_(equal, builder.icmp_unsigned("==", a, b))
    return equal


@type_callable(fingerprint)
def _type_fingerprint(context):
    return lambda state: types.int64


@lower_builtin(fingerprint, types.NamedUniTuple)
@lower_builtin(fingerprint, types.NamedTuple)
def _lower_fingerprint(context, builder, sig, args):
    word = ir.IntType(64)
    words, small = [], ir.Constant(word, 0)
    fields = state_fields(sig.args[0].instance_class).values()
    for field, value in zip(fields, cgutils.unpack_tuple(builder, args[0]), strict=True):
        if isinstance(field, Pits):
            parts = builder.bitcast(value, ir.VectorType(word, field.size // 8))
            words += [
                builder.extract_element(parts, ir.Constant(ir.IntType(32), i))
                for i in range(field.size // 8)
            ]
        elif field == types.uint8:
            small = builder.add(builder.mul(small, ir.Constant(word, _SMALL_STEP)), value)
        else:
            words.append(value)
    words.append(small)
    words += [ir.Constant(word, 0)] * (len(words) % 2)
    wide = ir.IntType(128)
    result = ir.Constant(word, 0)
    for i in range(0, len(words), 2):
        a, b = (
            builder.zext(builder.xor(words[j], ir.Constant(word, _salt(j))), wide)
            for j in (i, i + 1)
        )
        product = builder.mul(a, b)
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        result = builder.xor(result, builder.xor(builder.trunc(product, word), high))
    return _emit_mix(builder, result)


@type_callable(load)
def _type_load(context):
    return lambda rules, rows, index: _register_type(_states[rules.instance_class.__name__])


@type_callable(save)
def _type_save(context):
    return lambda rules, rows, index, state: types.none


@type_callable(with_phase)
def _type_with_phase(context):
    return lambda state, phase: state


def _row_pointers(context, builder, array_type, array, index, fields):
    """A pointer to each field of a row, ready for an unaligned load or store."""
    array = context.make_array(array_type)(context, builder, array)
    stride = cgutils.unpack_tuple(builder, array.strides)[0]
    row = builder.gep(array.data, [builder.mul(index, stride)])
    at = 0
    for field in fields:
        pointer = builder.gep(row, [ir.Constant(ir.IntType(64), at)])
        yield builder.bitcast(pointer, context.get_value_type(field).as_pointer())
        at += field_size(field)


@lower_builtin(load, types.NamedUniTuple, types.Array, types.Integer)
@lower_builtin(load, types.NamedTuple, types.Array, types.Integer)
def _lower_load(context, builder, sig, args):
    state_type = sig.return_type
    fields = list(state_fields(state_type.instance_class).values())
    index = context.cast(builder, args[2], sig.args[2], types.int64)
    values = []
    pointers = _row_pointers(context, builder, sig.args[1], args[1], index, fields)
    for field, pointer in zip(fields, pointers, strict=True):
        value = builder.load(pointer, align=1)
        values.append(builder.zext(value, ir.IntType(64)) if field == types.uint8 else value)
    return context.make_tuple(builder, state_type, values)


@lower_builtin(save, types.NamedUniTuple, types.Array, types.Integer, types.NamedTuple)
@lower_builtin(save, types.NamedTuple, types.Array, types.Integer, types.NamedTuple)
def _lower_save(context, builder, sig, args):
    fields = list(state_fields(sig.args[3].instance_class).values())
    index = context.cast(builder, args[2], sig.args[2], types.int64)
    pointers = _row_pointers(context, builder, sig.args[1], args[1], index, fields)
    values = cgutils.unpack_tuple(builder, args[3])
    for field, value, pointer in zip(fields, values, pointers, strict=True):
        stored = builder.trunc(value, ir.IntType(8)) if field == types.uint8 else value
        builder.store(stored, pointer, align=1)
    return context.get_dummy_value()


@lower_builtin(with_phase, types.NamedTuple, types.Integer)
def _lower_with_phase(context, builder, sig, args):
    phase = context.cast(builder, args[1], sig.args[1], types.int64)
    return builder.insert_value(args[0], phase, sig.args[0].fields.index("phase"))
