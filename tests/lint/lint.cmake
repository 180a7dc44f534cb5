# The checks of the source. lint.py reads it; lint_test.py proves that each check can fail; the
# target lint_headers compiles every header alone, without precompiled headers.
add_test(NAME lint_tree COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/lint/lint.py
  ${CMAKE_SOURCE_DIR})
add_test(NAME lint_can_fail
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/lint/lint_test.py)

file(GLOB_RECURSE headers CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/include/*.h ${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/tests/*.h)
set(header_sources "")
foreach(header ${headers})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${header})
  string(REGEX REPLACE "[/.]" "_" flat ${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/lint_headers/${flat}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
  list(APPEND header_sources ${source})
endforeach()
add_library(lint_headers OBJECT ${header_sources})
if(RUNG_SANITIZE)
  set_target_properties(lint_headers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
target_link_libraries(lint_headers PRIVATE rung_testkit Boost::headers)

# That a header which needs another's include does not compile alone, by the same means.
add_test(NAME lint_headers_can_fail
  COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -x c++
    ${CMAKE_CURRENT_SOURCE_DIR}/lint/planted_header.txt)
set_tests_properties(lint_headers_can_fail PROPERTIES PASS_REGULAR_EXPRESSION
  "string[^ ]* in namespace [^ ]*std[^ ]* does not name a type|no type named 'string' in")
set_tests_properties(lint_tree lint_can_fail lint_headers_can_fail PROPERTIES
  LABELS lint TIMEOUT 120)
