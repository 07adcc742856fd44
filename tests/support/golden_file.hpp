#pragma once
/// Reads arrays of an HDF5 file for comparisons.

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

namespace scalestudy::test {

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

class GoldenFile {
 public:
  explicit GoldenFile(const std::string& file)
      : id_(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (id_ < 0) throw std::runtime_error("cannot open " + file);
  }
  ~GoldenFile() { H5Fclose(id_); }
  GoldenFile(const GoldenFile&) = delete;
  GoldenFile& operator=(const GoldenFile&) = delete;

  [[nodiscard]] Array array(const std::string& name) const {
    const hid_t dataset = H5Dopen2(id_, name.c_str(), H5P_DEFAULT);
    if (dataset < 0) throw std::runtime_error("no data set " + name);
    const hid_t space = H5Dget_space(dataset);
    std::vector<hsize_t> sides(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, sides.data(), nullptr);
    Array array;
    array.shape.assign(sides.begin(), sides.end());
    array.values.resize(
        std::accumulate(sides.begin(), sides.end(), std::size_t{1}, std::multiplies<>()));
    H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data());
    H5Sclose(space);
    H5Dclose(dataset);
    return array;
  }

  [[nodiscard]] double attribute(const std::string& object, const std::string& name) const {
    double value = 0;
    const hid_t attribute =
        H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) throw std::runtime_error("no attribute " + name);
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    return value;
  }

 private:
  hid_t id_;
};

}  // namespace scalestudy::test
