# SPDX-License-Identifier: Apache-2.0
"""The operators of classic CNNs in numpy and float64, as ONNX's opsets 9 to 13
have them.

Written from the operators' specification and sharing nothing with the compiler
or the simulator, so that it can tell whether they are right. An operator is a
function of its inputs whose keyword arguments are its attributes: what it does
not know raises instead of being ignored.
"""

import math

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import numpy_helper

# Of these opsets all operators below mean the same, but for Softmax in the last.
OPSETS = range(9, 14)


class Windows:
    """Where the windows of a convolution or a pooling lie, for each spatial dim.

    `pads` are (begin, end) pairs. With `ceil_mode` a last window may hang over
    the end by the elements of `overhang`, which belong to no padding.
    """

    def __init__(
        self, sizes, kernel, *, strides, pads, dilations, auto_pad, ceil_mode=0
    ):
        rank = len(sizes)
        self.kernel = list(kernel)
        self.strides = strides or [1] * rank
        self.dilations = dilations or [1] * rank
        self.extents = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        self.pads = self._pads(sizes, pads, auto_pad)
        self.overhang = [0] * rank
        if ceil_mode:
            self.overhang = [self._overhang(sizes, dim) for dim in range(rank)]

    def _pads(self, sizes, pads, auto_pad):
        if auto_pad == "NOTSET":
            pads = pads or [0] * (2 * len(sizes))
            return list(zip(pads[: len(sizes)], pads[len(sizes) :]))
        if auto_pad == "VALID":
            return [(0, 0)] * len(sizes)
        assert auto_pad in ("SAME_UPPER", "SAME_LOWER"), auto_pad
        return [self._same(size, dim, auto_pad) for dim, size in enumerate(sizes)]

    def _same(self, size, dim, auto_pad):
        """Padding with which there are ceil(size / stride) windows."""
        stride = self.strides[dim]
        reach = (math.ceil(size / stride) - 1) * stride + self.extents[dim]
        total = max(0, reach - size)
        small, large = total // 2, total - total // 2
        return (small, large) if auto_pad == "SAME_UPPER" else (large, small)

    def _overhang(self, sizes, dim):
        begin, end = self.pads[dim]
        rest = (sizes[dim] + begin + end - self.extents[dim]) % self.strides[dim]
        if rest == 0:
            return 0
        more = self.strides[dim] - rest
        # A window that starts behind the input and its begin padding is none.
        start = begin + sizes[dim] + end + more - self.extents[dim]
        return more if start < begin + sizes[dim] else 0

    def padded(self, x, fill):
        """x, [batch, channel, spatial dims], with its padding."""
        return np.pad(x, [(0, 0), (0, 0), *self.pads], constant_values=fill)

    def view(self, x, fill, overhang_fill=None):
        """[batch, channel, windows of each dim, kernel of each dim]."""
        fills = fill if overhang_fill is None else overhang_fill
        overhang = [(0, 0), (0, 0), *((0, more) for more in self.overhang)]
        x = np.pad(self.padded(x, fill), overhang, constant_values=fills)
        views = sliding_window_view(x, self.extents, axis=tuple(range(2, x.ndim)))
        steps = [slice(None, None, step) for step in self.strides + self.dilations]
        return views[(slice(None), slice(None), *steps)]

    @property
    def kernel_axes(self):
        return tuple(range(-len(self.kernel), 0))


