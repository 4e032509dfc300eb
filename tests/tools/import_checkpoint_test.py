#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Imports checkpoints as Hugging Face writes them by tools/import_torch.py, compiles the result in one program and runs it.

    tests/tools/import_checkpoint_test.py --compiler g++ -- -Iinclude -mavx2

The weights are those of tests/nn/fixtures, whose outputs PyTorch made: the importer's reference must give the same. Exits with
77 (skipped) if NumPy is missing. PyTorch is not needed.
"""
import json
import sys
import tempfile
from pathlib import Path

from tool_checks import ROOT, called, expect, finished, options, skip_without

skip_without("numpy")
import numpy as np  # noqa: E402
import import_torch  # noqa: E402
from imported_program import compile_and_run  # noqa: E402
from onnx_import.errors import ModelError  # noqa: E402
from onnx_import.safetensors import write_safetensors  # noqa: E402
from torch_import.architectures import TABLE  # noqa: E402
from torch_import.safetensors import read_safetensors  # noqa: E402

BERT = {"model_type": "bert", "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24, "num_hidden_layers": 2,
        "vocab_size": 19, "max_position_embeddings": 20, "hidden_act": "gelu", "layer_norm_eps": 1e-12}
LLAMA = {"model_type": "qwen2", "hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
         "intermediate_size": 24, "num_hidden_layers": 2, "vocab_size": 19, "max_position_embeddings": 20, "rms_norm_eps": 1e-6,
         "rope_theta": 1e6}
T5 = {"model_type": "t5", "d_model": 16, "num_heads": 2, "d_kv": 12, "d_ff": 24, "vocab_size": 19, "num_layers": 2}
BART = {"model_type": "bart", "d_model": 16, "vocab_size": 19, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 24,
        "decoder_ffn_dim": 24, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "max_position_embeddings": 18}
FIXTURES = {  # name -> file of tests/nn/fixtures, config.json, outputs by their names in that file
    "bert": ("encoder_models", BERT, {"last_hidden_state": "layer1", "pooler_output": "pooled"}),
    "distilbert": ("encoder_models", {"model_type": "distilbert", "dim": 16, "n_heads": 2, "hidden_dim": 24, "n_layers": 2,
                                      "vocab_size": 19, "max_position_embeddings": 20}, {"last_hidden_state": "layer1"}),
    "gpt2": ("decoder_models", {"model_type": "gpt2", "n_embd": 16, "n_head": 2, "n_inner": 24, "n_layer": 2, "vocab_size": 19,
                                "n_positions": 20}, {"logits": "logits"}),
    "qwen2": ("decoder_models", LLAMA, {}),
    "t5": ("t5_models", T5, {"encoder_last_hidden_state": "encoder", "logits": "logits"}),
    "t5_gated": ("t5_models", {**T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
                 {"encoder_last_hidden_state": "encoder", "logits": "logits"}),
    "bart": ("bart_models", BART, {"encoder_last_hidden_state": "encoder", "logits": "logits"}),
    "marian": ("bart_models", {**BART, "model_type": "marian", "max_position_embeddings": 20, "activation_function": "swish",
                               "scale_embedding": True}, {"encoder_last_hidden_state": "encoder", "logits": "logits"}),
}
COMPILED = ("qwen2", "t5_gated")  # beside MiniLM, Whisper and those that decode: layers of an encoder-decoder take g++ half a minute


def run(arguments):
    """The exit status, the report and the lines of errors."""
    status, out, errors = called(import_torch.main, *arguments)
    return status, out, errors.splitlines()


def write_checkpoint(folder, config, weights):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", weights.items())


def imported(folder, name, inputs, *more):
    status, text, errors = run([folder / name, "--name", f"net_{name}", "--out", folder, *more,
                                *(part for given in inputs for part in ("--input", given))])
    expect(status == 0, f"{name}: {text}{errors}")
    return [f"net_{name}"] if status == 0 else []


def check_fixture(folder, name):
    """A model whose outputs PyTorch made."""
    file, config, outputs = FIXTURES[name]
    arrays = read_safetensors(ROOT / "tests/nn/fixtures" / f"{file}.safetensors")
    weights, start = {n: a for n, a in arrays.items() if n.startswith(f"{name}.state.")}, f"{name}.state."
    if name == "bert":  # with the names of norms in the first files of BERT
        weights = {n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): a for n, a in weights.items()}
    write_checkpoint(folder / name, config, {n[len(start):]: a for n, a in weights.items()})
    inputs = []
    for given, array in ((n, a) for n, a in arrays.items() if n.startswith(f"{name}.in.")):
        np.save(folder / name / f"{given}.npy", array)
        inputs.append(f"{folder / name / given}.npy")
    inputs.sort()  # the source before the target
    if f"{name}.in.source" in arrays or name == "bert":
        np.save(folder / name / "mask.npy", np.arange(13) < 9)
        inputs.append(f"attention_mask={folder / name / 'mask.npy'}")
    if name == "bert":
        np.save(folder / name / "kinds.npy", (np.arange(13) >= 5).astype(np.int64))
        inputs.append(f"token_type_ids={folder / name / 'kinds.npy'}")
    names = imported(folder, name, inputs)
    found = read_safetensors(folder / f"net_{name}_test.safetensors") if names else {}
    pairs = [(found.get(f"output.{ours}"), arrays[f"{name}.out.{theirs}"]) for ours, theirs in outputs.items()]
    if name == "qwen2":
        pairs = [(found.get("output.logits"), arrays["qwen2.out.last"] @ arrays["qwen2.state.model.embed_tokens.weight"].T)]
    for ours, theirs in pairs:
        expect(ours is not None and np.allclose(ours, theirs, 1e-6, 1e-6), f"{name}: the reference gives what PyTorch gave")
    return names


def random_weights(shapes):
    random = np.random.default_rng(4)
    return {name: (random.standard_normal(shape) * 0.3).astype(np.float32) for name, shape in shapes.items()}


def bert_shapes(prefix, size, hidden, layers, words, places):
    layer = {"attention.self.query": (size, size), "attention.self.key": (size, size), "attention.self.value": (size, size),
             "attention.output.dense": (size, size), "intermediate.dense": (hidden, size), "output.dense": (size, hidden)}
    shapes = {"embeddings.word_embeddings.weight": (words, size), "embeddings.position_embeddings.weight": (places, size),
              "embeddings.token_type_embeddings.weight": (1, size), "pooler.dense.weight": (size, size),
              "pooler.dense.bias": (size,)}
    norms = ["embeddings.LayerNorm"]
    for i in range(layers):
        for name, shape in layer.items():
            shapes.update({f"encoder.layer.{i}.{name}.weight": shape, f"encoder.layer.{i}.{name}.bias": shape[:1]})
        norms += [f"encoder.layer.{i}.attention.output.LayerNorm", f"encoder.layer.{i}.output.LayerNorm"]
    for name in norms:
        shapes.update({f"{name}.weight": (size,), f"{name}.bias": (size,)})
    return {prefix + name: shape for name, shape in shapes.items()}


def check_minilm(folder):
    """The shape of MiniLM's layers, twelve heads, with a prefix, a head of classes, and positions of RoBERTa; a batch."""
    shapes = {**bert_shapes("roberta.", 48, 96, 2, 30, 20), "classifier.weight": (3, 48), "classifier.bias": (3,)}
    config = {**BERT, "model_type": "roberta", "hidden_size": 48, "num_attention_heads": 12, "intermediate_size": 96,
              "vocab_size": 30, "type_vocab_size": 1, "pad_token_id": 1, "layer_norm_eps": 1e-5}
    write_checkpoint(folder / "minilm", config, {**random_weights(shapes), "lm_head.bias": np.zeros(30, np.float32)})
    status, text, errors = run([folder / "minilm", "--name", "net_minilm", "--out", folder, "--input", "2,9",
                                "--input", "attention_mask=2,9"])
    expect(status == 0 and "not imported: lm_head.bias" in text, f"minilm: {text}{errors}")
    header = (folder / "net_minilm.hpp").read_text() if status == 0 else ""
    for part in (".embed = 48, .heads = 12, .hidden = 96, .activation = nn::activation::gelu}, .layers = 2",
                 "keep(reshape<2, 1, 1, 9>(attention_mask))", "classifier(pooler_output)", "token_type_embeddings.weight, 0), 2)"):
        expect(part in header, f"minilm: its header has {part}")
    return ["net_minilm"] if status == 0 else []


