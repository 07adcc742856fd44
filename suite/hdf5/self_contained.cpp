#include "hdf5/self_contained.hpp"

#include <exception>
#include <string>

#include <hdf5.h>

namespace scalestudy::hdf5 {
namespace {

/// The first part that must not be there; the library's walks stop at it.
struct Finding {
  std::string object;
  std::string problem;
};

herr_t judge_link(hid_t /*root*/, const char* name, const H5L_info_t* link, void* found) {
  if (link->type == H5L_TYPE_HARD) return 0;
  *static_cast<Finding*>(found) = {name, "it is a link to something else"};
  return 1;
}

std::string problem_of_dataset(hid_t root, const char* name) {
  const Dataset dataset(checked(H5Dopen2(root, name, H5P_DEFAULT), "H5Dopen2", name));
  const Properties creation(
      checked(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist", name));
  if (H5Pget_external_count(creation.get()) != 0 || H5Pget_layout(creation.get()) == H5D_VIRTUAL)
    return "its values lie in other files";
  if (H5Pget_nfilters(creation.get()) != 0) return "its values are compressed or filtered";
  return "";
}

// No exception may pass through the library.
herr_t judge_object(hid_t root, const char* name, const H5O_info_t* object, void* found) noexcept {
  auto& finding = *static_cast<Finding*>(found);
  try {
    finding.object = name;
    if (object->type == H5O_TYPE_DATASET)
      finding.problem = problem_of_dataset(root, name);
    else if (object->type != H5O_TYPE_GROUP)
      finding.problem = "it is neither a group nor a data set";
  } catch (const std::exception& error) {
    finding.problem = error.what();
  }
  return finding.problem.empty() ? 0 : 1;
}

}  // namespace

void require_self_contained(const File& file) {
  Finding finding;
  checked(H5Lvisit(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, judge_link, &finding), "H5Lvisit",
          "/");
  if (finding.problem.empty())
    checked(H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, judge_object, &finding,
                      H5O_INFO_BASIC),
            "H5Ovisit2", "/");
  if (!finding.problem.empty()) throw Failure("/" + finding.object, finding.problem);
}

}  // namespace scalestudy::hdf5
