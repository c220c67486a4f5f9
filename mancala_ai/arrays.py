"""Primitives on arrays that Numba lacks.

Read next: ``observation.py``, ``batch_kernels.py`` and ``../agents/search.py``, which use them.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

from .rng import HOST_FEATURES
from .sowing import I8, I32, I64, Pits


def prefetch(array: Any, index: int) -> None:
    """Bring the cache line of an element nearer; in Python, nothing."""


@type_callable(prefetch)
def _type_prefetch(context: Any) -> Any:
    return lambda array, index: types.none


@lower_builtin(prefetch, types.Array, types.Integer)
def _lower_prefetch(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = _place(context, builder, sig, args)
    byte, flag = ir.IntType(8), ir.IntType(32)
    signature = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), flag, flag, flag])
    intrinsic = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0i8")
    numbers = [ir.Constant(flag, value) for value in (0, 3, 1)]  # read, keep, data
    builder.call(intrinsic, [builder.bitcast(pointer, byte.as_pointer()), *numbers])
    return context.get_dummy_value()


def value_now(array: Any, index: int) -> Any:
    """An element of an array of integers that another thread may have just written."""
    return array[index]


@type_callable(value_now)
def _type_value_now(context: Any) -> Any:
    return lambda array, index: array.dtype


@lower_builtin(value_now, types.Array, types.Integer)
def _lower_value_now(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = _place(context, builder, sig, args)
    return builder.load_atomic(pointer, "acquire", sig.args[0].dtype.bitwidth // 8)


_adding = Lock()


def value_before_adding(array: Any, index: int, number: int) -> Any:
    """Add to an element of an array of integers, and return what it was before, in one go.

    So if several threads do so, each gets a value of its own.
    """
    with _adding:
        value = array[index]
        array[index] += number
        return value


@type_callable(value_before_adding)
def _type_value_before_adding(context: Any) -> Any:
    return lambda array, index, number: array.dtype


@lower_builtin(value_before_adding, types.Array, types.Integer, types.Integer)
def _lower_value_before_adding(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = _place(context, builder, sig, args)
    number = context.cast(builder, args[2], sig.args[2], sig.args[0].dtype)
    return builder.atomic_rmw("add", pointer, number, "acq_rel")


CACHE_LINE = 64  # bytes


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy of it, which begins where a line of the cache does."""
    if array.ctypes.data % CACHE_LINE == 0:
        return array
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    copy = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy


# Several bytes at a time: in compiled code a register, elsewhere a uint8 array


def _how_to_pick() -> tuple[int, str]:
    """How many bytes the processor compiled for picks from a register, and LLVM's name for it."""
    if binding.get_process_triple().startswith(("aarch64", "arm64")):
        return 16, "llvm.aarch64.neon.tbl1.v16i8"
    if "+avx512vbmi" in HOST_FEATURES:
        return 64, "llvm.x86.avx512.permvar.qi.512"
    return 16, "llvm.x86.ssse3.pshuf.b.128" if "+ssse3" in HOST_FEATURES else ""


AT_ONCE, _PICK = _how_to_pick()
NOTHING = 255  # as a number of :func:`picked`: a zero
_REGISTER = ir.VectorType(I8, AT_ONCE)


def bytes_at(array: Any, index: int) -> Any:
    """``AT_ONCE`` bytes from ``index`` on, of a uint8 array of one dimension."""
    return array[index : index + AT_ONCE].copy()


@type_callable(bytes_at)
def _type_bytes_at(context: Any) -> Any:
    return lambda array, index: Pits(AT_ONCE)


