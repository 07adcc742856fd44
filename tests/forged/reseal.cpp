/// reseal FILE...: seals run files anew, as anybody can who changed one.

#include "tests/support/reseal.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) scalestudy::reseal(argv[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reseal: %s\n", error.what());
    return 1;
  }
  return 0;
}
