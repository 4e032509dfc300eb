# SPDX-License-Identifier: BSL-1.0
# ashlar_debuggers: gdb's printers for a program, beside it.

# ashlar_debuggers(<target>...)
#
# Writes <file of the target>-gdb.py beside each program or shared library. gdb runs it when it loads the program, if the
# user allows the directory by `add-auto-load-safe-path`, and prints tensors, views, weights, expressions and plans as
# docs/debugging.md shows. The program itself does not change.
#
#     add_executable(app main.cpp)
#     target_link_libraries(app PRIVATE ashlar::ashlar)
#     ashlar_debuggers(app)
function(ashlar_debuggers)
  set(folder "")
  foreach(place IN ITEMS "../tools/debuggers" "../../ashlar/debuggers" "debuggers") # of a checkout, an installation, vcpkg
    get_filename_component(place "${place}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
    if(EXISTS "${place}/ashlar_gdb.py")
      set(folder "${place}")
    endif()
  endforeach()
  if(NOT folder)
    message(FATAL_ERROR "ashlar_debuggers: the printers are missing beside ${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "ashlar_debuggers: ${target} is no target")
    endif()
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
      message(FATAL_ERROR "ashlar_debuggers: ${target} is no program or shared library; name what is linked with it")
    endif()
    file(GENERATE OUTPUT "$<TARGET_FILE:${target}>-gdb.py" CONTENT
"# Made by ashlar_debuggers; do not edit. gdb runs this file when it loads the program beside it.
import runpy
from pathlib import Path

printers = Path(r'''${folder}''') / 'ashlar_gdb.py'
if printers.exists():
    runpy.run_path(str(printers))
else:
    print(f'ashlar: {printers} is missing: configure this program again')
del printers
")
  endforeach()
endfunction()