def check_whisper(folder):
    """The stem of convolutions before the layers of the fixture; weights in two files."""
    arrays = read_safetensors(ROOT / "tests/nn/fixtures/bart_models.safetensors")
    weights = {n[len("whisper.state."):]: a for n, a in arrays.items() if n.startswith("whisper.state.")}
    weights.update(random_weights({"model.encoder.conv1.weight": (16, 4, 3), "model.encoder.conv1.bias": (16,),
                                   "model.encoder.conv2.weight": (16, 16, 3), "model.encoder.conv2.bias": (16,)}))
    config = {**BART, "model_type": "whisper", "max_source_positions": 20, "max_target_positions": 20, "num_mel_bins": 4}
    write_checkpoint(folder / "whisper", config, {})
    (folder / "whisper/model.safetensors").unlink()
    halves = [dict(list(weights.items())[i::2]) for i in (0, 1)]
    for i, half in enumerate(halves):
        write_safetensors(folder / f"whisper/part{i}.safetensors", half.items())
    index = {"weight_map": {name: f"part{i}.safetensors" for i, half in enumerate(halves) for name in half}}
    (folder / "whisper/model.safetensors.index.json").write_text(json.dumps(index))
    return imported(folder, "whisper", ["2,4,40", "2,6"])


def llama_shapes(config):
    """The arrays of a Llama with a head of its own."""
    size, hidden, words = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    rows = config["num_attention_heads"] * config["head_dim"]
    keys = config["num_key_value_heads"] * config["head_dim"]
    layer = {"self_attn.q_proj": (rows, size), "self_attn.k_proj": (keys, size), "self_attn.v_proj": (keys, size),
             "self_attn.o_proj": (size, rows), "mlp.gate_proj": (hidden, size), "mlp.up_proj": (hidden, size),
             "mlp.down_proj": (size, hidden), "input_layernorm": (size,), "post_attention_layernorm": (size,)}
    shapes = {f"model.layers.{i}.{name}.weight": shape for i in range(config["num_hidden_layers"]) for name, shape in layer.items()}
    return {**shapes, "model.embed_tokens.weight": (words, size), "model.norm.weight": (size,), "lm_head.weight": (words, size)}


