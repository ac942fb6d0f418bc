"""Writes a corpus of bad (and some odd but good) inputs into a folder.

    python test/corpus/make_corpus.py FOLDER

FOLDER/list.json says for each case which program runs with which arguments
(relative to FOLDER), and what must happen: "ok", "error" or "any" (either, but
no crash), with a regular expression that the message must match where one is
sensible. Everything is derived by code and fixed seeds, so the corpus is the
same each time. Needs numpy and onnx; run_corpus.py runs it.
"""

import collections
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", part) for part in ("models", "references")]

from case import Corpus  # noqa: E402
from data_files import add_data_cases  # noqa: E402
from onnx_bytes import add_byte_cases  # noqa: E402
from onnx_graphs import add_graph_cases  # noqa: E402
from onnx_shapes import add_shape_cases  # noqa: E402
from onnx_weights import add_weight_cases  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    corpus = Corpus(sys.argv[1])
    add_byte_cases(corpus)
    add_graph_cases(corpus)
    add_shape_cases(corpus)
    add_weight_cases(corpus)
    add_data_cases(corpus)
    corpus.finish()
    kinds = collections.Counter((case["run"], case["kind"]) for case in corpus.cases)
    for (run, kind), count in sorted(kinds.items()):
        print(f"{count:5} cases for {run} that must be {kind}")


if __name__ == "__main__":
    main()
