#!/bin/sh
# Writes every stage of examples/fashion-mlp to a folder: the files that the
# shortened dumps of README.md are taken from. With locations in FOLDER, as
# `--start-from` takes them, and without in FOLDER/plain, for reading.
#
#   docs/stage_dumps.sh [FOLDER]       RUBATO_BIN=build/bin by default
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${RUBATO_BIN:-$root/build/bin}
folder=${1:-$root/build/stages}

"$bin/rubato" compile "$root/examples/fashion-mlp/fashion-mlp.onnx" \
    --loss softmax-cross-entropy --optimizer sgd --momentum 0.9 --lr 0.05 \
    --schedule cosine --batch 64 \
    --dump-stages "$folder" --emit llvm -o /dev/null

mkdir -p "$folder/plain"
for stage in "$folder"/*.mlir; do
  "$bin/rubato-opt" "$stage" -o "$folder/plain/$(basename "$stage")"
done
echo "stages of fashion-mlp are in $folder, without locations in $folder/plain"
