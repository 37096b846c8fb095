"""PyTorch's layers and ops as a table: what each is made with, and the shapes it takes."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

SIMPLE = """
CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU LogSigmoid Mish PReLU
RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmin Softplus Softshrink Softsign Tanh Tanhshrink Flatten
Dropout AlphaDropout FeatureAlphaDropout
"""
SIGNAL, IMAGE, VOLUME = (2, 4, 8), (2, 4, 6, 6), (1, 2, 4, 4, 4)
ROW = (3, 4)

# Every layer that takes one tensor: its arguments, and the shape of what it takes.
LAYERS: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
    **dict.fromkeys(SIMPLE.split(), ((), ROW)),
    "Softmax": ((-1,), ROW), "LogSoftmax": ((-1,), ROW), "Softmax2d": ((), IMAGE),
    "Threshold": ((0.1, 0.5), ROW), "Linear": ((4, 3), ROW), "LazyLinear": ((3,), ROW),
    "LayerNorm": ((4,), ROW), "RMSNorm": ((4,), ROW), "GroupNorm": ((2, 4), IMAGE),
    "LocalResponseNorm": ((2,), IMAGE), "CrossMapLRN2d": ((2,), IMAGE),
    "BatchNorm1d": ((4,), ROW), "BatchNorm2d": ((4,), IMAGE), "BatchNorm3d": ((2,), VOLUME),
    "LazyBatchNorm1d": ((), ROW), "LazyBatchNorm2d": ((), IMAGE), "LazyBatchNorm3d": ((), VOLUME),
    "InstanceNorm1d": ((4,), SIGNAL), "InstanceNorm2d": ((4,), IMAGE),
    "InstanceNorm3d": ((2,), VOLUME),
    "Conv1d": ((4, 3, 3), SIGNAL), "Conv2d": ((4, 3, 3), IMAGE), "Conv3d": ((2, 3, 3), VOLUME),
    "LazyConv1d": ((3, 3), SIGNAL), "LazyConv2d": ((3, 3), IMAGE), "LazyConv3d": ((3, 3), VOLUME),
    "ConvTranspose1d": ((4, 3, 3), SIGNAL), "ConvTranspose2d": ((4, 3, 3, 2), IMAGE),
    "ConvTranspose3d": ((2, 3, 3), VOLUME), "LazyConvTranspose1d": ((3, 3), SIGNAL),
    "LazyConvTranspose2d": ((3, 3), IMAGE), "LazyConvTranspose3d": ((3, 3), VOLUME),
    "LazyInstanceNorm1d": ((), SIGNAL), "LazyInstanceNorm2d": ((), IMAGE),
    "LazyInstanceNorm3d": ((), VOLUME),
    "AvgPool1d": ((2,), SIGNAL), "AvgPool2d": ((2,), IMAGE), "AvgPool3d": ((2,), VOLUME),
    "MaxPool1d": ((2,), SIGNAL), "MaxPool2d": ((2,), IMAGE), "MaxPool3d": ((2,), VOLUME),
    "LPPool1d": ((2.0, 2), SIGNAL), "LPPool2d": ((2.0, 2), IMAGE), "LPPool3d": ((2.0, 2), VOLUME),
    "AdaptiveAvgPool1d": ((3,), SIGNAL), "AdaptiveAvgPool2d": ((3,), IMAGE),
    "AdaptiveAvgPool3d": ((3,), VOLUME), "AdaptiveMaxPool1d": ((3,), SIGNAL),
    "AdaptiveMaxPool2d": ((3,), IMAGE), "AdaptiveMaxPool3d": ((3,), VOLUME),
    "FractionalMaxPool2d": ((2, 3), IMAGE), "FractionalMaxPool3d": ((2, 2), VOLUME),
    "ReflectionPad1d": ((1,), SIGNAL), "ReflectionPad2d": ((1,), IMAGE),
    "ReflectionPad3d": ((1,), VOLUME), "ReplicationPad1d": ((1,), SIGNAL),
    "ReplicationPad2d": ((1,), IMAGE), "ReplicationPad3d": ((1,), VOLUME),
    "ZeroPad1d": ((1,), SIGNAL), "ZeroPad2d": ((1,), IMAGE), "ZeroPad3d": ((1,), VOLUME),
    "ConstantPad1d": ((1, 0.5), SIGNAL), "ConstantPad2d": ((1, 0.5), IMAGE),
    "ConstantPad3d": ((1, 0.5), VOLUME), "CircularPad1d": ((1,), SIGNAL),
    "CircularPad2d": ((1,), IMAGE), "CircularPad3d": ((1,), VOLUME),
    "Dropout1d": ((), SIGNAL), "Dropout2d": ((), IMAGE), "Dropout3d": ((), VOLUME),
    "PixelShuffle": ((2,), IMAGE), "PixelUnshuffle": ((2,), IMAGE), "ChannelShuffle": ((2,), IMAGE),
    "Upsample": ((None, 2.0, "bilinear"), IMAGE), "UpsamplingNearest2d": ((None, 2), IMAGE),
    "UpsamplingBilinear2d": ((None, 2), IMAGE), "Unfold": ((2,), IMAGE),
    "Fold": (((5, 5), (2, 2)), (2, 4, 16)), "Unflatten": ((1, (2, 2)), ROW),
    "RNN": ((4, 3), (5, 2, 4)), "LSTM": ((4, 3, 2), (5, 2, 4)), "GRU": ((4, 3), (5, 2, 4)),
    "RNNCell": ((4, 3), ROW), "LSTMCell": ((4, 3), ROW), "GRUCell": ((4, 3), ROW),
    "TransformerEncoderLayer": ((4, 2, 8), (3, 2, 4)),
}  # fmt: skip

PAIRS = ((3, 4), (3, 4))
SIGNS = torch.tensor([1.0, -1.0, 1.0])
CLASSES = torch.tensor([0, 2, 3])


def two(x: Any, seed: int = 5) -> Any:
    return torch.randn(x.shape, generator=torch.Generator().manual_seed(seed))


# Layers that take more: the layer, and what it gives for x and another tensor like it.
WITH_MORE: dict[str, Any] = {
    "Bilinear": (nn.Bilinear, (4, 4, 2), lambda layer, x: layer(x, two(x))),
    "Embedding": (nn.Embedding, (5, 3), lambda layer, x: layer(CLASSES) * x.sum()),
    "EmbeddingBag": (nn.EmbeddingBag, (5, 3), lambda layer, x: layer(CLASSES[None]) * x.sum()),
    "MultiheadAttention": (nn.MultiheadAttention, (4, 2), lambda layer, x: layer(x, x, two(x))[0]),
    "Transformer": (nn.Transformer, (4, 2, 1, 1, 8), lambda layer, x: layer(x, two(x))),
    "TransformerDecoderLayer": (
        nn.TransformerDecoderLayer, (4, 2, 8), lambda layer, x: layer(x, two(x))
    ),
    "CosineSimilarity": (nn.CosineSimilarity, (), lambda layer, x: layer(x, two(x))),
    "PairwiseDistance": (nn.PairwiseDistance, (), lambda layer, x: layer(x, two(x))),
    "MaxUnpool1d": (
        nn.MaxUnpool1d, (2,),
        lambda layer, x: layer(*functional.max_pool1d(x[None], 2, return_indices=True)),
    ),
    "MaxUnpool2d": (
        nn.MaxUnpool2d, (2,),
        lambda layer, x: layer(*functional.max_pool2d(x[:2][None], 2, return_indices=True)),
    ),
    "MaxUnpool3d": (
        nn.MaxUnpool3d, (2,),
        lambda layer, x: layer(
            *functional.max_pool3d(x.expand(1, 2, 3, 4), 2, return_indices=True)
        ),
    ),
    "L1Loss": (nn.L1Loss, (), lambda layer, x: layer(x, two(x))),
    "MSELoss": (nn.MSELoss, (), lambda layer, x: layer(x, two(x))),
    "HuberLoss": (nn.HuberLoss, (), lambda layer, x: layer(x, two(x))),
    "SmoothL1Loss": (nn.SmoothL1Loss, (), lambda layer, x: layer(x, two(x))),
    "BCELoss": (nn.BCELoss, (), lambda layer, x: layer(x.sigmoid(), two(x).sigmoid())),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss, (), lambda layer, x: layer(x, two(x).sigmoid())),
    "CrossEntropyLoss": (nn.CrossEntropyLoss, (), lambda layer, x: layer(x, CLASSES)),
    "NLLLoss": (nn.NLLLoss, (), lambda layer, x: layer(x.log_softmax(1), CLASSES)),
    "KLDivLoss": (
        nn.KLDivLoss, (None, None, "batchmean"),
        lambda layer, x: layer(x.log_softmax(1), two(x).softmax(1)),
    ),
    "PoissonNLLLoss": (nn.PoissonNLLLoss, (), lambda layer, x: layer(x, two(x).abs())),
    "GaussianNLLLoss": (nn.GaussianNLLLoss, (), lambda layer, x: layer(x, two(x), x.square() + 1)),
    "SoftMarginLoss": (nn.SoftMarginLoss, (), lambda layer, x: layer(x, two(x).sign())),
    "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss, (), lambda layer, x: layer(x, two(x).sign())),
    "MultiMarginLoss": (nn.MultiMarginLoss, (), lambda layer, x: layer(x, CLASSES)),
    "MultiLabelMarginLoss": (
        nn.MultiLabelMarginLoss, (),
        lambda layer, x: layer(x, torch.tensor([[0, 2, -1, -1], [1, -1, 0, 0], [3, 1, 0, -1]])),
    ),
    "MultiLabelSoftMarginLoss": (
        nn.MultiLabelSoftMarginLoss, (), lambda layer, x: layer(x, two(x).gt(0).float())
    ),
    "CosineEmbeddingLoss": (
        nn.CosineEmbeddingLoss, (), lambda layer, x: layer(x, two(x), SIGNS)
    ),
    "MarginRankingLoss": (
        nn.MarginRankingLoss, (), lambda layer, x: layer(x[:, 0], x[:, 1], SIGNS)
    ),
    "TripletMarginLoss": (
        nn.TripletMarginLoss, (), lambda layer, x: layer(x, two(x), two(x, 6))
    ),
    "TripletMarginWithDistanceLoss": (
        nn.TripletMarginWithDistanceLoss, (), lambda layer, x: layer(x, two(x), two(x, 6))
    ),
    "CTCLoss": (
        nn.CTCLoss, (),
        lambda layer, x: layer(
            x[:, None].log_softmax(-1), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2])
        ),
    ),
    "AdaptiveLogSoftmaxWithLoss": (
        nn.AdaptiveLogSoftmaxWithLoss, (4, 6, [2]), lambda layer, x: layer(x, CLASSES).loss
    ),
    "Sequential": (
        nn.Sequential, (nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)), lambda layer, x: layer(x)
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2), (),
        lambda layer, x: layer(x),
    ),
    "TransformerDecoder": (
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2), (),
        lambda layer, x: layer(x, two(x)),
    ),
}  # fmt: skip

# Containers, bases, older names; what needs several processes; what not every PyTorch has.
NOT_TRIED = {
    "Module", "Container", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict",
    "RNNBase", "RNNCellBase", "SyncBatchNorm", "DataParallel", "NLLLoss2d",
    "LinearCrossEntropyLoss",
}  # fmt: skip

# Ops of x (3, 3), y (3, 3) without zeros, and v (3,): what they give, of any shape.
OPS: dict[str, Any] = {
    "atan2": lambda x, y, v: torch.atan2(x, y),
    "hypot": lambda x, y, v: torch.hypot(x, y),
    "pow of tensors": lambda x, y, v: x.abs() ** y,
    "pow of a number": lambda x, y, v: 2.0**x,
    "rsub": lambda x, y, v: 1.0 - x,
    "remainder": lambda x, y, v: x % y,
    "fmod": lambda x, y, v: torch.fmod(x, 0.7),
    "lerp": lambda x, y, v: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y, v: torch.addcmul(x, y, v, value=2.0),
    "addcdiv": lambda x, y, v: torch.addcdiv(x, x, y),
    "logaddexp": lambda x, y, v: torch.logaddexp(x, y),
    "maximum": lambda x, y, v: torch.maximum(x, v),
    "fmax": lambda x, y, v: torch.fmax(x, y),
    "clamp": lambda x, y, v: x.clamp(-0.5, 0.5),
    "clamp of tensors": lambda x, y, v: x.clamp(v, v + 1),
    "where": lambda x, y, v: torch.where(x > 0, x, y),
    "masked_fill": lambda x, y, v: x.masked_fill(x > 0, 3.0),
    "masked_select": lambda x, y, v: x.masked_select(y > 0),
    "erfinv": lambda x, y, v: torch.erfinv(torch.tanh(x)),
    "lgamma": lambda x, y, v: torch.lgamma(x.abs() + 1),
    "digamma": lambda x, y, v: torch.digamma(x.abs() + 1),
    "sinc": lambda x, y, v: torch.sinc(x),
    "xlogy": lambda x, y, v: torch.xlogy(x, y.abs()),
    "i0": lambda x, y, v: torch.special.i0(x),
    "logit": lambda x, y, v: torch.logit(torch.sigmoid(x)),
    "nan_to_num": lambda x, y, v: torch.nan_to_num(x),
    "frac": lambda x, y, v: x.frac() * x,
    "cumprod": lambda x, y, v: x.cumprod(0),
    "logcumsumexp": lambda x, y, v: x.logcumsumexp(1),
    "cummax": lambda x, y, v: x.cummax(0).values,
    "diff": lambda x, y, v: x.diff(dim=0),
    "prod": lambda x, y, v: x.prod(1),
    "var": lambda x, y, v: x.var(0),
    "std_mean": lambda x, y, v: torch.std_mean(x)[0],
    "median": lambda x, y, v: x.median(0).values,
    "norm": lambda x, y, v: x.norm(dim=1),
    "nuclear norm": lambda x, y, v: torch.linalg.matrix_norm(x, "nuc"),
    "quantile": lambda x, y, v: x.quantile(0.3, 0),
    "aminmax": lambda x, y, v: x.aminmax(dim=0).max,
    "logsumexp": lambda x, y, v: x.logsumexp((0, 1)),
    "sort": lambda x, y, v: x.sort(1).values * v,
    "topk": lambda x, y, v: x.topk(2)[0],
    "kthvalue": lambda x, y, v: x.kthvalue(2)[0],
    "flip": lambda x, y, v: x.flip(0) * y,
    "roll": lambda x, y, v: x.roll(1, 0) * y,
    "rot90": lambda x, y, v: torch.rot90(x) * y,
    "tril": lambda x, y, v: x.tril() @ y,
    "diagonal": lambda x, y, v: x.diagonal() * v,
    "diag_embed": lambda x, y, v: v.diag_embed() @ x,
    "trace": lambda x, y, v: x.trace() * v,
    "kron": lambda x, y, v: torch.kron(x, y),
    "outer": lambda x, y, v: torch.outer(v, v),
    "einsum": lambda x, y, v: torch.einsum("ij,kj,i->k", x, y, v),
    "baddbmm": lambda x, y, v: torch.baddbmm(x[None], x[None], y[None]),
    "tensordot": lambda x, y, v: torch.tensordot(x, y),
    "dot": lambda x, y, v: v.dot(x[0]),
    "mv": lambda x, y, v: x @ v,
    "cross": lambda x, y, v: torch.linalg.cross(x, y),
    "cdist": lambda x, y, v: torch.cdist(x, y),
    "dist": lambda x, y, v: torch.dist(x, y),
    "det": lambda x, y, v: torch.linalg.det(x),
    "slogdet": lambda x, y, v: torch.linalg.slogdet(x)[1],
    "inv": lambda x, y, v: torch.linalg.inv(x),
    "solve": lambda x, y, v: torch.linalg.solve(x, v),
    "cholesky": lambda x, y, v: torch.linalg.cholesky(x @ x.T + torch.eye(3)),
    "qr": lambda x, y, v: torch.linalg.qr(x)[1],
    "svdvals": lambda x, y, v: torch.linalg.svdvals(x),
    "eigvalsh": lambda x, y, v: torch.linalg.eigvalsh(x + x.T),
    "lstsq": lambda x, y, v: torch.linalg.lstsq(x, y)[0],
    "matrix_exp": lambda x, y, v: torch.matrix_exp(x),
    "pinv": lambda x, y, v: torch.linalg.pinv(x),
    "triangular_solve": lambda x, y, v: torch.linalg.solve_triangular(x.tril(), y, upper=False),
    "matrix_power": lambda x, y, v: torch.linalg.matrix_power(x, 3),
    "fft": lambda x, y, v: torch.fft.fft(x).abs(),
    "rfft": lambda x, y, v: torch.fft.irfft(torch.fft.rfft(x) * 2),
    "complex": lambda x, y, v: torch.view_as_real(torch.complex(x, y) ** 2),
    "polar": lambda x, y, v: torch.polar(x.abs(), y).real,
    "stft": lambda x, y, v: torch.stft(x.reshape(-1), 4, return_complex=True).abs(),
    "gather": lambda x, y, v: x.gather(1, torch.tensor([[0, 0], [1, 2], [2, 2]])),
    "scatter_add": lambda x, y, v: x.scatter_add(0, torch.tensor([[0, 1, 2]]), y[:1]),
    "scatter": lambda x, y, v: x.scatter(0, torch.tensor([[0, 1, 2]]), y[:1]),
    "scatter_reduce": lambda x, y, v: x.scatter_reduce(0, torch.tensor([[0, 1, 2]]), y[:1], "amax"),
    "index_select": lambda x, y, v: x.index_select(0, torch.tensor([0, 2, 2])),
    "index_add": lambda x, y, v: x.index_add(0, torch.tensor([1]), y[:1]),
    "index_put": lambda x, y, v: x.index_put((torch.tensor([0]),), v),
    "take": lambda x, y, v: x.take(torch.tensor([0, 4, 4])),
    "take_along_dim": lambda x, y, v: x.take_along_dim(torch.tensor([[0], [1], [1]]), 1),
    "x[mask]": lambda x, y, v: x[x > 0],
    "x[lists]": lambda x, y, v: x[[0, 1], [1, 2]],
    "x[None, ..., ::2]": lambda x, y, v: x[None, ..., ::2],
    "unfold": lambda x, y, v: x.unfold(0, 2, 1),
    "as_strided": lambda x, y, v: x.as_strided((2, 2), (3, 1)),
    "unbind": lambda x, y, v: x.unbind(0)[1] * v,
    "chunk": lambda x, y, v: x.chunk(2)[0],
    "hsplit": lambda x, y, v: torch.hstack(torch.hsplit(x, 3)),
    "repeat": lambda x, y, v: x.repeat(2, 1),
    "repeat_interleave": lambda x, y, v: x.repeat_interleave(2),
    "expand": lambda x, y, v: v.expand(3, 3) * x,
    "tile": lambda x, y, v: v.tile(2),
    "movedim": lambda x, y, v: x.movedim(0, 1) @ y,
    "meshgrid": lambda x, y, v: torch.meshgrid(v, v, indexing="ij")[0] * x,
    "block_diag": lambda x, y, v: torch.block_diag(x, y),
    "cartesian_prod": lambda x, y, v: torch.cartesian_prod(v, x[0]),
    "pad": lambda x, y, v: functional.pad(x, (1, 1)),
    "normalize": lambda x, y, v: functional.normalize(x),
    "one argument twice": lambda x, y, v: x * x + x @ x,
    "attention": lambda x, y, v: functional.scaled_dot_product_attention(
        x[None], y[None], x[None], is_causal=True
    ),
    "gumbel_softmax": lambda x, y, v: functional.gumbel_softmax(x),
    "grid_sample": lambda x, y, v: functional.grid_sample(
        x[None, None], y.tanh()[None, :, :2, None].expand(1, 3, 2, 2)
    ),
    "affine_grid": lambda x, y, v: functional.affine_grid(x[None, :2], (1, 1, 2, 2)),
    "interpolate": lambda x, y, v: functional.interpolate(
        x[None, None], scale_factor=2.0, mode="bicubic"
    ),
    "fold": lambda x, y, v: functional.unfold(x[None, None], 2),
    "conv of a sequence": lambda x, y, v: functional.conv1d(x[None], y[:, :, None]),
    "to": lambda x, y, v: x.double() * y,
    "autocast": lambda x, y, v: mixed(x, y),
    "in place": lambda x, y, v: (x * 1.0).mul_(y).add_(v).tanh_(),
    "sparse": lambda x, y, v: torch.sparse.mm(torch.eye(3).to_sparse(), x),
    "rand": lambda x, y, v: x * torch.rand(3),
    "foreach": lambda x, y, v: torch._foreach_mul([x, y], 2.0)[0],
    "second derivative": lambda x, y, v: torch.autograd.grad(
        (x.sin() * y).sum(), x, create_graph=True
    )[0],
}


def mixed(x: Any, y: Any) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ y
