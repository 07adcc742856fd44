# Third-party parts. LibTorch, MPI and CUDA are optional: SCALESTUDY_TORCH/_MPI/_CUDA = AUTO|ON|OFF.
include(FindPkgConfig)
set(HDF5_PREFER_PARALLEL OFF)  # serial: one writer, and no ABI shared with MPI
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Boost 1.74 REQUIRED)  # headers
find_package(nlohmann_json 3.11 REQUIRED)
# An enumeration is written by its name, never by chance as a number.
set_property(TARGET nlohmann_json::nlohmann_json APPEND PROPERTY
  INTERFACE_COMPILE_DEFINITIONS JSON_DISABLE_ENUM_SERIALIZATION=1)
find_package(TIFF REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8.0)
# Not every build of libxxhash for x86 has its functions for newer processors.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::XXHASH)
check_cxx_source_compiles("#include <xxhash.h>
#include <xxh_x86dispatch.h>
int main() { return static_cast<int>(XXH3_64bits_dispatch(\"\", 0)); }" SCALESTUDY_HAVE_XXHASH_DISPATCH)
unset(CMAKE_REQUIRED_LIBRARIES)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)

set(SCALESTUDY_HAVE_TORCH OFF)
if(NOT SCALESTUDY_TORCH STREQUAL "OFF")
  find_package(LibTorch 2.11)
  set(SCALESTUDY_HAVE_TORCH ${LibTorch_FOUND})
  if(SCALESTUDY_TORCH STREQUAL "ON" AND NOT LibTorch_FOUND)
    message(FATAL_ERROR "LibTorch not found (scalestudy-rank cannot train without it). "
      "Run environments/setup.sh, or set TORCH_ROOT to the torch folder of a PyTorch wheel.")
  endif()
endif()

set(SCALESTUDY_HAVE_MPI OFF)
if(NOT SCALESTUDY_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS C)
  set(SCALESTUDY_HAVE_MPI ${MPI_C_FOUND})
  if(SCALESTUDY_MPI STREQUAL "ON" AND NOT MPI_C_FOUND)
    message(FATAL_ERROR "MPI not found (launcher mpirun needs it). Run environments/setup.sh.")
  endif()
endif()

set(SCALESTUDY_HAVE_CUDA OFF)
if(NOT SCALESTUDY_CUDA STREQUAL "OFF" AND TARGET LibTorch::cuda)
  set(SCALESTUDY_HAVE_CUDA ON)
endif()
if(SCALESTUDY_CUDA STREQUAL "ON" AND NOT SCALESTUDY_HAVE_CUDA)
  message(FATAL_ERROR "The CUDA part of LibTorch was not found. Run environments/setup.sh --gpu.")
endif()
message(STATUS "scalestudy: LibTorch ${SCALESTUDY_HAVE_TORCH} ${LibTorch_VERSION}, "
  "MPI ${SCALESTUDY_HAVE_MPI} ${MPI_C_VERSION}, CUDA ${SCALESTUDY_HAVE_CUDA}")