def check_decoding(folder):
    """Token by token with a cache: the written tests compare scores and the best tokens with those computed without one.

    GPT-2 fills its context to the last place, where single steps follow blocks. The rotations of Llama are too many for a
    compiler, so its state has them. Mistral is Llama with a window that the context must fit.
    """
    long = {**LLAMA, "model_type": "llama", "max_position_embeddings": 20000}
    write_checkpoint(folder / "llama", long, random_weights(llama_shapes(long)))
    write_checkpoint(folder / "mistral", {**long, "model_type": "mistral", "sliding_window": 16384},
                     {n: a for n, a in read_safetensors(folder / "llama/model.safetensors").items()})
    names, headers = [], {}
    for name, prompt, context in (("gpt2", 5, 13), ("qwen2", 5, 20), ("llama", 3, 16384), ("mistral", 3, 16384)):
        given = [folder / name, "--name", f"{name}_steps", "--out", folder, "--input", prompt, "--context", context]
        status, text, errors = run(given)
        expect(status == 0 and f"at most {context} tokens" in text, f"{name} token by token: {text}{errors}")
        if status == 0:
            names.append(f"{name}_steps")
            headers[name] = (folder / f"{name}_steps.hpp").read_text()
            found = read_safetensors(folder / f"{name}_steps_test.safetensors")
            tokens, logits = found["input.tokens"], found["output.logits"]
            expect(len(tokens) == prompt + 8 and len(logits) == 9, f"{name}: the test has a prompt and eight tokens after it")
            expect(np.array_equal(logits.argmax(-1)[:-1], tokens[prompt:]), f"{name}: the tokens after the prompt are the best ones")
            np.save(folder / "tokens.npy", tokens)
            imported(folder, name, [folder / "tokens.npy"])
            whole = read_safetensors(folder / f"net_{name}_test.safetensors")["output.logits"]
            expect(np.array_equal(whole[prompt - 1:], logits), f"{name}: the scores are those of all tokens at once")
    expect("kept.turn" in headers.get("llama", "") and "rope_tables" in headers.get("qwen2", ""), "tables of rotations")
    same = headers.get("llama", "").replace("llama_steps", "mistral_steps").replace("from llama ", "from mistral ")
    expect(same == headers.get("mistral"), "the header of Mistral is that of Llama")
    return names[:-1]


