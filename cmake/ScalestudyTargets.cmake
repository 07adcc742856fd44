# Helpers so that each folder's CMakeLists.txt says only what is particular to it.

# scalestudy_units(RESULT TARGET SIZE SOURCES file... [APART file...]): sets RESULT to what TARGET compiles: files that
# include up to SIZE sources each (a third of the time), and those APART by themselves: their file-local names clash with
# others, or they have options of their own. Includes are relative to the project's folder, so that __FILE__, and with it
# what the compiler cache keys on, is the same in every checkout. SCALESTUDY_UNITS=OFF compiles each source by itself.
function(scalestudy_units result target size)
  cmake_parse_arguments(arg "" "" "SOURCES;APART" ${ARGN})
  if(NOT SCALESTUDY_UNITS)
    set(${result} ${arg_SOURCES} ${arg_APART} PARENT_SCOPE)
    return()
  endif()
  set(compiled ${arg_APART})
  set(includes "")
  set(members 0)
  set(units 0)
  list(LENGTH arg_SOURCES left)
  foreach(source IN LISTS arg_SOURCES)
    math(EXPR left "${left} - 1")
    get_filename_component(absolute ${source} ABSOLUTE)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${absolute})
    string(APPEND includes "#include \"${relative}\"\n")
    math(EXPR members "${members} + 1")
    if(members EQUAL size OR left EQUAL 0)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${units}.cpp)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}" @ONLY)
      list(APPEND compiled ${unit})
      math(EXPR units "${units} + 1")
      set(includes "")
      set(members 0)
    endif()
  endforeach()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()

# How many sources a unit joins. With LibTorch each alone would cost 20 s and 1.2 GiB.
set(scalestudy_unit_size 12)
set(scalestudy_heavy_unit_size 16)

# scalestudy_library(NAME [HEAVY] SOURCES file... [APART file...] [USES target...] [PRIVATE_USES target...])
# HEAVY: sees LibTorch.
function(scalestudy_library name)
  cmake_parse_arguments(arg "HEAVY" "" "SOURCES;APART;USES;PRIVATE_USES" ${ARGN})
  set(size ${scalestudy_unit_size})
  if(arg_HEAVY)
    set(size ${scalestudy_heavy_unit_size})
  endif()
  scalestudy_units(compiled ${name} ${size} SOURCES ${arg_SOURCES} APART ${arg_APART})
  add_library(scalestudy_${name} STATIC ${compiled})
  target_include_directories(scalestudy_${name} PUBLIC ${PROJECT_SOURCE_DIR}/suite ${PROJECT_SOURCE_DIR})
  target_link_libraries(scalestudy_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} scalestudy_warnings)
endfunction()

# scalestudy_embed(SOURCE HEADER file...): sets SOURCE to a source file that defines, for each file,
# the string HEADER declares: page.css is scalestudy::assets::page_css.
function(scalestudy_embed source header)
  set(strings "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} identifier)
    file(READ ${file} content)
    string(APPEND strings "const std::string_view ${identifier} = R\"asset(${content})asset\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  file(RELATIVE_PATH header ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  file(CONFIGURE OUTPUT generated/assets.cpp @ONLY
    CONTENT "#include \"@header@\"\n\nnamespace scalestudy::assets {\n\n@strings@\n}  // namespace scalestudy::assets\n")
  set(${source} ${CMAKE_CURRENT_BINARY_DIR}/generated/assets.cpp PARENT_SCOPE)
endfunction()

# scalestudy_program(TARGET SOURCES file... [USES target...]): all programs stand beside each other, as installed.
function(scalestudy_program target)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  scalestudy_units(compiled ${target} ${scalestudy_unit_size} SOURCES ${arg_SOURCES})
  add_executable(${target} ${compiled})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/suite ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${arg_USES} scalestudy_warnings)
endfunction()

