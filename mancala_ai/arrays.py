"""Primitives on arrays that Numba lacks.

Read next: ``batch_kernels.py`` and ``../agents/search.py``, which use them.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable


def unowned(array: Any) -> Any:
    """The same array without a claim on its memory; whoever calls must keep it alive.

    Numba counts the references to an array, by an atomic instruction, wherever it is
    passed to a function, even one inlined. Those to an unowned one it leaves out. (In a
    search with ten arrays the counting took two thirds of the time.) A ``NamedTuple`` of
    arrays may be given as well.
    """
    return array


@type_callable(unowned)
def _type_unowned(context: Any) -> Any:
    return lambda array: array


@lower_builtin(unowned, types.Array)
def _lower_unowned(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _disowned(context, builder, sig.args[0], args[0])


@lower_builtin(unowned, types.NamedTuple)
def _lower_unowned_tuple(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    fields = zip(sig.args[0].types, cgutils.unpack_tuple(builder, args[0]), strict=True)
    arrays = [_disowned(context, builder, array_type, array) for array_type, array in fields]
    return context.make_tuple(builder, sig.return_type, arrays)


def _disowned(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    array = context.make_array(array_type)(context, builder, value)
    array.meminfo = ir.Constant(array.meminfo.type, None)
    array.parent = ir.Constant(array.parent.type, None)
    return array._getvalue()


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


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """A pointer to the element that the first two arguments, array and index, name."""
    array = context.make_array(sig.args[0])(context, builder, args[0])
    return builder.gep(array.data, [context.cast(builder, args[1], sig.args[1], types.int64)])
