# Run at build time: writes scalestudy_build_info.hpp, touching it only when it changes.
find_package(Git QUIET)
set(commit "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=8 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # Git does not know them yet, but folders are globbed.
  execute_process(COMMAND ${GIT_EXECUTABLE} ls-files --others --exclude-standard "*.cpp" "*.hpp"
    WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE added OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(added AND NOT commit MATCHES "-dirty$")
    string(APPEND commit "-dirty")
  endif()
  if(commit MATCHES "-dirty$")
    # Two different changed trees are two builds.
    execute_process(COMMAND ${GIT_EXECUTABLE} diff HEAD WORKING_DIRECTORY ${SOURCE_DIR}
      OUTPUT_VARIABLE changes ERROR_QUIET)
    string(REPLACE "\n" ";" added "${added}")
    foreach(file IN LISTS added)
      file(SHA256 ${SOURCE_DIR}/${file} content)
      string(APPEND changes "${file} ${content}\n")
    endforeach()
    string(SHA256 changes "${changes}")
    string(SUBSTRING ${changes} 0 8 changes)
    string(APPEND commit "-${changes}")
  endif()
endif()
string(TOLOWER "${BUILD_TYPE}" build_type)
set(content "#pragma once\n#define SCALESTUDY_VERSION \"${VERSION}\"\n#define SCALESTUDY_BUILD_ID \"${VERSION}+g${commit}.${build_type}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${content}")
  file(WRITE ${OUTPUT} "${content}")
endif()
