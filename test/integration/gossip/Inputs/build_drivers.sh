#!/bin/sh
# build_drivers.sh SOURCE BUILD "DRIVER..." ALGORITHM:TOPOLOGY...: in the present
# folder, links the drivers with the compiled unit of each, as
# ALGORITHM-TOPOLOGY/DRIVER.
set -e
source=$1 build=$2 drivers=$3
shift 3
inputs=$source/test/integration/gossip/Inputs
for file in event_ring $drivers; do
  [ -f "$file.o" ] ||
    clang++-22 -std=c++20 -O1 -ffp-contract=off -Wall -Werror \
      -I "$source/runtime" -c "$inputs/$file.cpp" -o "$file.o"
done
for unit in "$@"; do
  algorithm=${unit%:*} topology=${unit#*:}
  folder=$algorithm-$topology
  mkdir -p "$folder"
  rubato compile "$source/examples/quadratic/quadratic.onnx" --loss mse --batch 1 \
    --algorithm "$algorithm" --algorithm-option topology="$topology" \
    --algorithm-option scale-eta=false --dump-stages "$folder" --stop-after llvm \
    -o "$folder/unit.mlir"
  rubato compile --start-from llvm "$folder/6-llvm.mlir" --emit obj -o "$folder/unit.o"
  for driver in $drivers; do
    clang++-22 event_ring.o "$driver.o" "$folder/unit.o" -I "$folder" \
      "$source/test/integration/properties/Inputs/weights.S" \
      -Wl,--start-group "$build"/lib/rubato/librubato_*.a -Wl,--end-group -lz \
      -o "$folder/$driver"
  done
done
