"""Tests of the corpus and its runner with programs that misbehave on purpose.

python test/corpus/test_corpus.py
"""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Runner(unittest.TestCase):
    """Each program meets one case that must be refused and one that must not."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        cases = [
            {"file": "bad-w1.onnx", "kind": "error", "contains": "w1"},
            {"file": "good.onnx", "kind": "ok"},
        ]
        for case in cases:
            case.update(run="check", arguments=[case["file"]])
        with open(os.path.join(self.folder, "list.json"), "w") as file:
            json.dump(cases, file)

    def outcome(self, on_bad, on_good="exit 0", *options):
        program = os.path.join(self.folder, "program")
        with open(program, "w") as file:
            file.write(f"#!/bin/sh\ncase $2 in bad*) {on_bad};; *) {on_good};; esac\n")
        os.chmod(program, stat.S_IRWXU)
        script = os.path.join(HERE, "run_corpus.py")
        command = [sys.executable, script, program, self.folder, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout

    def refuses(self, words, *arguments):
        code, output = self.outcome(*arguments)
        self.assertEqual(code, 1, output)
        self.assertIn(words, output)

    def test_good_program(self):
        code, output = self.outcome("echo \"$2: error: weight 'w1'\"; exit 1")
        self.assertEqual(code, 0, output)
        self.assertIn("2 passed, 0 failed", output)

    def test_misbehaviour(self):
        self.refuses("SIGSEGV", "kill -SEGV $$")
        self.refuses("did not end in time", "sleep 60", "exit 0", "--timeout", "0.5")
        self.refuses("ended with code 70", "echo error: w1; exit 70")
        self.refuses("without an 'error:' line", "echo w1; exit 1")
        self.refuses("traces of a crash", "echo error: w1 AddressSanitizer; exit 1")
        self.refuses("printed too much", "yes error: w1 | head -c 100000; exit 1")
        self.refuses("was accepted", "exit 0")
        self.refuses("was refused", "echo error: w1; exit 1", "echo error:; exit 1")

    def test_words_in_the_file_name_do_not_count(self):
        self.refuses("without the words", 'echo "$2: error: bad"; exit 1')

    def test_memory(self):
        take = f"exec {sys.executable} -c 'x = bytearray(300 << 20); exit(1)'"
        self.refuses("MiB", f"echo error: w1; {take}", "exit 0", "--resident", "200")

    def test_nothing_to_run_is_a_failure(self):
        code, _ = self.outcome("exit 1", "exit 0", "--only", "no such case")
        self.assertEqual(code, 1)


class Corpus(unittest.TestCase):
    def test_is_the_same_each_time(self):
        lists = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(HERE, "make_corpus.py")
                subprocess.run(
                    [sys.executable, script, folder], check=True, capture_output=True
                )
                content = {}
                for root, _, files in os.walk(folder):
                    for name in files:
                        path = os.path.join(root, name)
                        if os.path.isfile(path) and not name.startswith("external-abs"):
                            with open(path, "rb") as file:
                                content[os.path.relpath(path, folder)] = file.read()
                lists.append(content)
        self.assertEqual(lists[0].keys(), lists[1].keys())
        for name in lists[0]:
            self.assertTrue(lists[0][name] == lists[1][name], name)
        self.assertGreater(len(json.loads(lists[0]["list.json"])), 600)


if __name__ == "__main__":
    unittest.main()
