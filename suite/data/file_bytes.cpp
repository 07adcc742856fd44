#include "data/file_bytes.hpp"

#include <system_error>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file,
                         const std::string& problem,
                         const std::string& suggestion) {
  throw BadInput(
      {cat("'", file.string(), "' ", problem), "it cannot be used as a picture", suggestion});
}

std::uintmax_t size_of_regular_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    refuse(file, "does not exist", "Check the path and whether the file was moved");
  if (status.type() != std::filesystem::file_type::regular)
    refuse(file, error ? "cannot be read: " + error.message() : "is not a regular file",
           "Give the path of one picture");
  const auto size = std::filesystem::file_size(file, error);
  if (error) refuse(file, "cannot be read: " + error.message(), "Check the file system");
  return size;
}

}  // namespace

std::vector<std::byte> read_file_bytes(const std::filesystem::path& file,
                                       std::int64_t limit_bytes) {
  const auto size = size_of_regular_file(file);
  if (size == 0) refuse(file, "is empty", "Copy or export it again, or take it out of the set");
  if (size > static_cast<std::uintmax_t>(limit_bytes))
    refuse(file,
           cat("has ", human_bytes(static_cast<double>(size)), ", more than the limit of ",
               human_bytes(static_cast<double>(limit_bytes))),
           "Save a smaller picture");
  try {
    return bytes_of_file(file);
  } catch (const std::system_error& error) {
    refuse(file, cat("cannot be read: ", error.code().message()),
           "Check its permissions and the file system");
  }
}

}  // namespace scalestudy