def check_reader(folder):
    """Numbers of bfloat16 are read exactly; shapes must fit the bytes."""
    def write(shape, last):
        header = json.dumps({"a": {"dtype": "BF16", "shape": shape, "data_offsets": [0, last]}}).encode()
        (folder / "bf16.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\x80\x3f\x20\xc0")
        return folder / "bf16.safetensors"

    expect(read_safetensors(write([2], 4))["a"].tolist() == [1.0, -2.5], "numbers of bfloat16")
    for shape, last in (([3], 4), ([1], 4), ([2], 8), ([1 << 62, 1 << 62], 4), ([-2], 4)):
        try:
            expect(False, f"a shape of {shape} in {last} bytes is refused, not {read_safetensors(write(shape, last))}")
        except ModelError as failure:
            expect("a: shape" in str(failure), f"a shape of {shape}: {failure}")


def refusals(folder):
    """Tuples of a title, config.json, weights, inputs and what the error names."""
    weights = random_weights(bert_shapes("", 16, 24, 2, 19, 20))
    weights["embeddings.token_type_embeddings.weight"] = np.zeros((2, 16), np.float32)
    name = "encoder.layer.1.output.dense.weight"
    yield "fits", BERT, weights, ["9"], None
    yield "missing", BERT, {n: a for n, a in weights.items() if n != name}, ["9"], f"{name} is missing"
    shapes = f"{name}: config.json says [16, 24], the file has [24, 16]"
    yield "wrong shape", BERT, {**weights, name: weights[name].T}, ["9"], shapes
    yield "integers", BERT, {**weights, name: np.zeros((16, 24), np.int32)}, ["9"], "int32"
    yield "heads", {**BERT, "num_attention_heads": 3}, weights, ["9"], "3 heads"
    yield "type", {**BERT, "model_type": "resnet"}, weights, ["9"], "'resnet'"
    yield "no type", {}, weights, ["9"], "model_type is missing"
    yield "no number", {**BERT, "hidden_size": "16"}, weights, ["9"], "hidden_size is '16'"
    yield "negative", {**BERT, "num_hidden_layers": -1}, weights, ["9"], "num_hidden_layers is -1"
    yield "activation", {**BERT, "hidden_act": "swiglu"}, weights, ["9"], "'swiglu'"
    yield "positions", {**BERT, "position_embedding_type": "relative_key"}, weights, ["9"], "relative_key"
    yield "no input", BERT, weights, [], "--input"
    yield "long input", BERT, weights, ["21"], "20 positions"
    yield "huge input", BERT, weights, ["99999999999"], "too large"
    yield "axes", BERT, weights, ["1,2,3"], "1 or 2 axes"
    yield "two inputs", BERT, weights, ["9", "9"], "more than 1"
    yield "unknown input", BERT, weights, ["9", "z=9"], "--input z"
    yield "mask", BERT, weights, ["9", "attention_mask=8"], "attention_mask"
    yield "rope", {**LLAMA, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, {}, ["9"], "rope_scaling"
    yield "window", {**LLAMA, "sliding_window": 4}, {}, ["9"], "sliding_window"
    yield "window of a context", {**LLAMA, "sliding_window": 16}, {}, ["9", "--context", "17"], "sliding_window"
    yield "window is a text", {**LLAMA, "sliding_window": "16"}, {}, ["9"], "sliding_window is '16'"
    yield "context of an encoder", BERT, weights, ["9", "--context", "12"], "only gpt2"
    yield "no room", LLAMA, {}, ["9", "--context", "9"], "room after the 9 tokens"
    yield "no context", LLAMA, {}, ["9", "--context", "0"], "at least one token"
    yield "long context", LLAMA, {}, ["9", "--context", "21"], "20 positions"
    yield "batch", LLAMA, {}, ["2,9", "--context", "20"], "no batch"
    yield "missing weights", LLAMA, {}, ["9", "--context", "20"], "embed_tokens.weight is missing"


def check_refusals(folder):
    for title, config, weights, inputs, text in refusals(folder):
        made = folder / title.replace(" ", "_")
        write_checkpoint(made, config, weights)
        check_refused(title, made, inputs, text)
    fits = folder / "fits"
    whole = (fits / "model.safetensors").read_bytes()
    header = int.from_bytes(whole[:8], "little")
    damaged = {"cut": (whole[:-5], "needs"), "cut in header": (whole[:50], "no safetensors"), "empty": (b"", "no safetensors"),
               "bad header": (whole[:8] + b"[" * header, "no JSON"), "text": (b"no weights here at all", "no safetensors")}
    check_refused("weights alone", fits / "model.safetensors", ["9"], "write model.py:Net --state model.safetensors")
    check_refused("name of a member", fits, ["9", "--name", "pooler"], "--name pooler")
    for title, (data, text) in damaged.items():
        (fits / "model.safetensors").write_bytes(data)
        check_refused(title, fits, ["9"], text)
    (fits / "model.safetensors").unlink()
    check_refused("no weights", fits, ["9"], "neither model.safetensors")
    (fits / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../outside.safetensors"}}))
    check_refused("outside", fits, ["9"], "outside the folder")
    (fits / "config.json").write_text("{")
    check_refused("config is no JSON", fits, ["9"], "no JSON")
    (fits / "config.json").unlink()
    check_refused("no config", fits, ["9"], "no config.json")
    check_refused("no folder", folder / "nothing", ["9"], "no folder")


def check_refused(title, source, inputs, text):
    out = source.parent / "out"
    first = next((i for i, text in enumerate(inputs) if text.startswith("--")), len(inputs))
    given = [part for text in inputs[:first] for part in ("--input", text)]
    status, report, errors = run([source, "--out", out, *given, *inputs[first:]])
    if text is None:
        expect(status == 0, f"{title}: {report}{errors}")
        for path in out.iterdir():
            path.unlink()
        out.rmdir()
        return
    expect(status == 2 and len(errors) == 1 and text in errors[0], f"{title}: status {status}, {errors}")
    expect(not out.exists(), f"{title}: nothing is written")


def main():
    parser = options(__doc__)
    parser.add_argument("--all", action="store_true", help="compile all checkpoints, not one of each kind")
    given = parser.parse_args()
    page = (ROOT / "docs/import_torch.md").read_text()
    expect(all(f"`{kind}`" in page for kind in TABLE), "docs/import_torch.md lists the types of checkpoints")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "refused").mkdir()
        check_reader(folder)
        check_refusals(folder / "refused")
        names = [name for fixture in FIXTURES for name in check_fixture(folder, fixture) if given.all or fixture in COMPILED]
        names += check_minilm(folder) + check_whisper(folder) + check_decoding(folder)
        compile_and_run(names, folder, given.compiler, given.flags, most=4)
    return finished()


if __name__ == "__main__":
    sys.exit(main())
