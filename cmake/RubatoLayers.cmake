# rubato_layer(control USES support policy LINK ZLIB::ZLIB SOURCES a.cpp b.cpp)
#
# A folder of runtime/ as a library, rubato_control, of C++20 and the C library.
# USES is all that it may include, and with what those use, all that it may call:
# layers that were added before it. Without SOURCES it has headers only.
#
# CMake keeps the order, test/Tools/layering.test the rest, by layers.txt.
function(rubato_layer name)
  cmake_parse_arguments(A "" "" "USES;LINK;SOURCES" ${ARGN})
  if(A_UNPARSED_ARGUMENTS)
    list(JOIN A_UNPARSED_ARGUMENTS " " unknown)
    message(FATAL_ERROR "runtime/${name}: rubato_layer takes USES, LINK and "
      "SOURCES, not ${unknown}")
  endif()
  set(layer rubato_${name})
  foreach(used ${A_USES})
    if(NOT TARGET rubato_${used})
      message(FATAL_ERROR "runtime/${name} uses ${used}, which is not a layer "
        "before it")
    endif()
  endforeach()
  list(TRANSFORM A_USES PREPEND rubato_ OUTPUT_VARIABLE used_layers)
  if(A_SOURCES)
    add_library(${layer} STATIC ${A_SOURCES})
    target_include_directories(${layer} PUBLIC ${PROJECT_SOURCE_DIR}/runtime)
    target_link_libraries(${layer} PUBLIC ${used_layers} PRIVATE ${A_LINK})
    # Where `rubato compile` looks for what it links.
    set_target_properties(${layer} PROPERTIES
      ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/rubato)
    set_property(GLOBAL APPEND PROPERTY RUBATO_RUNTIME_LIBRARIES ${layer})
    if(RUBATO_PCH)
      target_compile_options(${layer} PRIVATE -Xclang -fno-pch-timestamp)
      if(NOT name STREQUAL support)
        target_precompile_headers(${layer} REUSE_FROM rubato_support)
      endif()
    endif()
  else()
    add_library(${layer} INTERFACE)
    target_include_directories(${layer} INTERFACE ${PROJECT_SOURCE_DIR}/runtime)
    target_link_libraries(${layer} INTERFACE ${used_layers})
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  list(TRANSFORM A_SOURCES PREPEND ${folder}/)
  list(JOIN A_USES " " uses)
  list(JOIN A_SOURCES " " sources)
  set_property(GLOBAL APPEND PROPERTY RUBATO_LAYERS
    "${name}: ${uses}: ${sources}")
endfunction()
