# SPDX-License-Identifier: BSL-1.0
# ashlar_add_image: a weight file as a model image in a program, made when the program is built.
set(ASHLAR_MAKE_IMAGE "" CACHE FILEPATH "A make_image that runs on this machine; empty: it is built where an image is wanted")

# ashlar_add_image(<target> MODEL <type> HEADER <file> WEIGHTS <file>
#                  [NAME <identifier>] [FORM object|header|file] [LAYOUT <file>]
#                  [NAMES pytorch|bert|distilbert|vit|llama|gpt2|bart|t5|moonshine|<file>] [PREFIX <text>] [IGNORE_UNEXPECTED])
#
# Gives a target of this directory the weights of a model, laid out for the target's own compile options:
#
#     ashlar_add_image(app MODEL my::classifier HEADER classifier.hpp WEIGHTS classifier.safetensors NAME weights)
#
#     #include <weights.hpp>
#     const auto model = ashlar::io::view_image<my::classifier>(std::as_bytes(std::span(weights)));
#
# MODEL    the type of the module, HEADER what defines it: a file below this directory, or else on the include path
# WEIGHTS  safetensors or .npz; the image is made again when it changes
# NAME     of the array and of its header, <target>_image unless given
# FORM     object: the array's bytes are put into an object file as they are (ELF); header: they are a constant array in the
#          header, which constant expressions can read and large models should not be; file: <NAME>.image in the current
#          binary directory, to be read or mapped, and no header. Unless given, object where that can be, else header
# LAYOUT   what io::save_layout<MODEL> wrote on the target, for cross builds whose programs cannot run here; otherwise a small
#          program is built that says it, and run under CMAKE_CROSSCOMPILING_EMULATOR if there is one
# NAMES    a name map of make_image; PREFIX stands before every name in the file; IGNORE_UNEXPECTED lets it have more arrays
function(ashlar_add_image target)
  cmake_parse_arguments(PARSE_ARGV 1 image "IGNORE_UNEXPECTED" "MODEL;HEADER;WEIGHTS;NAME;FORM;LAYOUT;NAMES;PREFIX" "")
  if(image_UNPARSED_ARGUMENTS OR image_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ashlar_add_image: unknown, or without a value: ${image_UNPARSED_ARGUMENTS} ${image_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(needed IN ITEMS MODEL HEADER WEIGHTS)
    if(NOT image_${needed})
      message(FATAL_ERROR "ashlar_add_image: ${needed} is missing")
    endif()
  endforeach()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ashlar_add_image: ${target} is no target")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "ashlar_add_image: ${target} is a target of ${directory}; call this there")
  endif()
  if(NOT image_NAME)
    string(MAKE_C_IDENTIFIER "${target}_image" image_NAME)
  elseif(NOT image_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "ashlar_add_image: no identifier: ${image_NAME}")
  endif()
  if(NOT image_FORM)
    set(image_FORM object)
    if(APPLE OR WIN32)
      set(image_FORM header)
    endif()
  elseif(NOT image_FORM MATCHES "^(object|header|file)$")
    message(FATAL_ERROR "ashlar_add_image: FORM is object, header or file, not ${image_FORM}")
  endif()
  cmake_path(ABSOLUTE_PATH image_WEIGHTS NORMALIZE)
  set(include "<${image_HEADER}>")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${image_HEADER}" OR IS_ABSOLUTE "${image_HEADER}")
    cmake_path(ABSOLUTE_PATH image_HEADER NORMALIZE)
    set(include "\"${image_HEADER}\"")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/ashlar_images/${image_NAME}")
  file(MAKE_DIRECTORY "${folder}")
  set(options --name "${image_NAME}")
  if(image_IGNORE_UNEXPECTED)
    list(APPEND options --ignore-unexpected)
  endif()
  if(image_PREFIX)
    list(APPEND options --prefix "${image_PREFIX}")
  endif()
  set(inputs "${image_WEIGHTS}")
  if(image_NAMES MATCHES "^(pytorch|bert|distilbert|vit|llama|gpt2|bart|t5|moonshine)$")
    list(APPEND options --names "${image_NAMES}")
  elseif(image_NAMES)
    cmake_path(ABSOLUTE_PATH image_NAMES NORMALIZE)
    list(APPEND options --names "${image_NAMES}")
    list(APPEND inputs "${image_NAMES}")
  endif()
  if(image_LAYOUT)
    cmake_path(ABSOLUTE_PATH image_LAYOUT NORMALIZE)
  else()
    set(image_LAYOUT "${folder}/${image_NAME}.layout")
    ashlar_write_layout(${target} "${image_NAME}" "${image_MODEL}" "${include}" "${image_LAYOUT}")
  endif()

  if(image_FORM STREQUAL "header")
    set(made "${folder}/${image_NAME}.hpp")
    set(output --header "${made}")
    target_sources(${target} PRIVATE "${made}")
  elseif(image_FORM STREQUAL "file")
    set(made "${CMAKE_CURRENT_BINARY_DIR}/${image_NAME}.image")
    set(output --image "${made}")
    add_custom_target(${image_NAME}_file DEPENDS "${made}")
    add_dependencies(${target} ${image_NAME}_file)
  else()
    set(made "${folder}/${image_NAME}.image")
    set(output --image "${made}")
    ashlar_add_image_object(${target} "${image_NAME}" "${image_MODEL}" "${include}" "${made}" "${folder}")
  endif()
  if(NOT image_FORM STREQUAL "file")
    target_include_directories(${target} PRIVATE "${folder}")
  endif()
  ashlar_find_make_image(make_image)
  add_custom_command(OUTPUT "${made}"
    COMMAND ${make_image} --layout "${image_LAYOUT}" --weights "${image_WEIGHTS}" ${output} ${options}
    DEPENDS ${make_image} "${image_LAYOUT}" ${inputs} COMMENT "Model image ${image_NAME}" VERBATIM)
endfunction()

# A program that writes the layout of a model as the target's options make it.
function(ashlar_write_layout target name model include layout)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "ashlar_add_image: programs for this target cannot run here; pass LAYOUT, a file that "
                        "io::save_layout<${model}> wrote there, or set CMAKE_CROSSCOMPILING_EMULATOR")
  endif()
  cmake_path(REPLACE_EXTENSION layout LAST_ONLY cpp OUTPUT_VARIABLE source)
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
// Made by ashlar_add_image; do not edit.
#include @include@

#include <ashlar/io.hpp>
#include <cstdio>

int main(int, char** arguments) {
    const ashlar::io::result written = ashlar::io::save_layout<@model@>(arguments[1]);
    if (!written) std::fprintf(stderr, "%s\n", written.message().c_str());
    return written ? 0 : 1;
}
]])
  set(program ${name}_layout)
  add_executable(${program} EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${program} PRIVATE ashlar::ashlar)
  target_include_directories(${program} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${program} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${program} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  target_link_options(${program} PRIVATE $<TARGET_PROPERTY:${target},LINK_OPTIONS>)
  foreach(property IN ITEMS CXX_STANDARD CXX_EXTENSIONS)
    get_target_property(value ${target} ${property})
    if(NOT value MATCHES "NOTFOUND$")
      set_target_properties(${program} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  add_custom_command(OUTPUT "${layout}" COMMAND ${program} "${layout}" DEPENDS ${program} VERBATIM)
endfunction()

# The bytes of an image in an object file, and a header that declares them.
function(ashlar_add_image_object target name model include image folder)
  file(CONFIGURE OUTPUT "${folder}/${name}.hpp" @ONLY CONTENT [[
// Made by ashlar_add_image; do not edit. Use it with ashlar::io::view_image.
#pragma once

#include @include@

#include <ashlar/io/image.hpp>

extern "C" const unsigned char @name@[ashlar::io::image_bytes<@model@>];
]])
  file(CONFIGURE OUTPUT "${folder}/${name}_bytes.cpp" @ONLY CONTENT [[
// Made by ashlar_add_image; do not edit.
asm(".pushsection .rodata.@name@, \"a\", %progbits\n"
    ".balign 64\n"
    ".globl @name@\n"
    ".type @name@, %object\n"
    "@name@:\n"
    ".incbin \"@image@\"\n"
    ".size @name@, . - @name@\n"
    ".popsection\n");
]])
  target_sources(${target} PRIVATE "${folder}/${name}_bytes.cpp" "${image}")
  # Where objects are compiled at link time, its symbol would not be found.
  set_source_files_properties("${folder}/${name}_bytes.cpp" PROPERTIES OBJECT_DEPENDS "${image}" COMPILE_OPTIONS -fno-lto)
endfunction()

# The tool: the one that is given, the one of this build, or one to be built.
function(ashlar_find_make_image out)
  if(ASHLAR_MAKE_IMAGE)
    set(${out} "${ASHLAR_MAKE_IMAGE}" PARENT_SCOPE)
    return()
  elseif(TARGET ashlar_make_image)
    set(${out} ashlar_make_image PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "ashlar_add_image: set ASHLAR_MAKE_IMAGE to a make_image that runs here (-DASHLAR_BUILD_TOOLS=ON)")
  endif()
  foreach(root IN ITEMS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
    if(EXISTS "${root}/tools/make_image.cpp")
      add_executable(ashlar_make_image EXCLUDE_FROM_ALL "${root}/tools/make_image.cpp")
      target_include_directories(ashlar_make_image PRIVATE "${root}")
      target_link_libraries(ashlar_make_image PRIVATE ashlar::ashlar)
      set(${out} ashlar_make_image PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "ashlar_add_image: the source of make_image is missing beside ${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
endfunction()
