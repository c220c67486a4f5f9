"""Pits in registers: the dozen primitives in which the rules of every game are written.

A row, or a whole ring, of pits is one value of type :class:`Pits`: up to ``n``
pits of a byte each in one LLVM vector ``<n x i8>``. A *set of pits* is an
``int64`` bit mask: pit i is bit i. Everything a rule says then becomes one or
two machine instructions without a branch:

- which pits hold ...?        ``at_least(pits, 2)``, ``exactly(pits, 3)`` -> mask
- how many seeds in a pit?    ``seeds(pits, pit)``, ``total(pits)`` -> int
- lift, take, lay             ``emptied(pits, pit)``, ``keep(pits, mask)``, ``put(pits, pit, k)``
- drop one seed a pit         ``drop(pits, mask)``
- a whole lap                 ``sow(pits, start, hand, ring)`` -> (pits, landing, seeds there)
- a choice without a jump     ``select(condition, a, b)``

Masks never use bit 63, so that plain signed integers serve and Python's
operators mean in a kernel what they mean in Python. Nothing checks bounds:
positions are validated once, at the public boundary.

Each primitive is a Python function on ``uint8`` arrays (that is what runs when
``NUMBA_DISABLE_JIT=1``, and what the tests compare with) beside the LLVM
instructions that replace it in compiled code. Only target-independent
instructions are used: x86-64 gets SSE, AVX2 or AVX-512, aarch64 gets NEON.

Read next: ``dispatch.py`` (how a game's functions reach the generic loops),
then any file in ``rules/``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

I1, I8, I32, I64 = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)


class Pits(types.Type):
    """The Numba type of up to ``size`` pits; ``size`` is 8, 16, 32 or 64."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(name=f"Pits({size})")


@register_model(Pits)
class _PitsModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Pits) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(I8, fe_type.size))


