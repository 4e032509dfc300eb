# SPDX-License-Identifier: BSL-1.0
"""Functions of torch that tools/import_torch.py translates: each is compared with torch when it is recorded."""
import operator

import torch
import torch.nn.functional as F


class Call(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *operands):
        return self.function(*operands)


def scaled_dot_product_attention(query, key, value, attn_mask=None, is_causal=False):
    """That of torch 2, for versions that do not have it."""
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ value


def attend(*operands, **options):
    """Attention: in versions without it, a call that fx records as one function while it runs for the sample."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(*operands, **options)
    if not hasattr(operands[0], "tracer"):
        return scaled_dot_product_attention(*operands, **options)
    return operands[0].tracer.create_proxy("call_function", scaled_dot_product_attention, operands, options)


def update(x):
    """Changes a tensor in place that has another name."""
    y = x * 2
    z = y
    z += 1
    z.clamp_(min=0)
    F.relu(z, inplace=True)
    return y + z


X, Y, Z = (3, 4), (2, 3, 4), (2, 6, 8, 8)
ELEMENTWISE = """abs neg floor ceil round exp sin cos tan atan sinh cosh asinh tanh erf sign sigmoid relu square expm1 exp2 isnan
logical_not""".split()
ACTIVATIONS = """relu selu hardswish mish softsign silu logsigmoid tanhshrink hardsigmoid elu celu leaky_relu gelu relu6 hardtanh
softshrink hardshrink softplus""".split()

FUNCTIONS = {
    **{name: (getattr(torch, name), X) for name in ELEMENTWISE},
    **{f"F.{name}": (getattr(F, name), X) for name in ACTIVATIONS},
    "logarithms": (lambda x: (x.abs() + 1).log() + torch.log2(x.abs() + 1) + torch.log10(x.abs() + 1) + x.abs().log1p(), X),
    "roots": (lambda x: torch.rsqrt(x * x + 1) + torch.sqrt(x.abs()) + (x + 9).reciprocal(), X),
    "inverse": (lambda x: torch.asin(x / 9) + torch.acos(x / 9) + torch.atanh(x / 9) + torch.acosh(x.abs() + 1), X),
    "softplus with beta": (lambda x: F.softplus(x, beta=2), X),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), X),
    "numbers": (lambda x: 2 * x - 1 + (3 - x) / 2 + 1 / (x * x + 1), X),
    "powers": (lambda x: x ** 2 + (x * x + 1) ** 0.5 + 2.0 ** x, X),
    "broadcast": (lambda x, y: x + y * x - y / (x * x + 1), (4,), Y),
    "alpha": (lambda x, y: torch.add(x, y, alpha=2) - torch.sub(x, y, alpha=3), X, X),
    "comparisons": (lambda x, y: torch.where((x > y) & (x != 0) | ~(x <= 1), x, y), X, X),
    "bools": (lambda x: ((x > 0) + (x < -1)).float() * (x == x).sum(), X),
    "floor division": (lambda x: x // 0.7 + x % 0.3, X),
    "integers": (lambda x: (x * 5).long() // 3 + (x * 5).to(torch.int64) % 3, X),
    "clamp": (lambda x: x.clamp(-0.5, 0.5) + x.clamp(min=0.1) + torch.clamp(x, max=0.3) + x.clamp_min(0.2), X),
    "maximum": (lambda x, y: torch.maximum(x, y) - torch.minimum(x, y) + torch.max(x, y), X, X),
    "masked_fill": (lambda x: x.masked_fill(x > 0, 1.5), X),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), X, X),
    "in place": (update, X),
    "shapes": (lambda x: x.reshape(6, 4).unsqueeze(1).transpose(0, 2).squeeze(1).flatten().view(x.shape[0], -1), Y),
    "permute": (lambda x: x.permute(2, 0, 1) + x.permute((2, 0, 1)) + x.movedim(-1, 0), Y),
    "expand": (lambda x: x[:, :, None].expand(-1, -1, 5), X),
    "matrices": (lambda x: x.t() @ x + x.T @ x.mT.T, X),
    "stack": (lambda x, y: torch.stack([x, y], -1).sum(-1) + torch.cat((x, y), 0)[:3], X, X),
    "pieces": (lambda x: sum(part.sum(-1) for part in x.split([1, 3], -1)) + x.chunk(2, -1)[1].sum(-1) + x.unbind(1)[0].sum(-1)
               [:, None], Y),
    "slices": (lambda x: x[..., 1:] + x[:, -1:, :-1] + x[0, None, :, 1:4] + x[:, 1][:, None, ::2].sum(), Y),
    "indices": (lambda x: x[:, torch.tensor([2, 0])] + x[:, [0, -1]] + x.index_select(1, torch.tensor([1, 1])), Y),
    "flip": (lambda x: x.flip(0, 2) + x.roll(1, 2) + x.roll((1, 2), (0, 1)), Y),
    "repeat": (lambda x: x.repeat(2, 1, 2).sum() + x.repeat_interleave(2, 1).sum() + x.tile((2,)).sum(), Y),
    "triangles": (lambda x: x.tril() + torch.triu(x, 1), X),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 1), value=3.0)[..., 1:] + F.pad(x, (1, 1), mode="replicate")[:, :1].sum(), Y),
    "pixels": (lambda x: F.pixel_shuffle(x[:, :4], 2), Z),
    "gather": (lambda x: x.gather(1, torch.tensor([[0, 1], [2, 3], [1, 0]])), X),
    "one_hot": (lambda x: F.one_hot(x.argmax(-1), 4), X),
    "sums": (lambda x: x.sum() + x.mean(1).sum() + x.amax((0, 1)).sum() + x.prod(-1, keepdim=True).sum() + x.logsumexp(2).sum(), Y),
    "extremes": (lambda x: x.max(1)[0] + x.min(dim=1).values + x.max() + x.argmin(1), X),
    "variance": (lambda x: x.var(1) + x.std(1, unbiased=False) + x.var(dim=-1, unbiased=False), X),
    "norms": (lambda x: x.norm(dim=1) + x.norm(p=1, dim=1) + torch.linalg.norm(x, dim=1) + F.normalize(x, dim=1).sum(1), X),
    "softmax": (lambda x: F.softmax(x, 1) + F.log_softmax(x, 2) + x.softmax(0) + F.softmin(x, 1), Y),
    "cumsum": (lambda x: x.cumsum(1), X),
    "topk": (lambda x: x.topk(2, -1)[0] + x.topk(2, -1).indices, X),
    "products": (lambda x, y: torch.einsum("bij,bkj->bik", x, y) + torch.bmm(x, y.transpose(1, 2)), Y, Y),
    "addmm": (lambda x: torch.addmm(x[:, :3], x, x.t(), beta=0.5, alpha=2), X),
    "outer": (lambda x: torch.outer(x[0], x[1]), X),
    "scaled_dot_product_attention": (lambda x, y: attend(x, y, y, is_causal=True), Z, Z),
    "scaled_dot_product_attention with a mask": (lambda x, y: attend(x, y, y, attn_mask=torch.ones(8, 8).tril() > 0), Z, Z),
    "layer_norm": (lambda x: F.layer_norm(x, (3, 4)) + F.layer_norm(x, (4,), x[0, 0], x[0, 1]), Y),
    "group_norm": (lambda x: F.group_norm(x, 3) + F.instance_norm(x), Z),
    "pools": (lambda x: F.avg_pool2d(x, 3, 2, 1) + F.max_pool2d(x, 3, 2, 1) + F.adaptive_avg_pool2d(x, 4) +
              F.adaptive_max_pool2d(x, (4, 4)), Z),
    "pools without a batch": (lambda x: F.avg_pool1d(x, 2) + F.max_pool1d(x, 2) + F.avg_pool1d(x, 3, 2, 1, count_include_pad=False),
                              (6, 8)),
    "convolutions": (lambda x, w: F.conv2d(x, w, padding=1) + F.conv2d(x, w, padding="same"), Z, (6, 6, 3, 3)),
    "transposed": (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), Z, (6, 5, 3, 3)),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2) + F.interpolate(x, size=(16, 16), mode="bilinear") +
                    F.interpolate(x, size=(16, 16), mode="bilinear", align_corners=True), Z),
    "constants": (lambda x: x + torch.zeros_like(x) + x.new_ones(4) + torch.arange(x.size(1)) + torch.full((4,), 2.0), X),
    "sizes": (lambda x: x * x.size(0) + len(x) + x.dim() + x.shape[1] + x.numel() + (1 if x.shape[0] > 2 else 5), X),
    "operators": (lambda x: operator.neg(x) + abs(x) - (-x), X),
}


def assign(x, y):
    """Entries, rows with a step, and a part of each row."""
    z = x * 2
    z[0] = 1
    z[1::2] = y
    z[:, 1:3] += x[:, :2]
    z[-1, 0] = x[0, 0]
    return z


EXPORTED = {
    "assignments": (assign, (5, 4), (2, 4)),
    "decomposed": (lambda x: F.pixel_unshuffle(x, 2) + F.channel_shuffle(F.pixel_unshuffle(x, 2), 2), Z),
    "distances": (lambda x: F.cosine_similarity(x[:1], x, -1) + F.pairwise_distance(x[:1], x) + torch.logaddexp(x[:, 0], x[:, 1]), X),
}


def cases(exported=False):
    """Tuples of a title, a module and its inputs; also those of torch.export alone."""
    torch.manual_seed(2)
    for title, (function, *shapes) in {**FUNCTIONS, **(EXPORTED if exported else {})}.items():
        yield title, Call(function), [torch.randn(*shape) for shape in shapes]
