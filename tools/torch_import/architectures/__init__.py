# SPDX-License-Identifier: BSL-1.0
"""The table of checkpoints: model_type of config.json -> function of a plan and samples, and prefixes that names may have."""
from . import decoders, encoders, seq2seq

TABLE = {
    "bert": (encoders.bert, ("bert.",)),
    "roberta": (encoders.roberta, ("roberta.",)),
    "xlm-roberta": (encoders.roberta, ("roberta.",)),
    "distilbert": (encoders.distilbert, ("distilbert.",)),
    "gpt2": (decoders.gpt2, ("transformer.",)),
    "llama": (decoders.llama, ("model.",)),
    "mistral": (decoders.llama, ("model.",)),
    "qwen2": (decoders.llama, ("model.",)),
    "bart": (seq2seq.bart, ("model.",)),
    "mbart": (seq2seq.bart, ("model.",)),
    "marian": (seq2seq.bart, ("model.",)),
    "whisper": (seq2seq.whisper, ("model.",)),
    "t5": (seq2seq.t5, ("",)),
}

DECODERS = (decoders.gpt2, decoders.llama)  # with a context

__all__ = ["DECODERS", "TABLE"]
