#pragma once
/// The first 4096 bytes of a pack, before its HDF5 part: lines of text that say what the file is
/// and where its data sets lie, each with a hash. With them a pack is read without the HDF5
/// library, which neither survives damaged files nor lets several threads read at once. Format:
/// PACK.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/fit.hpp"

namespace scalestudy {

enum class PackKind { image_mask, classes, volume };
enum class PackEncoding { pixels, files };  ///< of the pictures; masks are always pixels

[[nodiscard]] std::string_view name_of(PackKind kind);
[[nodiscard]] std::string_view name_of(PackEncoding encoding);
/// "as_stored" for none.
[[nodiscard]] std::string_view name_of(const std::optional<Fit>& fit);

/// What a pack is and how it was made.
struct PackDescription {
  PackKind kind = PackKind::classes;
  PackEncoding encoding = PackEncoding::pixels;
  std::string source;          ///< name of the folder or file it was made from
  std::optional<Fit> fit;      ///< how pictures came to one size; none: as stored
  std::int64_t height_px = 0;  ///< of every picture; 0 when as stored
  std::int64_t width_px = 0;
  /// Of the mask's largest possible value; 0: all but the background. Of image_mask only.
  double mask_threshold_frac = 0;
};

/// A data set in one piece: `rows` rows of `row_bytes` from `offset_bytes` of the file on.
struct PackTable {
  std::string path;
  std::uint64_t rows = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t hash = 0;  ///< bulk_hash of its bytes
};

struct PackHeader {
  PackDescription description;
  std::uint64_t file_bytes = 0;           ///< length of the whole file: a shorter one was cut
  std::uint64_t stored_offset_bytes = 0;  ///< where the stored bytes begin in the file
  std::uint64_t stored_bytes = 0;
  std::uint64_t layout_hash = 0;  ///< what layout_hash_of() gave when it was written
  std::vector<PackTable> tables;
};

/// What was said when the pack was made; it lacks where nothing was.
inline constexpr std::string_view notes_table = "/notes";

inline constexpr std::size_t pack_header_bytes = 4096;

/// Whether the file begins as packs do; false when it cannot be read.
[[nodiscard]] bool is_pack(const std::filesystem::path& file);

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string exact_text(double value);

/// Fills `out` with what the file holds from `offset_bytes` on.
using ReadPackFile = std::function<void(std::uint64_t offset_bytes, std::span<std::byte> out)>;

/// bulk_hash of all bytes behind the header that are not the stored ones: the tables and HDF5's
/// own, without which nothing but scalestudy could open the file. Contract: the header's places lie
/// inside the file.
[[nodiscard]] std::uint64_t layout_hash_of(const PackHeader& header, const ReadPackFile& read);

/// Exactly pack_header_bytes. The source must not contain control characters.
[[nodiscard]] std::string header_block(const PackHeader& header);

/// Errors: std::invalid_argument with the reason, for any text that header_block did not write.
[[nodiscard]] PackHeader parse_header(std::string_view block);

}  // namespace scalestudy
