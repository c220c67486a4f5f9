"""Random numbers by counter, and choices among the bits of a mask.

Game i of seed s draws from its own stream, ``stream(s, i)``: the same numbers
whatever thread, process or machine plays it, and whatever was played before.
A stream is one 64-bit integer held in a register: splitmix64 (Steele, Lea and
Flood, "Fast splittable pseudorandom number generators", 2014).

Streams hold ``int64`` values (the bits of the unsigned state), so that kernels
never mix signed with unsigned integers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import config, njit, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.extending import lower_builtin, type_callable

GOLDEN = 0x9E3779B97F4A7C15
_MASK64 = (1 << 64) - 1
_I64 = ir.IntType(64)


def _signed(value: int) -> int:
    value &= _MASK64
    return value - (1 << 64) if value >> 63 else value


def _integer_primitive(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a Python function on integers its LLVM instructions (all arguments are int64)."""

    def decorate(emit: Callable[..., Any]) -> Callable[..., Any]:
        @type_callable(function)
        def typing(context: Any) -> Callable[..., Any]:
            def typer(*arguments: Any) -> Any:
                return types.int64

            typer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
            return typer

        @lower_builtin(function, types.VarArg(types.Any))
        def lowering(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            cast = [
                context.cast(builder, value, actual, types.int64)
                for value, actual in zip(values, sig.args, strict=True)
            ]
            return emit(builder, *cast)

        return emit

    return decorate


def _constant(value: int) -> ir.Constant:
    return ir.Constant(_I64, value)


def mix(x: int) -> int:
    """The output function of splitmix64: a bijection of 64 bits."""
    x &= _MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK64
    return _signed(x ^ x >> 31)


def _emit_mix(builder: Any, x: Any) -> Any:
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = builder.xor(x, builder.lshr(x, _constant(shift)))
        x = builder.mul(x, _constant(factor))
    return builder.xor(x, builder.lshr(x, _constant(31)))


_integer_primitive(mix)(_emit_mix)


def advance(stream: int) -> int:
    """The stream after one draw."""
    return _signed(stream + GOLDEN)


_integer_primitive(advance)(lambda builder, stream: builder.add(stream, _constant(GOLDEN)))


def after_draws(stream: int, n: int) -> int:
    """The stream after n draws."""
    return _signed(int(stream) + int(n) * GOLDEN)  # NumPy integers have no room


@_integer_primitive(after_draws)
def _emit_after_draws(builder: Any, stream: Any, n: Any) -> Any:
    return builder.add(stream, builder.mul(n, _constant(GOLDEN)))


def draw_below(stream: int, n: int) -> int:
    """A uniform integer in 0 ... n-1 (0 < n < 2**31), from the next number of the stream."""
    return ((mix(stream + GOLDEN) & _MASK64) >> 32) * n >> 32


@_integer_primitive(draw_below)
def _emit_draw_below(builder: Any, stream: Any, n: Any) -> Any:
    number = _emit_mix(builder, builder.add(stream, _constant(GOLDEN)))
    high = builder.lshr(number, _constant(32))
    return builder.lshr(builder.mul(high, n), _constant(32))


def bit_count(mask: int) -> int:
    """How many bits of the mask are set."""
    return int(mask).bit_count()


@_integer_primitive(bit_count)
def _emit_bit_count(builder: Any, mask: Any) -> Any:
    return builder.ctpop(mask)


# _NTH[8 * byte + r] is the position of the r-th set bit of the byte
_NTH = np.array(
    [([b for b in range(8) if byte >> b & 1] + [0] * 8)[:8] for byte in range(256)], np.uint8
).reshape(-1)
_ONES, _TOPS, _LOW7 = 0x0101010101010101, 0x8080808080808080, 0x7F7F7F7F7F7F7F7F


def byte_counts(mask: int) -> int:
    """Byte i of the result: how many bits are set in bytes 0 ... i of the mask (bit 63 unset)."""
    bits = int(mask)  # a NumPy integer has no room for the masks
    return _signed(sum((bits & (1 << 8 * i + 8) - 1).bit_count() << 8 * i for i in range(8)))


@_integer_primitive(byte_counts)
def _emit_byte_counts(builder: Any, x: Any) -> Any:
    def halves(shift: int, kept: int, x: Any) -> Any:
        low = builder.and_(x, _constant(kept))
        return builder.add(low, builder.and_(builder.lshr(x, _constant(shift)), _constant(kept)))

    x = halves(1, 0x5555555555555555, x)
    x = halves(2, 0x3333333333333333, x)
    x = builder.add(x, builder.lshr(x, _constant(4)))
    x = builder.and_(x, _constant(0x0F0F0F0F0F0F0F0F))
    return builder.mul(x, _constant(_ONES))


def first_byte_over(counts: int, r: int) -> int:
    """Eight times the number of the first byte of ``byte_counts`` that exceeds r."""
    return next(8 * i for i in range(8) if (counts >> 8 * i & 255) > r)


@_integer_primitive(first_byte_over)
def _emit_first_byte_over(builder: Any, counts: Any, r: Any) -> Any:
    not_over = builder.sub(_constant(_LOW7), builder.mul(r, _constant(_ONES)))
    over = builder.and_(builder.add(counts, not_over), _constant(_TOPS))
    # the lowest flag is bit 7 of its byte; 8 * byte = trailing zeros - 7
    zeros = builder.cttz(over, ir.Constant(ir.IntType(1), 1))
    return builder.sub(zeros, _constant(7))


@njit(forceinline=True)
def stream(seed, index):
    """The stream of game ``index`` under ``seed``."""
    return mix(mix(seed) + index)


def deposit(bits: int, mask: int) -> int:
    """The low bits spread over the set bits of the mask, in order (x86's ``pdep``)."""
    spread, bit = 0, 0
    for position in range(63):
        if mask >> position & 1:
            spread |= (bits >> bit & 1) << position
            bit += 1
    return spread


@_integer_primitive(deposit)
def _emit_deposit(builder: Any, bits: Any, mask: Any) -> Any:
    pdep = ir.FunctionType(_I64, [_I64, _I64])
    return builder.call(
        cgutils.get_or_insert_function(builder.module, pdep, "llvm.x86.bmi.pdep.64"), [bits, mask]
    )


def lowest_set_bit(mask: int) -> int:
    """Position of the lowest set bit; 64 for an empty mask."""
    return (int(mask) & -int(mask)).bit_length() - 1 if mask else 64


@_integer_primitive(lowest_set_bit)
def _emit_lowest_set_bit(builder: Any, mask: Any) -> Any:
    return builder.cttz(mask, ir.Constant(ir.IntType(1), 0))


def bit_length(mask: int) -> int:
    """Position of the highest set bit plus one; 0 for an empty mask."""
    return int(mask).bit_length()


@_integer_primitive(bit_length)
def _emit_bit_length(builder: Any, mask: Any) -> Any:
    return builder.sub(_constant(64), builder.ctlz(mask, ir.Constant(ir.IntType(1), 0)))


def _host_features() -> frozenset[str]:
    """What the processor compiled for can do, such as ``+bmi2``."""
    features = config.CPU_FEATURES or ("" if config.CPU_NAME else get_host_cpu_features())
    return frozenset(features.split(","))


HOST_FEATURES = _host_features()
# a `pdep` that is not microcode
DEPOSITS_FAST = "+bmi2" in HOST_FEATURES and (
    (config.CPU_NAME or binding.get_host_cpu_name()) not in ("znver1", "znver2", "bdver4")
)


@njit(forceinline=True)
def nth_set_bit(mask, r):
    """Position of the r-th set bit, counting from 0; without a loop or a jump."""
    if DEPOSITS_FAST:
        return lowest_set_bit(deposit(1 << r, mask))
    counts = byte_counts(mask)
    byte = first_byte_over(counts, r)
    before = (counts << 8) >> byte & 255
    return byte + np.int64(_NTH[np.uint64((mask >> byte & 255) * 8 + r - before)])
