#pragma once
/// Decoded pictures that the ranks of a host keep together: who decodes one first keeps it for all.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/descriptor.hpp"
#include "core/parallel.hpp"

#include "data/image.hpp"

namespace scalestudy {

/// Of one sample: its picture, or its picture and its mask.
using Pictures = std::vector<Image>;

/// Gives every rank of a host what `make` made on one of them, and nothing to a rank that is alone
/// on its host. Collective.
using ShareOnHost = std::function<Descriptor(const std::function<Descriptor()>& make)>;

/// One object per rank, over the same memory. Any number of threads may use it at the same time. A
/// rank that is killed at whatever moment leaves nothing half written that another one would read,
/// and nothing locked. Local.
class SharedPictures {
 public:
  /// A file without a name that holds up to `limit_bytes` of pixels, and pages only for those it
  /// has. Errors: Unavailable when it cannot be made.
  [[nodiscard]] static Descriptor make(std::int64_t sample_count, std::int64_t limit_bytes);

  /// Errors: RunFailed when it was made for another number of samples, or cannot be mapped.
  SharedPictures(Descriptor memory, std::int64_t sample_count);

  /// As they were decoded, whoever did it; waits while another one decodes this sample. What does
  /// not fit is decoded at each call. Errors: those of `decode`.
  [[nodiscard]] Pictures get(std::size_t sample, const std::function<Pictures()>& decode) const;

  /// get() for all samples while there is room, each by the rank that comes to it first, so that
  /// the ranks decode different ones at the same time. Errors: those of `decode`.
  void decode_together(const Workers& workers,
                       const std::function<Pictures(std::size_t)>& decode) const;

  [[nodiscard]] bool keeps(std::size_t sample) const;

 private:
  struct Header;
  struct Entry;
  class Turn;

  [[nodiscard]] static std::size_t pictures_begin(std::int64_t sample_count);
  [[nodiscard]] Header& header() const;
  [[nodiscard]] Entry& entry(std::size_t sample) const;
  void keep(Entry& entry, const Pictures& pictures) const;
  [[nodiscard]] std::byte* reserve(std::int64_t bytes) const;
  [[nodiscard]] Pictures kept(const Entry& entry) const;

  Descriptor file_;
  std::int64_t sample_count_;
  std::shared_ptr<std::byte> memory_;
};

/// Nothing for a rank that is alone on its host, or without `share`. Collective.
/// Errors: those of SharedPictures.
[[nodiscard]] std::unique_ptr<SharedPictures> share_pictures(const ShareOnHost& share,
                                                             std::int64_t sample_count,
                                                             std::int64_t limit_bytes);

}  // namespace scalestudy
