"""The vectors of 100 texts by a sentence-transformer, in double precision and with the reference tokenizer."""

import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

SENTENCES = [
    "The meeting was moved to Friday at half past nine.",
    "fn parse_header(bytes: &[u8]) -> Option<Header> { Header::read(bytes) }",
    "Ada Lovelace wrote the first program; Charles Babbage never built the machine.",
    "Größenwahn, naïveté, façade, Ångström, Øresund and žluťoučký kůň.",
    "東京は日本の首都です。人口は約1400万人。",
    "Привет, мир! Как дела?",
    "مرحبا بالعالم",
    "https://example.com/path?query=1&other=two#fragment and mail@example.org",
    "I ❤️ Rust 🦀🚀 — it's “great”…",
    "   leading, trailing and    inner   spaces\t\nand new lines   ",
]


def texts():
    made = [""]
    for number in range(99):
        one = SENTENCES[number % len(SENTENCES)]
        other = SENTENCES[(number * 7 + 3) % len(SENTENCES)]
        made.append(" ".join([one, f"({number})", other] * (1 + number % 12)))
    return made


def tensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        assert entry["dtype"] in ("F32", "I64"), entry
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        kind = np.float32 if entry["dtype"] == "F32" else np.int64
        found[name] = np.frombuffer(data[start:end], kind).reshape(entry["shape"]).astype(np.float64)
    return found


def norm(rows, scale, shift, epsilon):
    rows = rows - rows.mean(-1, keepdims=True)
    return rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + epsilon) * scale + shift


def main():
    folder = Path(sys.argv[1])
    config = json.loads((folder / "config.json").read_text())
    most = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
    weights = tensors(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    erf = np.vectorize(math.erf)

    def linear(rows, name):
        return rows @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def layer_norm(rows, name):
        return norm(rows, weights[f"{name}.weight"], weights[f"{name}.bias"], epsilon)

    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for text in texts():
            ids = tokenizer.encode(text).ids
            rows = weights["embeddings.word_embeddings.weight"][ids]
            rows = rows + weights["embeddings.position_embeddings.weight"][: len(ids)]
            rows = layer_norm(rows + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
            for number in range(config["num_hidden_layers"]):
                layer = f"encoder.layer.{number}"
                parts = [linear(rows, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")]
                query, key, value = (part.reshape(len(ids), heads, -1).transpose(1, 0, 2) for part in parts)
                scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                scores /= scores.sum(-1, keepdims=True)
                mixed = (scores @ value).transpose(1, 0, 2).reshape(len(ids), -1)
                rows = layer_norm(linear(mixed, f"{layer}.attention.output.dense") + rows, f"{layer}.attention.output.LayerNorm")
                wide = linear(rows, f"{layer}.intermediate.dense")
                wide = 0.5 * wide * (1 + erf(wide / math.sqrt(2)))
                rows = layer_norm(linear(wide, f"{layer}.output.dense") + rows, f"{layer}.output.LayerNorm")
            vector = rows.mean(0)
            vector /= np.linalg.norm(vector)
            out.write(json.dumps({"text": text, "vector": vector.tolist()}, ensure_ascii=False) + "\n")


main()
