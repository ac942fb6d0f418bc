# How every test of the tree is found and run.
import os

import lit.formats

config.name = "rubato"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.rubato_build, "test")
config.excludes = ["corpus", "gradients", "models", "references", "unit", "Inputs", "mutations"]

config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.rubato_build, "bin"),
        config.llvm_tools,
        config.environment["PATH"],
    ]
)
# numpy, onnx and onnxruntime, as references only (`./dev test` installs them).
config.substitutions.append(
    ("%python", os.path.join(config.rubato_build, "venv", "bin", "python"))
)
config.substitutions.append(("%source", config.rubato_source))
config.substitutions.append(("%build", config.rubato_build))

# `./dev test --long`: also what takes minutes.
if lit_config.params.get("long"):
    config.available_features.add("long")