# scalestudy_test_program(TARGET SOURCES file... [USES target...]): a program that tests start (tests/support/places.hpp).
function(scalestudy_test_program target)
  scalestudy_program(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
endfunction()

# scalestudy_add_test(NAME COMMAND argument... [LABELS label...] [TIMEOUT s] [CORES n] [ALONE] [COST c]
#                     [NIGHTLY] [ENVIRONMENT variable=value...] [SKIPS])
# One entry of ctest. CORES: what it keeps busy; one that mostly waits has none (ctest runs two per core then).
# ALONE: nothing runs beside it. NIGHTLY: real times or chance decide, so it runs alone, and not in the gate. COST: how early it starts (its seconds). SKIPS: exit status 77 says what is missing.
function(scalestudy_add_test name)
  cmake_parse_arguments(arg "ALONE;NIGHTLY;SKIPS" "TIMEOUT;CORES;COST" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT AND "heavy" IN_LIST arg_LABELS)
    set(arg_TIMEOUT 300)
  elseif(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(places 1)
  if(arg_CORES)
    math(EXPR places "2 * ${arg_CORES}")
  endif()
  if(arg_NIGHTLY)
    set(arg_ALONE ON)
    list(APPEND arg_LABELS nightly)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${places} LABELS "${arg_LABELS}"
    ENVIRONMENT "GTEST_BRIEF=1;${arg_ENVIRONMENT}")
  if(arg_ALONE)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
  if(arg_SKIPS)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()

# scalestudy_test(NAME [HEAVY] [ALONE] [NIGHTLY] SOURCES file... [APART file...] [USES target...] [STARTS target...]
#                 [LABELS label...] [RANKS n...] [SHARDS n] [CORES n] [COST c] [TIMEOUT s])
# One GoogleTest program, which ctest runs whole, or in SHARDS parts beside each other where its cases wait. STARTS: programs
# that it starts. HEAVY: sees LibTorch. With RANKS mpirun starts it with each of these rank counts.
function(scalestudy_test name)
  cmake_parse_arguments(arg "HEAVY;ALONE;NIGHTLY" "TIMEOUT;SHARDS;CORES;COST" "SOURCES;APART;USES;STARTS;LABELS;RANKS" ${ARGN})
  set(size ${scalestudy_unit_size})
  if(arg_HEAVY)
    set(size ${scalestudy_heavy_unit_size})
    list(APPEND arg_LABELS heavy)
    if(NOT arg_CORES)
      set(arg_CORES 1)
    endif()
  endif()
  scalestudy_units(compiled ${name} ${size} SOURCES ${arg_SOURCES} APART ${arg_APART})
  add_executable(${name} ${compiled})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_USES} scalestudy_test_places GTest::gmock GTest::gtest scalestudy_warnings)
  target_compile_options(${name} PRIVATE -O0)  # half the time to compile; what is tested is optimised
  if(arg_STARTS)
    add_dependencies(${name} ${arg_STARTS})
  endif()
  set(common TIMEOUT ${arg_TIMEOUT} COST ${arg_COST})
  foreach(option ALONE NIGHTLY)
    if(arg_${option})
      list(APPEND common ${option})
    endif()
  endforeach()
  if(arg_RANKS)
    foreach(ranks IN LISTS arg_RANKS)
      # Waiting ranks spin: beside other tests they would wait for minutes.
      scalestudy_add_test(${name}_mpi_${ranks} ${common} CORES ${ranks} LABELS mpi ${arg_LABELS}
        COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -n ${ranks} $<TARGET_FILE:${name}>
        ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
          OMPI_MCA_btl_vader_single_copy_mechanism=none)
    endforeach()
    return()
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  if(NOT arg_SHARDS)
    scalestudy_add_test(${name} ${common} CORES ${arg_CORES} LABELS ${arg_LABELS} COMMAND ${name})
    return()
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    scalestudy_add_test(${name}_${shard} ${common} CORES ${arg_CORES} LABELS ${arg_LABELS} COMMAND ${name}
      ENVIRONMENT GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${shard})
  endforeach()
endfunction()