@lower_builtin(bytes_at, types.Array, types.Integer)
def _lower_bytes_at(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = builder.bitcast(_place(context, builder, sig, args), _REGISTER.as_pointer())
    return builder.load(pointer, align=1)


def united(one: Any, other: Any) -> Any:
    """The bits of either."""
    return one | other


@type_callable(united)
def _type_united(context: Any) -> Any:
    return lambda one, other: one


@lower_builtin(united, Pits, Pits)
def _lower_united(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.or_(*args)


def picked(some: Any, numbers: Any) -> Any:
    """Of ``AT_ONCE`` bytes those of the given numbers, in that order; 0 for ``NOTHING``."""
    return np.where(numbers < AT_ONCE, some[numbers % AT_ONCE], 0).astype(np.uint8)


def rearranged(some: Any, numbers: Any) -> Any:
    """Like :func:`picked`; whatever it likes for ``NOTHING``, which takes less time."""
    return picked(some, numbers)


for _function in (picked, rearranged):

    @type_callable(_function)
    def _type_picked(context: Any) -> Any:
        return lambda some, numbers: some


@lower_builtin(picked, Pits, Pits)
def _lower_picked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    bytes_ = _lower_rearranged(context, builder, sig, args)
    if AT_ONCE == 16:  # NOTHING gives zeros
        return bytes_
    nothing = ir.Constant(_REGISTER, [0] * AT_ONCE)
    is_any = builder.icmp_signed(">=", args[1], nothing)
    return builder.select(is_any, bytes_, nothing)


@lower_builtin(rearranged, Pits, Pits)
def _lower_rearranged(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if not _PICK:  # nor does LLVM know how to
        return _picked_one_by_one(builder, *args)
    signature = ir.FunctionType(_REGISTER, [_REGISTER, _REGISTER])
    pick = cgutils.get_or_insert_function(builder.module, signature, _PICK)
    return builder.call(pick, args)


def _picked_one_by_one(builder: Any, some: Any, numbers: Any) -> Any:
    chosen = ir.Constant(_REGISTER, ir.Undefined)
    for lane in (ir.Constant(I32, i) for i in range(AT_ONCE)):
        number = builder.extract_element(numbers, lane)
        byte = builder.extract_element(some, builder.urem(number, ir.Constant(I8, AT_ONCE)))
        is_any = builder.icmp_unsigned("<", number, ir.Constant(I8, AT_ONCE))
        byte = builder.select(is_any, byte, ir.Constant(I8, 0))
        chosen = builder.insert_element(chosen, byte, lane)
    return chosen


LANES = 16  # numbers that are written at once


def put_products(
    seen: Any, to: int, length: int, first: int, some: Any, high: Any, low: Any
) -> None:
    """Write the products of ``AT_ONCE`` bytes, ``LANES`` of them at a time.

    They are some of ``length`` products, at least ``LANES``, that go to ``seen`` from ``to`` on:
    the chunks from number ``first`` on, as many as there are. The last chunk of all ends where
    they end, so it may overlap the one before. A product is a byte times its factor in ``high``,
    plus the same with ``low``, which have ``LANES`` numbers for each chunk; byte times ``high``
    has to be exact. All arrays have one dimension and are of float32, or of uint8.
    """
    for i in range(first, min(first + AT_ONCE // LANES, -(-length // LANES))):
        lanes, start = slice(LANES * i, LANES * (i + 1)), to + min(LANES * i, length - LANES)
        numbers = some[LANES * (i - first) :][:LANES].astype(seen.dtype)
        seen[start : start + LANES] = numbers * high[lanes] + numbers * low[lanes]


@type_callable(put_products)
def _type_put_products(context: Any) -> Any:
    return lambda seen, to, length, first, some, high, low: types.none


@lower_builtin(
    put_products, types.Array, types.Integer, types.Integer, types.Integer, Pits, types.Array,
    types.Array,
)  # fmt: skip
def _lower_put_products(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    lanes = ir.VectorType(context.get_value_type(sig.args[0].dtype), LANES)
    to, length, first = (
        context.cast(builder, args[i], sig.args[i], types.int64) for i in (1, 2, 3)
    )
    seen, high, low = (
        context.make_array(sig.args[i])(context, builder, args[i]).data for i in (0, 5, 6)
    )
    seen = builder.gep(seen, [to])

    def pointer(data: Any, index: Any) -> Any:
        return builder.bitcast(builder.gep(data, [index]), lanes.as_pointer())

    for i in range(AT_ONCE // LANES):
        number = builder.add(first, ir.Constant(I64, i))
        lane = builder.mul(number, ir.Constant(I64, LANES))
        left = builder.sub(length, lane)

        def put(start: Any, i: int = i, lane: Any = lane) -> None:
            mine = ir.Constant(ir.VectorType(I32, LANES), [LANES * i + j for j in range(LANES)])
            numbers = builder.shuffle_vector(args[4], ir.Constant(_REGISTER, ir.Undefined), mine)
            factors = (builder.load(pointer(data, lane), align=1) for data in (high, low))
            builder.store(_products(builder, numbers, *factors), pointer(seen, start), align=1)

        whole = builder.icmp_signed(">=", left, ir.Constant(I64, LANES))
        with builder.if_else(whole) as (then, otherwise):
            with then:
                put(lane)
            with otherwise, builder.if_then(builder.icmp_signed(">", left, ir.Constant(I64, 0))):
                put(builder.sub(length, ir.Constant(I64, LANES)))
    return context.get_dummy_value()


def _products(builder: Any, numbers: Any, high: Any, low: Any) -> Any:
    """The sums of the products of bytes with two factors each."""
    if not isinstance(high.type.element, ir.FloatType):
        return builder.add(builder.mul(numbers, high), builder.mul(numbers, low))
    numbers = builder.uitofp(numbers, high.type)
    signature = ir.FunctionType(high.type, [high.type] * 3)
    name = f"llvm.fmuladd.v{high.type.count}f32"
    # fused or not is all the same, as the first product is exact
    fused = cgutils.get_or_insert_function(builder.module, signature, name)
    return builder.call(fused, [numbers, high, builder.fmul(numbers, low)])


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """A pointer to the element that the first two arguments, array and index, name."""
    array = context.make_array(sig.args[0])(context, builder, args[0])
    return builder.gep(array.data, [context.cast(builder, args[1], sig.args[1], types.int64)])
