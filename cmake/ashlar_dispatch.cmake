# SPDX-License-Identifier: BSL-1.0
# ashlar_dispatch: sources compiled once for each of several instruction sets, in one program that chooses when it runs.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# ashlar_dispatch(<target> SOURCES <file>... [ISAS sse2|sse4_2|avx2|avx512 ...])
#
# Adds the sources to a target of this directory, compiled for each set (unless given: sse2 avx2 avx512):
#
#     ashlar_dispatch(app SOURCES attend.cpp ISAS sse2 avx2 avx512)
#
#     // attend.hpp
#     #include <ashlar/core/dispatch.hpp>
#     extern ashlar::dispatched<void(const matrix& x, matrix& y) noexcept> attend;
#
#     // attend.cpp
#     static void attend_here(const matrix& x, matrix& y) noexcept { y = attention(x, x, x); }
#     ASHLAR_DISPATCH(attend, attend_here);
#
# A call attend(x, y) runs the widest set of the processor; the least of the sets is taken for granted. sse2, sse4_2, avx2
# and avx512 are the levels 1 to 4 of x86-64. For other processors, and for object formats other than ELF, the sources are
# compiled once, by the target's own flags.
#
# Inline functions and templates, those of the standard library as well, would be shared with the rest of the program,
# which would run them on a processor that cannot: all that a source compiled here defines is made local to its object.
# What it gives to others is what ASHLAR_DISPATCH names; other functions in it must be static or in an unnamed namespace.
function(ashlar_dispatch target)
  cmake_parse_arguments(PARSE_ARGV 1 dispatch "" "" "SOURCES;ISAS")
  if(dispatch_UNPARSED_ARGUMENTS OR dispatch_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ashlar_dispatch: unknown, or without a value: ${dispatch_UNPARSED_ARGUMENTS} ${dispatch_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT dispatch_SOURCES)
    message(FATAL_ERROR "ashlar_dispatch: SOURCES is missing")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ashlar_dispatch: ${target} is no target")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  get_target_property(type ${target} TYPE)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "ashlar_dispatch: ${target} is a target of ${directory}; call this there")
  elseif(NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "ashlar_dispatch: ${target} is no program and no static or shared library")
  endif()
  get_property(already TARGET ${target} PROPERTY ashlar_dispatch_isas)
  get_target_property(sources_of_target ${target} SOURCES)
  set(sources "")
  foreach(source IN LISTS dispatch_SOURCES)
    if(source IN_LIST sources_of_target)
      message(FATAL_ERROR "ashlar_dispatch: ${source} is a source of ${target} already; name it here alone")
    endif()
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    string(REGEX REPLACE "^\\." "" extension "${extension}")
    if(NOT extension IN_LIST CMAKE_CXX_SOURCE_FILE_EXTENSIONS)
      message(FATAL_ERROR "ashlar_dispatch: ${source} is no source of C++; name it in target_sources")
    endif()
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(source IN_LIST sources_of_target)
      message(FATAL_ERROR "ashlar_dispatch: ${source} is a source of ${target} already; name it here alone")
    endif()
    list(APPEND sources "${source}")
  endforeach()

  if(NOT dispatch_ISAS)
    set(dispatch_ISAS sse2 avx2 avx512)
  endif()
  set(known sse2 sse4_2 avx2 avx512)
  set(isas "")
  foreach(isa IN LISTS dispatch_ISAS)
    if(NOT isa IN_LIST known)
      message(FATAL_ERROR "ashlar_dispatch: unknown instruction set ${isa}; there are: ${known}")
    endif()
  endforeach()
  foreach(isa IN LISTS known)
    if(isa IN_LIST dispatch_ISAS)
      list(APPEND isas ${isa})
    endif()
  endforeach()
  list(GET isas 0 least)
  if(already AND NOT already STREQUAL least)
    message(FATAL_ERROR "ashlar_dispatch: the least set of ${target} is ${already} already, and ${least} here; begin with the same one")
  endif()

  check_cxx_source_compiles([[
    #if !defined(__x86_64__) || !defined(__ELF__) || defined(__ILP32__)
    #error "compiled once"
    #endif
    int main() { return 0; }]] ASHLAR_DISPATCHES)
  if(NOT ASHLAR_DISPATCHES)
    message(STATUS "ashlar: ${target}: no x86-64 ELF, dispatched sources are compiled once")
    target_sources(${target} PRIVATE ${sources})
    return()
  endif()
  foreach(tool IN ITEMS NM OBJCOPY)
    if(NOT CMAKE_${tool})
      string(TOLOWER ${tool} name)
      message(FATAL_ERROR "ashlar_dispatch: there is no ${name}; install binutils, or set CMAKE_${tool}")
    endif()
  endforeach()
  ashlar_refuse_flags(${target} ${least} ${sources})
  set_property(TARGET ${target} PROPERTY ashlar_dispatch_isas ${least})
  set_property(TARGET ${target} PROPERTY LINKER_LANGUAGE CXX) # objects do not tell
  target_compile_definitions(${target} PRIVATE ASHLAR_DISPATCH_LEAST=${least})

  foreach(isa IN LISTS isas)
    ashlar_dispatch_isa(${target} ${isa} "${isas}" ${sources})
  endforeach()
endfunction()

# The option that chooses a set.
function(ashlar_march out isa)
  set(sse2 x86-64)
  set(sse4_2 x86-64-v2)
  set(avx2 x86-64-v3)
  set(avx512 x86-64-v4)
  set(${out} -march=${${isa}} PARENT_SCOPE)
endfunction()

# Whether a compiler without flags takes more than a set for granted, as those of systems that ask for x86-64-v2 or -v3 do.
function(ashlar_default_exceeds out least)
  set(more_than_sse2 __SSE4_2__)
  set(more_than_sse4_2 __AVX__)
  set(more_than_avx2 __AVX512F__)
  set(${out} OFF PARENT_SCOPE)
  if(DEFINED more_than_${least})
    set(CMAKE_CXX_FLAGS "")
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("
      #if !defined(${more_than_${least}})
      #error \"no more than ${least}\"
      #endif" ASHLAR_DEFAULT_EXCEEDS_${least})
    set(${out} ${ASHLAR_DEFAULT_EXCEEDS_${least}} PARENT_SCOPE)
  endif()
endfunction()

# Stops where flags that can be seen here contradict the sets; core/dispatch.hpp looks at what the compiler makes of all.
function(ashlar_refuse_flags target least)
  set(feature "-m(avx|sse[34]|ssse3|fma|f16c|bmi|lzcnt|movbe|popcnt|adx|aes|pclmul|vaes|vpclmul|gfni|sha|amx|xop|rdrnd|abm)[a-z0-9_.]*")
  foreach(source IN LISTS ARGN)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(flags "${source}" COMPILE_FLAGS)
    if("${options} ${flags}" MATCHES "-m(arch|cpu)=[^ ;]*|${feature}")
      message(FATAL_ERROR "ashlar_dispatch: ${source} has ${CMAKE_MATCH_0} of its own; each set has its flags")
    endif()
  endforeach()

  string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
  get_target_property(options ${target} COMPILE_OPTIONS)
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${configuration}} ${options}")
  ashlar_march(own ${least})
  string(REGEX MATCHALL "-march=[^ ;]+" architectures "${flags}")
  if(architectures)
    list(POP_BACK architectures architecture)
    if(NOT architecture MATCHES "^-march=x86-64(-v[234])?$" OR architecture STRGREATER own)
      message(FATAL_ERROR "ashlar_dispatch: ${target} is compiled with ${architecture}: it would not run where ${least} is all there is; "
                          "remove that, or target_compile_options(${target} PRIVATE ${own})")
    endif()
  else()
    ashlar_default_exceeds(exceeds ${least})
    if(exceeds)
      message(FATAL_ERROR "ashlar_dispatch: ${CMAKE_CXX_COMPILER} compiles for more than ${least} unless it is told otherwise, and ${target} would "
                          "not run where ${least} is all there is; target_compile_options(${target} PRIVATE ${own}), or begin with a wider set")
    endif()
  endif()
  if(least MATCHES "^sse" AND flags MATCHES "(^|[ ;])(${feature})")
    message(FATAL_ERROR "ashlar_dispatch: ${target} is compiled with ${CMAKE_MATCH_2}: it would not run where ${least} is all there is; remove that")
  endif()
endfunction()

# The sources for one set, as objects whose names are their own.
function(ashlar_dispatch_isa target isa isas)
  get_property(number TARGET ${target} PROPERTY ashlar_dispatch_${isa})
  if(NOT number)
    set(number 0)
  endif()
  math(EXPR next "${number} + 1")
  set_property(TARGET ${target} PROPERTY ashlar_dispatch_${isa} ${next})
  set(objects ${target}_${isa})
  if(number)
    string(APPEND objects _${number})
  endif()

  ashlar_march(march ${isa})
  check_cxx_compiler_flag(${march} ASHLAR_COMPILES_${isa})
  if(NOT ASHLAR_COMPILES_${isa})
    message(FATAL_ERROR "ashlar_dispatch: ${CMAKE_CXX_COMPILER} does not know ${march}, which ${isa} needs; leave out ${isa}, or take another compiler")
  endif()
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  # A copy of all that the target is compiled with, and behind it what is this set's. No -flto: there are no names in such
  # objects, and the linker might inline wide code into narrow functions. No unique names: they cannot be made local.
  target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_features(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_FEATURES>)
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS> ASHLAR_DISPATCH_SET=${isa})
  target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> "SHELL:${march} -fno-lto"
                                            $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  list(GET isas 0 least)
  if(isa STREQUAL least)
    list(JOIN isas "," all)
    target_compile_definitions(${objects} PRIVATE ASHLAR_DISPATCH_SETS=${all})
  endif()
  foreach(property IN ITEMS CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN
                            POSITION_INDEPENDENT_CODE)
    get_target_property(value ${target} ${property})
    if(NOT value MATCHES "NOTFOUND$")
      set_target_properties(${objects} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(type ${target} TYPE)
  if(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
    set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  set_target_properties(${objects} PROPERTIES UNITY_BUILD OFF INTERPROCEDURAL_OPTIMIZATION OFF)

  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/ashlar_dispatch_objects.cmake")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/ashlar_dispatch/$<CONFIG>")
  set(outputs "")
  list(LENGTH ARGN count)
  foreach(i RANGE 1 ${count})
    list(APPEND outputs "${folder}/${objects}_${i}${CMAKE_CXX_OUTPUT_EXTENSION}")
  endforeach()
  set(start_up REFUSED)
  if(isa STREQUAL least)
    set(start_up ALLOWED)
  endif()
  add_custom_command(OUTPUT ${outputs}
    COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DOBJCOPY=${CMAKE_OBJCOPY}" -DISA=${isa} -DSTART_UP=${start_up}
            -P "${script}" -- $<TARGET_OBJECTS:${objects}> ${outputs}
    DEPENDS ${objects} $<TARGET_OBJECTS:${objects}> "${script}"
    COMMENT "Making the ${isa} code of ${target} its own" COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${outputs})
endfunction()
