# SPDX-License-Identifier: BSL-1.0
"""Modules that the test of tools/import_torch.py imports, with the inputs of each."""
import torch
import torch.nn.functional as F
from torch import nn


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 4)

    def forward(self, x):
        return F.softmax(self.fc2(self.act(self.fc1(x))), dim=-1)


class Convolutional(nn.Module):
    """A stride and a padding by axis, a folded norm, windows of different sizes in the adaptive pool."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(8, 6, (3, 3), stride=(2, 1), padding=(1, 0)), nn.Hardswish(), nn.Dropout())
        self.pool = nn.AdaptiveAvgPool2d((2, 2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(24, 12), nn.BatchNorm1d(12), nn.SiLU(), nn.Linear(12, 5),
                                        nn.LogSoftmax(1))

    def forward(self, x):
        return self.classifier(self.pool(self.features(x)))


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU())
        self.blocks = nn.ModuleList(Block(4) for _ in range(2))
        self.norm, self.head = nn.GroupNorm(2, 4), nn.Linear(4, 6)

    def forward(self, image):
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(dim=(2, 3)))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.lstm = nn.Embedding(50, 12), nn.LSTM(12, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(16, 5)

    def forward(self, tokens):
        h, (last, _) = self.lstm(self.words(tokens))
        return F.log_softmax(self.out(h), -1), last


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(50, 16), nn.Parameter(torch.randn(1, 20, 16))
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, activation="gelu")
        self.encoder, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(16, 3)

    def forward(self, tokens, padding):
        x = self.embed(tokens) + self.places[:, :tokens.shape[1]]
        return self.head(self.encoder(x, src_key_padding_mask=padding)[:, 0])


class Decoder(nn.Module):
    """A causal mask that is a buffer, a mask of the memory, and a layer that norms first."""

    def __init__(self):
        super().__init__()
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2, 24, batch_first=True), 2, norm=nn.LayerNorm(16))
        self.layer = nn.TransformerDecoderLayer(16, 4, 24, batch_first=True, norm_first=True, activation="gelu")
        self.register_buffer("mask", torch.triu(torch.ones(32, 32, dtype=torch.bool), 1))

    def forward(self, x, memory, padding):
        rows = x.size(1)
        y = self.decoder(x, memory, tgt_mask=self.mask[:rows, :rows], memory_key_padding_mask=padding)
        return self.layer(y, memory)


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, causal=False):
        batch, rows, width = x.shape
        q, k, v = (part.view(batch, rows, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        if causal:
            scores = scores.masked_fill(torch.triu(torch.ones(rows, rows, dtype=torch.bool), 1), float("-inf"))
        return self.proj((F.softmax(scores, -1) @ v).transpose(1, 2).contiguous().view(batch, rows, width))


class FeedForward(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attn, self.ff = SelfAttention(width, heads), FeedForward(width)
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=True)
        return x + self.ff(self.ln2(x))


class Nested(nn.Module):
    """A language model of modules that a user wrote, with a head that shares the table."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16), nn.Embedding(32, 16)
        self.layers, self.ln = nn.ModuleList(Layer(16, 2) for _ in range(2)), nn.LayerNorm(16)
        self.head = nn.Linear(16, 40, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.size(1), device=tokens.device))
        for layer in self.layers:
            x = layer(x)
        return {"logits": self.head(self.ln(x)), "features": x}


