#pragma once
/// The memory of stand-in GPUs, and who uses it when.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

/// What a stream knows: of each stream, up to which of its pieces of work all have ended.
using StandInKnowledge = std::map<int, int>;

enum class StandInUse { not_of_the_device, in_order, hazard };

/// What memory is used for, by which stream, and what may not be.
class StandInMemory {
 public:
  struct Use {
    int stream = 0;
    int number = 0;  ///< of the stream's work
    bool writes = false;
    std::string what;
  };

  [[nodiscard]] void* allocate(std::size_t bytes);  ///< null when there is not enough
  [[nodiscard]] bool free(void* memory);
  void leave(std::size_t bytes) { left_ = bytes; }
  [[nodiscard]] int count() const { return static_cast<int>(blocks_.size()); }

  [[nodiscard]] StandInUse use(const void* memory,
                               std::size_t bytes,
                               const Use& use,
                               const StandInKnowledge& known);

  [[nodiscard]] const std::vector<std::string>& hazards() const { return hazards_; }

 private:
  struct Range {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    Use use;
  };
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
    std::vector<Range> uses;
  };

  std::map<const std::byte*, Block> blocks_;
  std::optional<std::size_t> left_;
  std::vector<std::string> hazards_;
};

}  // namespace scalestudy
