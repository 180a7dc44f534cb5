// Runs a fuzz target over a folder of seeds without libFuzzer: each seed whole, cut short at up to
// 64 places, and with up to 64 single bytes changed. A crash is the failure; an empty folder too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kVariants = 64;

std::vector<std::uint8_t> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Runs the seed and its variants; returns how many inputs that were.
std::size_t RunSeed(std::vector<std::uint8_t> seed) {
  LLVMFuzzerTestOneInput(seed.data(), seed.size());
  const std::size_t step = std::max<std::size_t>(1, seed.size() / kVariants);
  std::size_t inputs = 1;
  for (std::size_t at = 0; at < seed.size(); at += step) {
    LLVMFuzzerTestOneInput(seed.data(), at);
    seed[at] ^= static_cast<std::uint8_t>(1U << (at % 8));
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    seed[at] ^= static_cast<std::uint8_t>(1U << (at % 8));
    inputs += 2;
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER-OF-SEEDS\n", argv[0]);
    return 2;
  }
  std::size_t seeds = 0;
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (!entry.is_regular_file()) continue;
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);  // A crash in the next call must leave the name behind.
    inputs += RunSeed(ReadFile(entry.path()));
    ++seeds;
  }
  std::printf("%zu seeds, %zu inputs\n", seeds, inputs);
  return seeds == 0 ? 1 : 0;
}
