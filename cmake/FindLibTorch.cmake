# Finds LibTorch in a PyTorch wheel or an unzipped LibTorch and makes imported targets, without a
# CUDA toolkit. Not find_package(Torch): from a CUDA wheel that wants a toolkit at configure time.
#
#   SCALESTUDY_TORCH_ROOT   <site-packages>/torch or libtorch/; else the environment's TORCH_ROOT,
#                           the installation made by environments/setup.sh, the active Python
#   LibTorch::cpu           libtorch_cpu + libc10
#   LibTorch::cuda          the above + libtorch_cuda + libc10_cuda; only when the wheel has them
#   LibTorch::cuda_headers  LibTorch's and NVIDIA's headers, nothing to link; only when those that
#                           environments/setup.sh installs are there
include(FindPackageHandleStandardArgs)

set(SCALESTUDY_TORCH_ROOT "$ENV{TORCH_ROOT}" CACHE PATH "torch folder of a PyTorch wheel, or libtorch/")
set(_roots ${SCALESTUDY_TORCH_ROOT})
if(DEFINED ENV{SCALESTUDY_DEPS})
  set(_deps $ENV{SCALESTUDY_DEPS})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(_deps $ENV{XDG_CACHE_HOME}/scalestudy)
else()
  set(_deps $ENV{HOME}/.cache/scalestudy)
endif()
if(NOT _roots)
  if(SCALESTUDY_CUDA STREQUAL "ON")
    file(GLOB _roots ${_deps}/libtorch-2.11.0-gpu/lib/python*/site-packages/torch)
  else()
    file(GLOB _roots ${_deps}/libtorch-2.11.0-cpu/lib/python*/site-packages/torch)
  endif()
endif()
if(NOT _roots)
  find_program(_python NAMES python3 python)
  if(_python)
    execute_process(COMMAND ${_python} -c
      "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE _roots OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()

find_path(LibTorch_INCLUDE_ROOT ATen/ATen.h PATHS ${_roots} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS ${_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_C10_LIBRARY c10 PATHS ${_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_CUDA_LIBRARY torch_cuda PATHS ${_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda PATHS ${_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)

if(LibTorch_INCLUDE_ROOT)
  foreach(_version_file ${LibTorch_INCLUDE_ROOT}/torch/headeronly/version.h
                        ${LibTorch_INCLUDE_ROOT}/torch/csrc/api/include/torch/version.h)
    if(EXISTS ${_version_file})
      file(STRINGS ${_version_file} _lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      if(_lines)
        string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3"
          LibTorch_VERSION "${_lines}")
      endif()
    endif()
  endforeach()
endif()

find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_ROOT
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  get_filename_component(LibTorch_LIBRARY_DIR ${LibTorch_CPU_LIBRARY} DIRECTORY)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    ${LibTorch_INCLUDE_ROOT} ${LibTorch_INCLUDE_ROOT}/torch/csrc/api/include)
  target_link_libraries(LibTorch::cpu INTERFACE ${LibTorch_CPU_LIBRARY} ${LibTorch_C10_LIBRARY})
  target_link_options(LibTorch::cpu INTERFACE "-Wl,-rpath,${LibTorch_LIBRARY_DIR}")
  get_filename_component(_site ${LibTorch_LIBRARY_DIR}/../.. ABSOLUTE)
  foreach(_dependency cu13 cudnn cusparselt nvshmem nccl)
    if(EXISTS ${_site}/nvidia/${_dependency}/lib)
      target_link_options(LibTorch::cpu INTERFACE "-Wl,-rpath-link,${_site}/nvidia/${_dependency}/lib")
    endif()
  endforeach()
  # The minimal CPU wheel holds libtorch_cuda.so too, but not the libraries that it needs.
  if(LibTorch_CUDA_LIBRARY AND EXISTS ${_site}/nvidia/cudnn/lib)
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu "-Wl,--no-as-needed"
      ${LibTorch_CUDA_LIBRARY} ${LibTorch_C10_CUDA_LIBRARY} "-Wl,--as-needed")
  endif()
  file(GLOB _cuda_headers ${_deps}/cuda-headers-13.0/lib/python*/site-packages/nvidia/cu13/include)
  find_path(LibTorch_CUDA_INCLUDE crt/host_defines.h PATHS ${_cuda_headers} NO_DEFAULT_PATH NO_CACHE)
  if(LibTorch_CUDA_INCLUDE AND EXISTS ${LibTorch_INCLUDE_ROOT}/c10/cuda/impl/cuda_cmake_macros.h)
    add_library(LibTorch::cuda_headers INTERFACE IMPORTED)
    target_include_directories(LibTorch::cuda_headers SYSTEM INTERFACE ${LibTorch_CUDA_INCLUDE}
      $<TARGET_PROPERTY:LibTorch::cpu,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endif()
