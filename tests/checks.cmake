# SPDX-License-Identifier: BSL-1.0
# Tests of the repository rather than of values: file rules, lone headers, error messages, snippets, consumers.
find_program(ASHLAR_BASH bash REQUIRED)
find_program(ASHLAR_REFERENCE_GXX NAMES g++-12 g++)
find_program(ASHLAR_REFERENCE_CLANG NAMES clang++-19)
find_program(ASHLAR_CLANG_FORMAT NAMES clang-format-19 clang-format)
set(scripts "${CMAKE_CURRENT_SOURCE_DIR}/scripts")
if(ASHLAR_REFERENCE_CLANG AND ASHLAR_ALLOCATOR)
  cmake_path(GET ASHLAR_REFERENCE_CLANG FILENAME compiler_name)
  set(script "${PROJECT_BINARY_DIR}/compilers/${compiler_name}")
  ashlar_with_allocator("${script}" "'${ASHLAR_REFERENCE_CLANG}'")
  set(ASHLAR_REFERENCE_CLANG "${script}")
endif()

get_target_property(xsimd_include_dir xsimd INTERFACE_INCLUDE_DIRECTORIES)
set(reference_flags -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}
                    -isystem ${xsimd_include_dir})
set(reference_compilers "")
foreach(compiler IN ITEMS GXX CLANG)
  if(ASHLAR_REFERENCE_${compiler})
    list(APPEND reference_compilers "${ASHLAR_REFERENCE_${compiler}}")
  else()
    message(STATUS "ashlar: no reference compiler ${compiler}: its messages and snippets are not tested")
  endif()
endforeach()

# Tests of this folder that may take minutes start first. If they started last, one processor would wait for another.
function(ashlar_start_long_tests_first)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    get_test_property(${test} TIMEOUT seconds)
    if(seconds GREATER 300)
      set_tests_properties(${test} PROPERTIES COST ${seconds})
    endif()
  endforeach()
endfunction()

