# Each fuzz target as a plain test over its seeds, in the ordinary build.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*_fuzz.cc)
foreach(source ${fuzz_sources})
  get_filename_component(fuzz_name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" seed_folder ${fuzz_name})
  add_executable(${fuzz_name}_seeds ${source} fuzz/seed_runner.cc)
  target_link_libraries(${fuzz_name}_seeds PRIVATE rung_testkit)
  add_test(NAME ${fuzz_name}_seeds
    COMMAND ${fuzz_name}_seeds ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/seeds/${seed_folder})
  math(EXPR timeout "300 * ${RUNG_SLOWER}")
  set_tests_properties(${fuzz_name}_seeds PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endforeach()