class Split(nn.Module):
    """Returns two values, one of them in memory and one that nothing has evaluated."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 6)

    def forward(self, x):
        y = self.fc(x)
        return y.relu(), y[..., :3].sum(-1, keepdim=True)


class Parts(nn.Module):
    """A module that is called with two shapes and has several results, one that returns its input, an output that is an input."""

    def __init__(self):
        super().__init__()
        self.halve, self.same, self.wide = Split(), nn.Identity(), Same()

    def forward(self, x):
        a, b = self.halve(x)
        c, d = self.halve(self.wide(self.same(x)) * 2)
        e, _ = self.halve(x[:1])
        return a + c, b * d + e.mean(), x


class Same(nn.Module):
    def forward(self, x):
        return x


class Attentive(nn.Module):
    """Attention with weights and a mask of numbers, steps first; recurrent layers with a first state, and one whose rows are not read."""

    def __init__(self):
        super().__init__()
        self.own, self.cross = nn.MultiheadAttention(16, 4), nn.MultiheadAttention(16, 2, batch_first=True, kdim=8, vdim=6)
        self.rnn, self.gru = nn.RNN(16, 5, nonlinearity="relu"), nn.GRU(5, 6)
        self.lstm = nn.LSTM(6, 3, bidirectional=True)

    def forward(self, x, keys, values, bias):
        y, weights = self.own(x, x, x, attn_mask=bias)
        z = self.cross(x.transpose(0, 1), keys, values, need_weights=False)[0]
        rows, state = self.rnn(y)
        rows, last = self.gru(rows, torch.zeros(1, x.size(1), 6))
        _, (ends, _) = self.lstm(rows)
        return weights, z, rows, last[0] + state.sum(), torch.cat([ends[0], ends[1]], 1)


class Steps(nn.Module):
    """Cells in a loop, and a layer with a projection whose first state is an input."""

    def __init__(self):
        super().__init__()
        self.lstm, self.cell, self.gru, self.rnn = nn.LSTM(4, 6, 2, proj_size=3), nn.LSTMCell(3, 5), nn.GRUCell(5, 4), nn.RNNCell(4, 4)

    def forward(self, x, state):
        rows, (h, c) = self.lstm(x, state)
        cells = (x.new_zeros(x.size(1), 5), torch.zeros(x.size(1), 5))
        hidden, results = torch.zeros(x.size(1), 4), []
        for row in rows:
            cells = self.cell(row, cells)
            hidden = self.gru(cells[0], hidden)
            results.append(self.rnn(hidden))
        return torch.stack(results), h, c


class Audio(nn.Module):
    """Weight norm, paddings of other kinds, a transposed convolution, norms that are not folded."""

    def __init__(self):
        super().__init__()
        weight_norm = getattr(nn.utils.parametrizations, "weight_norm", nn.utils.weight_norm)  # of PyTorch 2, or older ones
        self.conv1 = weight_norm(nn.Conv1d(2, 6, 4, padding="same", dilation=3))
        self.conv2, self.prelu = nn.Conv1d(6, 6, 3, padding=1, groups=6, padding_mode="reflect"), nn.PReLU(6)
        self.up, self.bn, self.norm = nn.ConvTranspose1d(6, 4, 4, stride=2, padding=1), nn.BatchNorm1d(4), nn.GroupNorm(2, 4)
        self.pool = nn.AdaptiveAvgPool1d(4)

    def forward(self, x):
        x = self.norm(self.bn(self.up(self.prelu(self.conv2(self.conv1(x))))))
        a, b = torch.split(x, 2, dim=1)
        x = torch.cat([torch.tanh(a) * torch.sigmoid(b), F.glu(x, 1)], dim=1)
        return self.pool(F.interpolate(x, scale_factor=2.0, mode="linear", align_corners=False))[..., 1:, None].squeeze(-1)


class Exported(nn.Module):
    """A function that only the way through ONNX has."""

    def __init__(self):
        super().__init__()
        self.register_buffer("places", torch.tensor([[0, 2, 1], [3, 1, 0]]))

    def forward(self, x):
        return torch.scatter(x, 1, self.places, x[:, :3] * 2)


class Asserting(nn.Module):
    """Asserts what holds for the sample, as tutorials do."""

    def forward(self, x):
        assert (x == x).all() and x.max() < 100, "numbers"
        return x * 2


class Changed(nn.Module):
    """Changes its input in place, which torch.fx records and torch.export does not."""

    def forward(self, x):
        x.mul_(2)
        return x + 1


def randomise(module):
    """Statistics and scales of norms other than 0 and 1."""
    torch.manual_seed(3)
    for m in module.modules():
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            nn.init.uniform_(m.running_var, 0.5, 2)
            for tensor in (m.running_mean, m.weight, m.bias):
                nn.init.normal_(tensor)
        if isinstance(m, (nn.LayerNorm, nn.GroupNorm)):
            nn.init.normal_(m.weight)
            nn.init.normal_(m.bias)
    return module.eval()


def padding(*lengths, rows):
    return torch.arange(rows)[None, :] >= torch.tensor(lengths)[:, None]


def cases():
    """Tuples of a name, a module, its inputs, and texts that its header has."""
    torch.manual_seed(1)
    r, words = torch.randn, torch.randint
    yield "perceptron", Perceptron(), [r(2, 16)], ["nn::linear<{.in = 16, .out = 24}> fc1{};"]
    yield "precise", Perceptron().double(), [r(2, 16).double()], ["nn::linear<{.in = 16, .out = 24}, double> fc1{};"]
    yield "cnn", Convolutional(), [r(2, 1, 14, 14)], ["nn::conv2d<{.in = 1, .out = 8, .kernel = 3, .channels_last = true}> features_0{};",
                                                     ".stride = {2, 1}, .padding = {1, 0}}"]
    yield "residual", Residual(), [r(1, 3, 12, 12)], [
        "struct block {", "/// Block: [1, 6, 6, 4] with channels last to", "std::array<residual_parts::block, 2> blocks{};",
        "nn::group_norm<{.groups = 2, .channels = 4, .channels_last = true}>"]
    yield "tagger", Tagger(), [words(50, (2, 7))], ["nn::lstm<{.in = 12, .hidden = 8, .layers = 2, .bidirectional = true}> lstm{};"]
    yield "sentences", Encoder(), [words(50, (2, 9)), padding(9, 5, rows=9)], [
        "nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 32, .activation = nn::activation::gelu}, .layers = 2}>"]
    yield "decoded", Decoder(), [r(2, 5, 16), r(2, 7, 16), padding(7, 4, rows=7)], ["nn::decoder<", "causal", "nn::cross("]
    yield "nested", Nested(), [words(40, (2, 6))], ["struct self_attention {", "std::array<nested_parts::layer, 2> layers{};"]
    yield "parts", Parts(), [r(3, 8)], ["std::tie(", "halve{};", "halve_2{};"]
    yield "attentive", Attentive(), [r(5, 2, 16), r(2, 4, 8), r(2, 4, 6), r(5, 5)], ["average_weights(", "nn::gru<"]
    yield "cells", Steps(), [r(3, 2, 4), (r(2, 2, 3), r(2, 2, 6))], ["nn::lstm<{.in = 4, .hidden = 6, .layers = 2, .projection = 3"]
    yield "audio", Audio(), [r(1, 2, 20)], ["nn::batch_norm<", "nn::group_norm<"]