add_test(NAME check/files COMMAND "${ASHLAR_BASH}" "${scripts}/check_files.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/files_finds_violations COMMAND "${ASHLAR_BASH}" "${scripts}/check_files_test.sh")
add_test(NAME check/errors_doc COMMAND "${ASHLAR_BASH}" "${scripts}/check_errors_doc.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/documented COMMAND "${ASHLAR_BASH}" "${scripts}/check_documented.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/documented_finds_violations COMMAND "${ASHLAR_BASH}" "${scripts}/check_documented_test.sh")
add_test(NAME check/run_keeps_time COMMAND "${ASHLAR_BASH}" "${scripts}/check_run_test.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/targets COMMAND "${ASHLAR_BASH}" "${scripts}/check_targets.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/targets_finds_violations COMMAND "${ASHLAR_BASH}" "${scripts}/check_targets_test.sh" "${PROJECT_SOURCE_DIR}")
add_test(NAME check/reference COMMAND "${ASHLAR_BASH}" "${scripts}/check_reference.sh" "${PROJECT_SOURCE_DIR}")
set_tests_properties(check/files check/files_finds_violations check/errors_doc check/reference check/run_keeps_time
                     check/documented check/documented_finds_violations check/targets check/targets_finds_violations
                     PROPERTIES LABELS check)
if(ASHLAR_CLANG_FORMAT)
  add_test(NAME check/format COMMAND "${ASHLAR_BASH}" "${scripts}/check_format.sh" "${PROJECT_SOURCE_DIR}" "${ASHLAR_CLANG_FORMAT}")
  set_tests_properties(check/format PROPERTIES LABELS check SKIP_RETURN_CODE 77)
else()
  message(STATUS "ashlar: no clang-format 19: the formatting is not tested")
endif()

find_program(ASHLAR_CLANG_TIDY NAMES clang-tidy-19)
if(ASHLAR_CLANG_TIDY)
  add_test(NAME check/tidy COMMAND "${ASHLAR_BASH}" "${scripts}/check_tidy.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/tidy"
                                   "${ASHLAR_CLANG_TIDY}" -std=c++20 -I${PROJECT_SOURCE_DIR}/include -isystem ${xsimd_include_dir})
  set_tests_properties(check/tidy PROPERTIES LABELS check)
else()
  message(STATUS "ashlar: no clang-tidy 19: the headers are not checked by it")
endif()

# Each of these must fail with its message, and compile once corrected.
file(GLOB diagnostics CONFIGURE_DEPENDS diagnostics/*.cpp "${PROJECT_SOURCE_DIR}/examples/shape_checks/*.cpp")
file(GLOB warnings CONFIGURE_DEPENDS warnings/*.cpp)
foreach(compiler IN LISTS reference_compilers)
  cmake_path(GET compiler FILENAME compiler_name)
  set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/precompiled/${compiler_name}")
  set(test diagnostics/precompiled_headers/${compiler_name})
  add_test(NAME ${test} COMMAND "${ASHLAR_BASH}" "${scripts}/precompile_headers.sh" "${precompiled}" "${compiler}"
                                ${reference_flags})
  set_tests_properties(${test} PROPERTIES LABELS diagnostics FIXTURES_SETUP precompiled_${compiler_name})
  foreach(source IN LISTS diagnostics)
    cmake_path(GET source STEM name)
    set(test diagnostics/${name}/${compiler_name})
    add_test(NAME ${test} COMMAND "${ASHLAR_BASH}" "${scripts}/check_diagnostic.sh" "${source}" "${precompiled}" "${compiler}"
                                  ${reference_flags})
    set_tests_properties(${test} PROPERTIES LABELS diagnostics FIXTURES_REQUIRED precompiled_${compiler_name})
  endforeach()
  set(umbrellas ashlar nn)
  if(NOT compiler_name MATCHES "^clang")
    list(APPEND umbrellas parts)
  endif()
  foreach(umbrella IN LISTS umbrellas)
    set(test diagnostics/corrected_${umbrella}/${compiler_name})
    add_test(NAME ${test} COMMAND "${ASHLAR_BASH}" "${scripts}/check_corrected.sh" ${umbrella} "${precompiled}" "${compiler}"
                                  ${reference_flags} -- ${diagnostics})
    set_tests_properties(${test} PROPERTIES LABELS diagnostics FIXTURES_REQUIRED precompiled_${compiler_name} TIMEOUT 900)
  endforeach()

  # What clang warns of by default, and g++ cannot know.
  if(compiler STREQUAL ASHLAR_REFERENCE_CLANG)
    foreach(source IN LISTS warnings)
      cmake_path(GET source STEM name)
      set(test warnings/${name}/${compiler_name})
      add_test(NAME ${test} COMMAND "${ASHLAR_BASH}" "${scripts}/check_diagnostic.sh" "${source}" "" "${compiler}"
                                    ${reference_flags})
      set_tests_properties(${test} PROPERTIES LABELS diagnostics)
    endforeach()
  endif()
endforeach()

# Links of the documents, and what the chapters of docs/notebooks show of the compiler.
find_program(ASHLAR_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)  # the one that has the packages of the system
find_program(ASHLAR_PYTHON python3)
if(ASHLAR_PYTHON)
  add_test(NAME docs/links COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_links.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME docs/links_finds_violations COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_links_test.py")
  add_test(NAME docs/comparison COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_comparison.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME docs/site COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_site.py" "${PROJECT_SOURCE_DIR}"
                                  "${CMAKE_CURRENT_BINARY_DIR}/site")
  add_test(NAME docs/lines COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_lines.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME docs/lines_finds_violations COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_lines_test.py")
  set_tests_properties(docs/comparison docs/site docs/links docs/links_finds_violations docs/lines docs/lines_finds_violations
                       PROPERTIES LABELS docs)
  add_test(NAME docs/first_model COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/docs/first_model_test.py"
                                         --dependencies "${ASHLAR_DEPS_DIR}")
  set_tests_properties(docs/first_model PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT 600)
  add_test(NAME docs/site_opens COMMAND "${ASHLAR_BASH}" "${scripts}/check_site_opens.sh" "${PROJECT_SOURCE_DIR}"
                                        "${CMAKE_CURRENT_BINARY_DIR}/site_opens")
  set_tests_properties(docs/site_opens PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT 300)
  if(ASHLAR_REFERENCE_GXX)
    list(GET reference_compilers -1 compiler)
    add_test(NAME docs/chapters
             COMMAND "${ASHLAR_PYTHON}" "${PROJECT_SOURCE_DIR}/tools/chapters.py" "${PROJECT_SOURCE_DIR}/docs/notebooks"
                     "${CMAKE_CURRENT_BINARY_DIR}/chapters" --gxx "${ASHLAR_REFERENCE_GXX}" --compiler "${compiler}" -- -std=c++20
                     "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
    add_test(NAME docs/chapters_finds_violations
             COMMAND "${ASHLAR_PYTHON}" "${scripts}/check_chapters_test.py" --gxx "${ASHLAR_REFERENCE_GXX}" --compiler "${compiler}"
                     -- -std=c++20 "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
    set_tests_properties(docs/chapters docs/chapters_finds_violations
                         PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT 1500)
  endif()
endif()

# The programs of documents by one compiler, g++ where it is there, and the examples in the comments of headers by the other.
if(reference_compilers)
  list(GET reference_compilers 0 compiler)
  cmake_path(GET compiler FILENAME compiler_name)
  add_test(NAME docs/snippets/${compiler_name}
           COMMAND "${ASHLAR_BASH}" "${scripts}/check_snippets.sh" "${PROJECT_SOURCE_DIR}"
                   "${CMAKE_CURRENT_BINARY_DIR}/snippets/${compiler_name}" "${compiler}" ${reference_flags})
  set_tests_properties(docs/snippets/${compiler_name} PROPERTIES LABELS docs)
  list(GET reference_compilers -1 compiler)
  add_test(NAME docs/examples COMMAND "${ASHLAR_BASH}" "${scripts}/check_examples.sh" "${PROJECT_SOURCE_DIR}"
                                      "${CMAKE_CURRENT_BINARY_DIR}/examples" "${compiler}" ${reference_flags})
  add_test(NAME docs/examples_finds_violations COMMAND "${ASHLAR_BASH}" "${scripts}/check_examples_test.sh" "${compiler}")
  set_tests_properties(docs/examples docs/examples_finds_violations PROPERTIES LABELS docs)
endif()

# The benchmark builds without AVX-512 too, free of warnings, and what it measures is right.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  execute_process(COMMAND grep -qw avx2 /proc/cpuinfo RESULT_VARIABLE no_avx2 OUTPUT_QUIET ERROR_QUIET)
  foreach(compiler IN LISTS reference_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/bench_avx2/${compiler_name}")
    set(measure "${folder}/bench/bench_ashlar" --all --seconds=0.001 --table=${folder}/table --benchmark_out=${folder}/out.json)
    if(no_avx2)
      set(measure "${folder}/bench/bench_ashlar" --help)
    endif()
    add_test(NAME bench/avx2/${compiler_name}
      COMMAND "${CMAKE_CTEST_COMMAND}" --build-and-test "${PROJECT_SOURCE_DIR}" "${folder}" --build-generator "${CMAKE_GENERATOR}"
              --build-project ashlar --build-target bench_ashlar
              --build-options -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_CXX_COMPILER_LAUNCHER=$CACHE{CMAKE_CXX_COMPILER_LAUNCHER}
              -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG -mavx2 -mfma" -DASHLAR_DEPS_DIR=${ASHLAR_DEPS_DIR}
              -DASHLAR_BUILD_BENCH=ON -DASHLAR_BENCH_FEW=ON -DASHLAR_WERROR=ON
              --test-command ${measure})
    set_tests_properties(bench/avx2/${compiler_name} PROPERTIES LABELS bench)
  endforeach()
endif()

include(interop/interop_checks.cmake)
add_subdirectory(lone_headers)
add_subdirectory(objects)
add_subdirectory(compile_time)
add_subdirectory(consumer)

# What the tools write from models of others, where Python has what they need.
if(ASHLAR_PYTHON AND ASHLAR_REFERENCE_GXX AND ASHLAR_REFERENCE_CLANG)
  foreach(tool import_onnx import_microsoft import_capacity import_random import_torch import_checkpoint import_audio read_gguf plan_json)
    # clang takes a third of g++'s time for these programs: g++ compiles whole models of ONNX, and clang all others.
    set(first_compiler "")
    if(tool STREQUAL "import_onnx")
      set(first_compiler --first-compiler "${ASHLAR_REFERENCE_GXX}")
    endif()
    add_test(NAME check/${tool}
             COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/tools/${tool}_test.py" --compiler
                     "${ASHLAR_REFERENCE_CLANG}" ${first_compiler} -- "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
    set_tests_properties(check/${tool} PROPERTIES LABELS check SKIP_RETURN_CODE 77 TIMEOUT 1500)
  endforeach()
  # All node tests of onnx are imported, and one program has some of them.
  add_test(NAME check/onnx_node_tests
           COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/tools/onnx_node_tests.py" --compiler "${ASHLAR_REFERENCE_CLANG}"
                   --compile-every 40 -- "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
  set_tests_properties(check/onnx_node_tests PROPERTIES LABELS check SKIP_RETURN_CODE 77 TIMEOUT 1500)
endif()

# What debuggers show. They are found in consumer.
if(ASHLAR_PYTHON AND (ASHLAR_GDB OR ASHLAR_LLDB))
  foreach(compiler IN LISTS reference_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    set(debuggers "")
    if(ASHLAR_GDB)
      list(APPEND debuggers --gdb "${ASHLAR_GDB}")
    endif()
    if(ASHLAR_LLDB)
      list(APPEND debuggers --lldb "${ASHLAR_LLDB}")
    endif()
    add_test(NAME check/debuggers/${compiler_name}
             COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/debuggers/debuggers_test.py" --compiler "${compiler}"
                     ${debuggers} -- "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
    set_tests_properties(check/debuggers/${compiler_name} PROPERTIES LABELS check SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()

# Functions of a user's namespace with the names of the library's.
if(ASHLAR_PYTHON)
  foreach(compiler IN LISTS reference_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    add_test(NAME check/greedy_names/${compiler_name}
             COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_greedy_names.py" "${PROJECT_SOURCE_DIR}"
                     "${CMAKE_CURRENT_BINARY_DIR}/greedy_names_${compiler_name}.cpp" "${compiler}"
                     "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
    set_tests_properties(check/greedy_names/${compiler_name} PROPERTIES LABELS check TIMEOUT 600)
  endforeach()
endif()

# The table of docs/architecture.md, and with g++ and gdb what a debugger sees of it.
if(ASHLAR_PYTHON)
  foreach(compiler IN LISTS reference_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    if(compiler_name MATCHES "^g")
      file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/way")
      add_test(NAME check/way/${compiler_name}
               COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_way.py" "${PROJECT_SOURCE_DIR}"
                       "${CMAKE_CURRENT_BINARY_DIR}/way" "$<IF:$<BOOL:${ASHLAR_GDB}>,${ASHLAR_GDB},>" "${compiler}"
                       "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
      set_tests_properties(check/way/${compiler_name} PROPERTIES LABELS check SKIP_RETURN_CODE 77 TIMEOUT 600)
    endif()
  endforeach()
endif()

if(ASHLAR_PYTHON)
  add_test(NAME check/draw_attention COMMAND "${ASHLAR_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/tools/draw_attention_test.py")
  set_tests_properties(check/draw_attention PROPERTIES LABELS check SKIP_RETURN_CODE 77)
endif()

# The C interface, as Rust calls it.
if(reference_compilers)
  list(GET reference_compilers 0 compiler)
  add_test(NAME check/rust
           COMMAND "${ASHLAR_BASH}" "${scripts}/check_rust.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/rust" "${compiler}"
                   "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
  set_tests_properties(check/rust PROPERTIES LABELS check SKIP_RETURN_CODE 77)
endif()

# The page of `./run browser`, whose modules Node.js runs.
if(ASHLAR_REFERENCE_CLANG)
  add_test(NAME check/browser
           COMMAND "${ASHLAR_BASH}" "${scripts}/check_browser.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/browser"
                   "${ASHLAR_REFERENCE_CLANG}" "-I${PROJECT_SOURCE_DIR}/include" -isystem "${xsimd_include_dir}")
  set_tests_properties(check/browser PROPERTIES LABELS check SKIP_RETURN_CODE 77)
endif()

add_subdirectory(packages)
ashlar_start_long_tests_first()
