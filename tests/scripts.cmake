# Tests that are programs of their own: real client libraries, and what else drives the daemon from
# outside. Each tests/clients/<name>/run is an executable that finds the daemon in $RUNGD, uses a
# port and a folder of its own, and exits 0 (passed), 77 (skipped: a package manager or package is
# missing, said in its last line) or anything else (failed).
set(RUNGD_PATH ${CMAKE_BINARY_DIR}/rungd)
if(NOT TARGET rungd)
  return()
endif()

# rung_script_test(NAME LABEL SECONDS COMMAND...)
function(rung_script_test name label seconds)
  add_test(NAME ${name} COMMAND ${ARGN})
  math(EXPR timeout "${seconds} * ${RUNG_SLOWER}")
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77 ENVIRONMENT "RUNGD=${RUNGD_PATH}")
endfunction()

file(GLOB client_scripts CONFIGURE_DEPENDS clients/*/run)
# Libraries poll and time out in real time, with two servers at once: nothing runs beside them.
foreach(script ${client_scripts})
  get_filename_component(folder ${script} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  rung_script_test(client_${name} clients 600 ${script})
  set_tests_properties(client_${name} PROPERTIES PROCESSORS 2)
endforeach()

# Redis's own tests. They wait for real time: nothing runs beside them (PROCESSORS).
foreach(mode external streams binary)
  rung_script_test(peer_${mode} peer 900 ${CMAKE_CURRENT_SOURCE_DIR}/tools/peer-quick ${mode})
  set_tests_properties(peer_${mode} PROPERTIES PROCESSORS 2)
endforeach()

# That no delayed job is early, lost or given twice, and no job of a load that adds and takes; what
# they measure besides is for a quiet machine (docs/performance.md).
set(rungd_command "${RUNGD_PATH} --port {port} --dir {dir}")
rung_script_test(queue_waits queue 120 ${CMAKE_CURRENT_SOURCE_DIR}/tools/queue-waits --untimed
  --takers 2000 --jobs 20000 --spread 3 --idle 1 --rungd ${rungd_command})
rung_script_test(queue_jobs queue 120 ${CMAKE_CURRENT_SOURCE_DIR}/tools/queue-jobs
  --waiting 1000,20000 --jobs 800 --rounds 1 --latency --rungd ${rungd_command})

# The same requests to redis-server and to rungd.
file(GLOB oracles CONFIGURE_DEPENDS oracle/*)
list(FILTER oracles EXCLUDE REGEX "oracle/[^/]*[.]py$|__pycache__")
foreach(script ${oracles})
  get_filename_component(name ${script} NAME)
  rung_script_test(oracle_${name} oracle 120 ${script})
endforeach()

# The image. entrypoint_test needs no engine; image_test compiles inside the image: minutes.
rung_script_test(docker_entrypoint docker 60 ${CMAKE_CURRENT_SOURCE_DIR}/docker/entrypoint_test)
rung_script_test(docker_image docker 1800 ${CMAKE_CURRENT_SOURCE_DIR}/docker/image_test)
set_tests_properties(docker_image PROPERTIES PROCESSORS 2)

# Generated files say what the daemon would print today.
rung_script_test(fresh_rung_conf lint 60 ${CMAKE_CURRENT_SOURCE_DIR}/lint/generated_is_fresh
  config/rung.conf --dump-config)
rung_script_test(fresh_commands lint 60 ${CMAKE_CURRENT_SOURCE_DIR}/lint/generated_is_fresh
  docs/commands.md --dump-commands)
