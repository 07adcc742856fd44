# Helpers so that each folder's CMakeLists.txt says only what is particular to it.

# APART, here and below: sources whose file-local names others of the target have too. They stay by themselves where
# several are compiled as one (presets asan, tsan and fuzz: a third of the time).
function(scalestudy_keep_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# scalestudy_library(NAME [HEAVY] SOURCES file... [APART file...] [USES target...] [PRIVATE_USES target...])
# HEAVY: sees LibTorch; compiled as unity build because each such file costs 20 s and 1.2 GiB alone.
function(scalestudy_library name)
  cmake_parse_arguments(arg "HEAVY" "" "SOURCES;APART;USES;PRIVATE_USES" ${ARGN})
  add_library(scalestudy_${name} STATIC ${arg_SOURCES} ${arg_APART})
  scalestudy_keep_apart(${arg_APART})
  target_include_directories(scalestudy_${name} PUBLIC ${PROJECT_SOURCE_DIR}/suite ${PROJECT_SOURCE_DIR})
  target_link_libraries(scalestudy_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} scalestudy_warnings)
  if(arg_HEAVY)
    set_target_properties(scalestudy_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
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

# scalestudy_program(TARGET): all programs stand beside each other, as installed.
function(scalestudy_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/suite ${PROJECT_SOURCE_DIR})
endfunction()

# scalestudy_test(NAME [HEAVY] [ALONE] SOURCES file... [APART file...] [USES target...] [LABELS label...] [RANKS n...] [TIMEOUT s])
# One GoogleTest program. Each case is a ctest test of its own, unless HEAVY (LibTorch start-up is
# paid once). ALONE: nothing runs beside it, because it measures; label "measures". With RANKS the program is also started by
# mpirun with each of these rank counts.
function(scalestudy_test name)
  cmake_parse_arguments(arg "HEAVY;ALONE" "TIMEOUT" "SOURCES;APART;USES;LABELS;RANKS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES} ${arg_APART})
  scalestudy_keep_apart(${arg_APART})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gmock GTest::gtest scalestudy_warnings)
  target_compile_definitions(${name} PRIVATE SCALESTUDY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE -O0)  # half the time to compile; what is tested is optimised
  if(arg_RANKS)
    foreach(ranks IN LISTS arg_RANKS)
      add_test(NAME ${name}_mpi_${ranks}
        COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -n ${ranks} $<TARGET_FILE:${name}>)
      set_tests_properties(${name}_mpi_${ranks} PROPERTIES LABELS "mpi;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
        PROCESSORS ${ranks}  # waiting ranks spin: beside other tests they would wait for minutes
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
    endforeach()
  elseif(arg_HEAVY)
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "heavy;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  else()
    if(arg_ALONE)
      list(APPEND arg_LABELS measures)
    endif()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "unit;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_ALONE})
  endif()
endfunction()