def conv(
    x, w, b=None, *, kernel_shape=None, strides=None, pads=None, dilations=None,
    group=1, auto_pad="NOTSET",
):
    """A matrix product for each group: its filters times the windows' columns."""
    batch, channels = x.shape[:2]
    filters = w.shape[0]
    assert kernel_shape is None or list(kernel_shape) == list(w.shape[2:])
    assert channels == w.shape[1] * group and filters % group == 0
    windows = Windows(
        x.shape[2:], w.shape[2:], strides=strides, pads=pads, dilations=dilations,
        auto_pad=auto_pad,
    )
    views = windows.view(x, 0.0)
    rank = x.ndim - 2
    out_sizes = views.shape[2 : 2 + rank]
    # The kernel goes before the windows: [batch, channel, kernel, windows].
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    depth = w[0].size
    columns = views.transpose(order).reshape(batch, group, depth, math.prod(out_sizes))
    y = np.matmul(w.reshape(group, filters // group, depth), columns)
    y = y.reshape(batch, filters, *out_sizes)
    return y if b is None else y + b.reshape(-1, *[1] * rank)


def max_pool(
    x, *, kernel_shape, strides=None, pads=None, dilations=None, auto_pad="NOTSET",
    ceil_mode=0, storage_order=0,
):
    """`storage_order` concerns the indices only, which are not computed."""
    windows = Windows(
        x.shape[2:], kernel_shape, strides=strides, pads=pads, dilations=dilations,
        auto_pad=auto_pad, ceil_mode=ceil_mode,
    )
    return windows.view(x, -np.inf).max(axis=windows.kernel_axes)


def average_pool(
    x, *, kernel_shape, strides=None, pads=None, auto_pad="NOTSET", ceil_mode=0,
    count_include_pad=0,
):
    """Sums of the windows over the number of elements that count in them."""
    windows = Windows(
        x.shape[2:], kernel_shape, strides=strides, pads=pads, dilations=None,
        auto_pad=auto_pad, ceil_mode=ceil_mode,
    )
    ones = np.ones((1, 1, *x.shape[2:]))
    counts = windows.view(ones, float(count_include_pad), 0.0)
    axes = windows.kernel_axes
    return windows.view(x, 0.0).sum(axis=axes) / counts.sum(axis=axes)


def global_average_pool(x):
    return x.mean(axis=tuple(range(2, x.ndim)), keepdims=True)


def lrn(x, *, size, alpha=1e-4, beta=0.75, bias=1.0):
    """The squares are summed over `size` channels, more of them behind than before."""
    before = (size - 1) // 2
    around = [(0, 0), (before, size - 1 - before), *[(0, 0)] * (x.ndim - 2)]
    squares = sliding_window_view(np.pad(x * x, around), size, axis=1).sum(axis=-1)
    return x / (bias + alpha / size * squares) ** beta


def batch_normalization(x, scale, b, mean, variance, *, epsilon=1e-5, momentum=0.9):
    """`momentum` concerns training only."""
    def per_channel(values):
        return values.reshape(-1, *[1] * (x.ndim - 2))

    factor = scale / np.sqrt(variance + epsilon)
    return (x - per_channel(mean)) * per_channel(factor) + per_channel(b)


def gemm(a, b, c=None, *, alpha=1.0, beta=1.0, transA=0, transB=0):
    product = alpha * ((a.T if transA else a) @ (b.T if transB else b))
    return product if c is None else product + beta * c


def softmax(x, *, axis=1):
    """Before opset 13: over all dims from `axis` on."""
    axis = axis if axis >= 0 else axis + x.ndim
    rows = x.reshape(math.prod(x.shape[:axis]), -1)
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).reshape(x.shape)


def flatten(x, *, axis=1):
    return x.reshape(math.prod(x.shape[:axis]), -1)


def reshape(x, shape):
    """0 keeps a dim, -1 takes what remains."""
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape)])


def transpose(x, *, perm=None):
    return x.transpose(perm)


def concat(*parts, axis):
    return np.concatenate(parts, axis=axis)


def add(*terms):
    """Sum, and Add with two."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def dropout(x, *, ratio=0.5):
    """Of inference: the identity."""
    return x


def constant_of_shape(shape, *, value=np.zeros(1, np.float32)):
    return np.full(shape, value[0])


def relu(x):
    return np.maximum(x, 0.0)


OPERATORS = {
    "Add": add,
    "AveragePool": average_pool,
    "BatchNormalization": batch_normalization,
    "Concat": concat,
    "ConstantOfShape": constant_of_shape,
    "Conv": conv,
    "Dropout": dropout,
    "Flatten": flatten,
    "Gemm": gemm,
    "GlobalAveragePool": global_average_pool,
    "LRN": lrn,
    "MaxPool": max_pool,
    "Relu": relu,
    "Reshape": reshape,
    "Softmax": softmax,
    "Sum": add,
    "Transpose": transpose,
}


def _attributes(node):
    """Attributes as Python values: text as str, tensors as arrays."""
    values = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode()
        elif isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        values[attribute.name] = value
    return values


def _operand(values, name):
    """A value in float64 (integers as they are), or None for an absent input."""
    if not name:
        return None
    value = values[name]
    is_float = np.issubdtype(value.dtype, np.floating)
    return value.astype(np.float64, copy=False) if is_float else value


def run_node(node, values):
    """Adds the node's first output to `values`; further ones must have no reader."""
    operands = [_operand(values, name) for name in node.input]
    result = OPERATORS[node.op_type](*operands, **_attributes(node))
    values[node.output[0]] = result


def run(model, inputs):
    """All values of a model by name, given those of its inputs."""
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    assert set(opsets) == {""} and opsets[""] in OPSETS, opsets
    assert opsets[""] < 13 or all(n.op_type != "Softmax" for n in model.graph.node)
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values.update(inputs)
    for node in model.graph.node:
        run_node(node, values)
    return values
