"""What a case of the corpus is, and the collection that writes list.json."""

import json
import os

#: What a run of a case must do.
OK = "ok"  # succeed
ERROR = "error"  # be refused with a message
ANY = "any"  # either, but in an orderly way


class Corpus:
    """Collects cases while their files are written into a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.cases = []
        for part in ("onnx", "data"):
            os.makedirs(os.path.join(folder, part), exist_ok=True)

    def path(self, file):
        return os.path.join(self.folder, file)

    def write(self, file, content):
        with open(self.path(file), "wb") as stream:
            stream.write(content)

    def check(self, name, content, kind, contains=None):
        """A model for `rubato check`: a ModelProto, bytes, or None for a file
        that exists already or must not exist. `contains` is a regular
        expression that the message must match, ignoring case; the model's own
        name reads FILE in it."""
        file = f"onnx/{name}.onnx"
        if content is not None:
            if not isinstance(content, bytes):
                content = content.SerializeToString()
            self.write(file, content)
        self.add({"file": file, "run": "check", "arguments": [file]}, kind, contains)

    def train(self, name, inputs, labels, kind, contains=None, extra=()):
        """Data files for a trainer; the file at fault is the case's name."""
        arguments = ["--input", f"x={inputs}", "--label", f"y={labels}", *extra]
        case = {"file": f"data/{name}", "run": "train", "arguments": arguments}
        self.add(case, kind, contains)

    def add(self, case, kind, contains):
        case["kind"] = kind
        if contains:
            case["contains"] = contains
        if any(other["file"] == case["file"] for other in self.cases):
            raise ValueError(f"case {case['file']} is there twice")
        self.cases.append(case)

    def finish(self):
        with open(self.path("list.json"), "w") as stream:
            json.dump(self.cases, stream, indent=1)
            stream.write("\n")
