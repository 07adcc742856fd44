#include "tests/fuzz/forged_run.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5/plain_datasets.hpp"

#include "record/run_file/checksum.hpp"

#include "tests/fuzz/json_changes.hpp"

namespace scalestudy::fuzz {
namespace {

using namespace hdf5;
using Input = FuzzedDataProvider;

constexpr const char* elsewhere = "/etc/hostname";

constexpr std::array numbers{0.0,
                             -1.0,
                             5e-324,
                             1e-300,
                             1e300,
                             1.7e308,
                             -1.7e308,
                             0x1p53,
                             0x1p63,
                             -0x1p63,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};

double any_number(Input& input) {
  return input.ConsumeBool() ? input.PickValueInArray(numbers)
                             : input.ConsumeFloatingPoint<double>();
}

std::vector<std::string> dataset_names(const File& file) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5O_info_t* object, void* list) -> herr_t {
    if (object->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, add, &names, H5O_INFO_BASIC);
  return names;
}

std::string any_dataset(const File& file, Input& input) {
  const auto names = dataset_names(file);
  if (names.empty()) return "/";
  return names[input.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1)];
}

void change_numbers(const File& file, Input& input) {
  const auto name = any_dataset(file, input);
  const auto dataset = open_dataset(file, name);
  if (storage_of(dataset, name) == Storage::text) return;
  auto values = read_numbers(dataset, name);
  const double value = any_number(input);
  const auto count = input.ConsumeIntegralInRange<int>(0, 3);
  if (count == 0) values.assign(values.size(), value);
  for (int i = 0; i < count && !values.empty(); ++i)
    values[input.ConsumeIntegralInRange<std::size_t>(0, values.size() - 1)] = value;
  H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

std::string any_text(Input& input) {
  auto text = input.ConsumeRandomLengthString(200);
  if (input.ConsumeBool()) text += std::string(input.ConsumeIntegralInRange<int>(0, 70000), 'x');
  return text;
}

void change_text(const File& file, Input& input) {
  const auto name = any_dataset(file, input);
  const auto dataset = open_dataset(file, name);
  if (storage_of(dataset, name) != Storage::text) return;
  const Type type(H5Dget_type(dataset.get()));
  const auto text = any_text(input);
  const std::vector<const char*> texts(read_texts(dataset, name).size(), text.c_str());
  H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
}

void change_settings(const File& file, Input& input) {
  const auto path = input.PickValueInArray(
      {"/settings/resolved", "/settings/effective", "/settings/requested", "/environment"});
  const auto dataset = open_dataset(file, path);
  const auto texts = read_texts(dataset, path);
  if (!texts.empty()) write(dataset, std::vector{changed_json(texts.front(), input)});
}

void change_links(const File& file, Input& input) {
  const auto name = any_dataset(file, input);
  const auto other = any_dataset(file, input);
  const auto id = file.get();
  const auto add = input.ConsumeBool() ? name + "-more" : name;
  const auto kind = input.ConsumeIntegralInRange<int>(0, 5);
  if (kind != 1 && add == name) H5Ldelete(id, name.c_str(), H5P_DEFAULT);
  if (kind == 1) H5Ldelete(id, name.substr(0, name.find('/')).c_str(), H5P_DEFAULT);
  if (kind == 2) H5Lcreate_soft(other.c_str(), id, add.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 3) H5Lcreate_external(elsewhere, "/", id, add.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 4) H5Lcreate_hard(id, other.c_str(), id, add.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 5) H5Lcreate_hard(id, "/", id, add.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

Type any_type(Input& input) {
  Type text(H5Tcopy(H5T_C_S1));
  H5Tset_size(text.get(), input.ConsumeBool() ? H5T_VARIABLE : 9);
  const auto standard =
      input.PickValueInArray({H5T_STD_I8LE, H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE,
                              H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_REF_OBJ, H5T_NATIVE_LDOUBLE});
  switch (input.ConsumeIntegralInRange<int>(0, 3)) {
    case 0:
      return text;
    case 1:
      return Type(H5Tvlen_create(H5T_IEEE_F64LE));
    case 2: {
      Type compound(H5Tcreate(H5T_COMPOUND, 8));
      H5Tinsert(compound.get(), "a", 0, H5T_IEEE_F64LE);
      return compound;
    }
    default:
      return Type(H5Tcopy(standard));
  }
}

std::vector<hsize_t> any_shape(Input& input) {
  std::vector<hsize_t> shape(input.ConsumeIntegralInRange<std::size_t>(0, 4));
  for (auto& side : shape)
    side = input.PickValueInArray<hsize_t>({0, 1, 2, 3, 8, 300, 5000, 1U << 20U, 1ULL << 50U});
  return shape;
}

void set_storage(const Properties& creation, const Space& space, std::size_t rank, Input& input) {
  const std::vector<hsize_t> chunk(rank, input.ConsumeIntegralInRange<hsize_t>(1, 64));
  const auto kind = input.ConsumeIntegralInRange<int>(0, 5);
  if (kind == 1) H5Pset_external(creation.get(), elsewhere, 0, 8);
  if (kind == 2 && rank > 0)
    H5Pset_virtual(creation.get(), space.get(), elsewhere, "/x", space.get());
  if (kind >= 3 && rank > 0) H5Pset_chunk(creation.get(), static_cast<int>(rank), chunk.data());
  if (kind == 4) H5Pset_deflate(creation.get(), 9);
}

void replace_dataset(const File& file, Input& input) {
  const auto name = any_dataset(file, input);
  const auto shape = any_shape(input);
  const auto type = any_type(input);
  const Space space(shape.empty()
                        ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  set_storage(creation, space, shape.size(), input);
  H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT);
  const Dataset dataset(H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                   creation.get(), H5P_DEFAULT));
}

void resize_dataset(const File& file, Input& input) {
  const auto name = any_dataset(file, input);
  const auto old = open_dataset(file, name);
  auto shape = shape_of(old);
  if (shape.empty()) return;
  shape[input.ConsumeIntegralInRange<std::size_t>(0, shape.size() - 1)] =
      input.PickValueInArray<std::uint64_t>({0, 1, 2, 7, 9, 5000, 1U << 22U});
  const auto storage = storage_of(old, name);
  auto values = storage == Storage::text ? std::vector<double>{} : read_numbers(old, name);
  remove(file, name);
  const auto resized = create_dataset(file, name, {storage, shape});
  const auto count =
      std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  if (storage == Storage::text || count > (1U << 16U)) return;
  values.resize(count);
  write(resized, values);
}

void change_attribute(const File& file, Input& input) {
  const std::string name =
      input.PickValueInArray({"schema", "run_id", "build_id", "status", "reason", "failed_rank",
                              "failed_phase", "labels", "validity", "data_warnings"});
  switch (input.ConsumeIntegralInRange<int>(0, 4)) {
    case 0:
      return (void)H5Adelete(file.get(), name.c_str());
    case 1:
      return write_attribute(file.get(), name, input.ConsumeIntegral<std::int64_t>());
    case 2:
      return write_attribute(file.get(), name, any_number(input));
    case 3:
      return write_attribute(file.get(), name, any_text(input));
    default:
      return write_attribute(
          file.get(), name,
          std::vector<std::string>(input.ConsumeIntegralInRange<std::size_t>(0, 99),
                                   any_text(input).substr(0, 500)));
  }
}

void add_object(const File& file, Input& input) {
  const std::string name = input.PickValueInArray(
      {"/extra", "/steps/extra", "/summary/extra", "/panels/input", "/panels/mask-1",
       "/panels/prediction-1", "/panels/input-1", "/panels/confusion"});
  if (input.ConsumeBool()) {
    const Type type(H5Tcopy(H5T_NATIVE_DOUBLE));
    H5Tcommit2(file.get(), name.c_str(), type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  } else {
    const auto side = [&] { return input.ConsumeIntegralInRange<std::uint64_t>(0, 40); };
    const Shape shape{side(), side()};
    const std::vector<float> pixels(shape[0] * shape[1], static_cast<float>(any_number(input)));
    (void)write_array(file, name, Number::float32, shape, std::as_bytes(std::span(pixels)));
  }
}

void overwrite_bytes(const std::filesystem::path& file, Input& input) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) {
    const auto count = input.ConsumeIntegralInRange<int>(1, 8);
    for (int i = 0; i < count; ++i) {
      const auto place = input.ConsumeIntegralInRange<std::int64_t>(checksum::user_block_bytes,
                                                                    status.st_size - 1);
      const auto value = input.ConsumeIntegral<std::uint8_t>();
      (void)!::pwrite(descriptor, &value, 1, place);
    }
  }
  ::close(descriptor);
}

constexpr std::array changes{change_numbers,   change_numbers, change_text,     change_settings,
                             change_settings,  change_links,   replace_dataset, resize_dataset,
                             change_attribute, add_object};

}  // namespace

bool forge(const std::filesystem::path& file, FuzzedDataProvider& input) {
  const bool damages = input.ConsumeIntegralInRange<int>(0, 7) == 0;
  if (damages) {
    overwrite_bytes(file, input);
    return true;
  }
  for (int count = 0; count < 6 && input.remaining_bytes() > 0; ++count) {
    try {
      const auto opened = open_file_to_change(file);
      input.PickValueInArray(changes)(opened, input);
    } catch (const Failure&) {  // the library does not store that
    }
  }
  return false;
}

}  // namespace scalestudy::fuzz
