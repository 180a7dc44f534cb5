# Precompiled headers: the standard library for everything, Asio for net and server alone.
#
# They hide a missing #include in a .cc file; the asan and tsan presets build without them, and the
# lint_headers target never uses them, so that such a slip is seen.
option(RUNG_PRECOMPILE "Precompile the standard headers" OFF)

set(RUNG_STANDARD_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib>
  <cstring> <functional> <limits> <map> <memory> <optional> <span> <string> <string_view>
  <type_traits> <unordered_map> <utility> <variant> <vector>)
set(RUNG_ASIO_HEADERS
  <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/local/stream_protocol.hpp>
  <boost/asio/posix/stream_descriptor.hpp> <boost/asio/signal_set.hpp>
  <boost/asio/steady_timer.hpp>)

function(rung_precompile target)
  if(RUNG_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