def _compiles_to(function: Callable[..., Any], result: Any, *arguments: Any) -> Callable[..., Any]:
    """Give a Python function the LLVM instructions that replace it in compiled code.

    ``arguments`` and ``result`` are Numba types, or "pits" for the Pits type of
    the first argument. The decorated function receives the builder, the number
    of lanes and the LLVM values.
    """

    def decorate(emit: Callable[..., Any]) -> Callable[..., Any]:
        @type_callable(function)
        def typing(context: Any) -> Callable[..., Any]:
            def typer(*actual: Any) -> Any:
                if len(actual) == len(arguments) and isinstance(actual[0], Pits):
                    return actual[0] if result == "pits" else result
                return None

            typer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
            return typer

        @lower_builtin(function, types.VarArg(types.Any))
        def lowering(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            cast = [
                value if expected == "pits" else context.cast(builder, value, actual, expected)
                for value, actual, expected in zip(values, sig.args, arguments, strict=True)
            ]
            return emit(builder, sig.args[0].size, *cast)

        return emit

    return decorate


def _vector(size: int) -> ir.VectorType:
    return ir.VectorType(I8, size)


def _zeros(size: int) -> ir.Constant:
    return ir.Constant(_vector(size), [0] * size)


def _splat(builder: Any, value: Any, size: int) -> Any:
    """The low byte of an i64 in every lane."""
    undefined = ir.Constant(_vector(size), ir.Undefined)
    one = builder.insert_element(undefined, builder.trunc(value, I8), ir.Constant(I32, 0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(I32, size), [0] * size))


def _to_mask(builder: Any, flags: Any, size: int) -> Any:
    bits = builder.bitcast(flags, ir.IntType(size))
    return bits if size == 64 else builder.zext(bits, I64)


def _to_flags(builder: Any, mask: Any, size: int) -> Any:
    bits = mask if size == 64 else builder.trunc(mask, ir.IntType(size))
    return builder.bitcast(bits, ir.VectorType(I1, size))


def _llvm(builder: Any, name: str, signature: ir.FunctionType) -> Any:
    """An LLVM intrinsic by its full name."""
    return cgutils.get_or_insert_function(builder.module, signature, name)


def _flags(mask: int, size: int) -> np.ndarray:
    return np.array([mask >> i & 1 for i in range(size)], np.bool_)


def _mask(flags: np.ndarray) -> int:
    return sum(1 << i for i in range(len(flags)) if flags[i])


def at_least(pits: Any, count: int) -> int:
    """Mask of the pits that hold ``count`` seeds or more."""
    return _mask(pits >= count)


@_compiles_to(at_least, types.int64, "pits", types.int64)
def _(builder: Any, size: int, pits: Any, count: Any) -> Any:
    return _to_mask(builder, builder.icmp_unsigned(">=", pits, _splat(builder, count, size)), size)


def exactly(pits: Any, count: int) -> int:
    """Mask of the pits that hold ``count`` seeds."""
    return _mask(pits == count)


@_compiles_to(exactly, types.int64, "pits", types.int64)
def _(builder: Any, size: int, pits: Any, count: Any) -> Any:
    return _to_mask(builder, builder.icmp_unsigned("==", pits, _splat(builder, count, size)), size)


def seeds(pits: Any, pit: int) -> int:
    """Seeds in one pit."""
    return int(pits[pit])


@_compiles_to(seeds, types.int64, "pits", types.int64)
def _(builder: Any, size: int, pits: Any, pit: Any) -> Any:
    return builder.zext(builder.extract_element(pits, pit), I64)


def total(pits: Any) -> int:
    """Seeds in all pits (at most 255)."""
    return int(pits.sum())


@_compiles_to(total, types.int64, "pits")
def _(builder: Any, size: int, pits: Any) -> Any:
    vector = _vector(size)
    reduce = _llvm(builder, f"llvm.vector.reduce.add.v{size}i8", ir.FunctionType(I8, [vector]))
    return builder.zext(builder.call(reduce, [pits]), I64)


def keep(pits: Any, mask: int) -> Any:
    """The pits with every pit outside the mask emptied."""
    return np.where(_flags(mask, len(pits)), pits, 0).astype(np.uint8)


@_compiles_to(keep, "pits", "pits", types.int64)
def _(builder: Any, size: int, pits: Any, mask: Any) -> Any:
    return builder.select(_to_flags(builder, mask, size), pits, _zeros(size))


def emptied(pits: Any, pit: int) -> Any:
    """The pits with one pit emptied (a number past the last pit empties none)."""
    return np.where(np.arange(len(pits)) == pit, 0, pits).astype(np.uint8)


@_compiles_to(emptied, "pits", "pits", types.int64)
def _(builder: Any, size: int, pits: Any, pit: Any) -> Any:
    numbers = ir.Constant(_vector(size), list(range(size)))
    chosen = builder.icmp_unsigned("==", numbers, _splat(builder, pit, size))
    return builder.select(chosen, _zeros(size), pits)


def put(pits: Any, pit: int, count: int) -> Any:
    """The pits with ``count`` seeds more in one pit."""
    return (pits + np.where(np.arange(len(pits)) == pit, count, 0)).astype(np.uint8)


@_compiles_to(put, "pits", "pits", types.int64, types.int64)
def _(builder: Any, size: int, pits: Any, pit: Any, count: Any) -> Any:
    more = builder.add(builder.extract_element(pits, pit), builder.trunc(count, I8))
    return builder.insert_element(pits, more, pit)


def drop(pits: Any, mask: int) -> Any:
    """The pits with one seed more in every pit of the mask."""
    return pits + _flags(mask, len(pits)).astype(np.uint8)


@_compiles_to(drop, "pits", "pits", types.int64)
def _(builder: Any, size: int, pits: Any, mask: Any) -> Any:
    # a set flag sign-extends to -1: subtracting it adds the seed
    return builder.sub(pits, builder.sext(_to_flags(builder, mask, size), _vector(size)))


def select(condition: bool, a: Any, b: Any) -> Any:
    """``a`` if the condition holds, else ``b``: both are computed, nothing is predicted."""
    return a if condition else b


@type_callable(select)
def _type_select(context: Any) -> Callable[..., Any]:
    return lambda condition, a, b: a if isinstance(a, Pits) and a == b else types.int64


@lower_builtin(select, types.Any, types.Any, types.Any)
def _lower_select(context: Any, builder: Any, sig: Any, values: Any) -> Any:
    condition = context.cast(builder, values[0], sig.args[0], types.boolean)
    a, b = (
        context.cast(builder, value, actual, sig.return_type)
        for value, actual in zip(values[1:], sig.args[1:], strict=True)
    )
    if isinstance(sig.return_type, Pits):
        # a vector chosen by one flag would become a jump: choose lane by lane
        size = sig.return_type.size
        every = _splat(builder, builder.sext(condition, I64), size)
        condition = builder.icmp_signed("<", every, _zeros(size))
    return builder.select(condition, a, b)


def half_turn(pits: Any) -> Any:
    """The first half of the lanes exchanged with the second: the board from the other side."""
    return np.roll(pits, len(pits) // 2)


@_compiles_to(half_turn, "pits", "pits")
def _(builder: Any, size: int, pits: Any) -> Any:
    lanes = [(lane + size // 2) % size for lane in range(size)]
    undefined = ir.Constant(pits.type, ir.Undefined)
    return builder.shuffle_vector(pits, undefined, ir.Constant(ir.VectorType(I32, size), lanes))


def sow_within(pits: Any, start: int, hand: int, ring: int) -> Any:
    """One seed more in each of the ``hand`` pits after ``start`` on the ring 0 ... ring-1.

    A start of -1 sows from pit 0. The hand is smaller than the ring: no pit is
    reached twice.
    """
    lanes = np.arange(len(pits))
    reached = ((lanes - start - 1) % ring < hand) & (lanes < ring)
    return pits + reached.astype(np.uint8)


@_compiles_to(sow_within, "pits", "pits", types.int64, types.int64, types.int64)
def _(builder: Any, size: int, pits: Any, start: Any, hand: Any, ring: Any) -> Any:
    # How many steps ahead of the start each pit lies: its number less the first pit's, plus
    # the ring if it lies behind. In unsigned bytes "behind" is a large number, so the smaller
    # of the two is right. The hand, the last value to be known, is compared at the very end.
    vector = _vector(size)
    lanes = ir.Constant(vector, list(range(size)))
    rings = _splat(builder, ring, size)
    off_ring = builder.sext(builder.icmp_unsigned(">=", lanes, rings), vector)
    first = builder.add(start, ir.Constant(I64, 1))
    ahead = builder.sub(lanes, _splat(builder, first, size))
    smaller = _llvm(builder, f"llvm.umin.v{size}i8", ir.FunctionType(vector, [vector, vector]))
    ahead = builder.call(smaller, [ahead, builder.add(ahead, rings)])
    ahead = builder.or_(ahead, off_ring)  # 255 steps: never reached
    reached = builder.icmp_unsigned("<", ahead, _splat(builder, hand, size))
    return builder.sub(pits, builder.sext(reached, vector))


@njit(forceinline=True)
def below(pit):
    """Mask of the pits numbered below ``pit`` (at most 62)."""
    return (1 << pit) - 1


@njit(forceinline=True)
def landing_pit(start, hand, ring):
    """Where the last of ``hand`` seeds falls, counter-clockwise; ``hand`` is at most the ring."""
    landing = start + hand
    return select(landing >= ring, landing - ring, landing)


@njit(forceinline=True)
def sow(pits, start, hand, ring):
    """Sow ``hand`` seeds counter-clockwise from ``start`` round the pits 0 ... ring-1.

    Returns the pits, where the last seed fell, and how many seeds lie there now. The
    start is not skipped. What will lie in the landing pit is looked up before the lap is
    sown, so that the processor knows the next hand early.
    """
    while hand >= ring:  # a whole round reaches every pit once
        pits = drop(pits, below(ring))
        hand -= ring
    landing = landing_pit(start, hand, ring)
    there = seeds(pits, landing) + select(hand == 0, 0, 1)
    return sow_within(pits, start, hand, ring), landing, there


@njit(forceinline=True)
def sow_clockwise(pits, start, hand, ring):
    """Like :func:`sow`, towards lower pit numbers."""
    while hand >= ring:
        pits = drop(pits, below(ring))
        hand -= ring
    landing = start - hand
    landing = select(landing < 0, landing + ring, landing)
    there = seeds(pits, landing) + select(hand == 0, 0, 1)
    return sow_within(pits, landing - 1, hand, ring), landing, there


@njit(forceinline=True)
def reached(start, hand, ring):
    """Mask of the ``hand`` pits after ``start`` on a ring of at most 30; the hand is smaller."""
    ahead = below(hand) << (start + 1)
    return (ahead | ahead >> ring) & below(ring)
