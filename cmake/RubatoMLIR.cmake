# LLVM, MLIR and LLD from Debian, and the helpers that our folders use.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
find_package(Protobuf REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR}) # or add_mlir_doc writes to /docs

add_library(rubato_mlir INTERFACE)
target_include_directories(rubato_mlir SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(rubato_mlir INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
  ${PROJECT_BINARY_DIR}/include)
target_link_libraries(rubato_mlir INTERFACE MLIR LLVM)
target_compile_options(rubato_mlir INTERFACE -Xclang -fno-pch-timestamp)
# mlir_tablegen reads directory includes only.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/include)

if(RUBATO_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/pch_anchor.cpp "")
  add_library(rubato_pch STATIC ${PROJECT_BINARY_DIR}/pch_anchor.cpp)
  target_link_libraries(rubato_pch PUBLIC rubato_mlir)
  target_precompile_headers(rubato_pch PRIVATE
    <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/PatternMatch.h>
    <mlir/Pass/Pass.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Transforms/DialectConversion.h>)
endif()

# rubato_add_library(Name a.cpp b.cpp DEPENDS IncGen LINK OtherLib)
function(rubato_add_library name)
  cmake_parse_arguments(A "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${A_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC rubato_mlir ${A_LINK})
  if(A_DEPENDS)
    add_dependencies(${name} ${A_DEPENDS})
  endif()
  if(RUBATO_PCH)
    target_precompile_headers(${name} REUSE_FROM rubato_pch)
  endif()
endfunction()

# rubato_add_passes(Train): tablegen of include/rubato/Train/Passes.td
function(rubato_add_passes name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  add_public_tablegen_target(Rubato${name}PassIncGen)
  add_mlir_doc(Passes Rubato${name}Passes Passes/ -gen-pass-doc)
endfunction()
