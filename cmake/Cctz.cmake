# CCTZ: time zones of the system's database (package tzdata at run time) for schedules.
find_path(CCTZ_INCLUDE cctz/time_zone.h REQUIRED)
find_library(CCTZ cctz REQUIRED)

add_library(rung_time_zones INTERFACE)
target_include_directories(rung_time_zones SYSTEM INTERFACE ${CCTZ_INCLUDE})
target_link_libraries(rung_time_zones INTERFACE ${CCTZ})
