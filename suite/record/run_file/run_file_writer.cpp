#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/atomic_file.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/run_file/run_file.hpp"
#include "record/run_file/run_journal.hpp"
#include "record/run_file/run_layout.hpp"

namespace scalestudy {

namespace {

constexpr const char* why = "the run is recorded there";

}  // namespace

struct RunFileWriter::Impl {
  Impl(std::filesystem::path path, RunHeader run_header, std::int64_t rank_count)
      : file_name(std::move(path)), header(std::move(run_header)), ranks(rank_count) {
    SCALESTUDY_EXPECT(rank_count >= 1);
    if (is_there(file_name)) refuse("the file exists already");
    auto closed = file_name;
    // Closing would keep that, and remove what is recorded now.
    if (is_there(closed.replace_extension())) refuse(cat(closed.string(), " exists already"));
    frame.add_header(header, ranks);
  }
  ~Impl() {
    try {
      flush();
    } catch (...) {
      // It was not flushed, so nothing that was promised is lost.
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[noreturn]] void refuse(std::string_view reason) const {
    throw RunFailed(
        {cat(file_name.string(), " cannot be written: ", reason), why,
         "Free space or choose another output folder; what was flushed before is kept"});
  }

  /// What no reader takes is refused while nothing is lost.
  void write_text(const char* path, const std::string& text) {
    if (text.size() > run_layout::most_text_bytes)
      throw BadInput(
          {cat(file_name.string(), ": ", path, " would have ",
               human_bytes(static_cast<double>(text.size()))),
           cat("a run file takes no texts of more than ", human_bytes(run_layout::most_text_bytes)),
           "Shorten the study, or the variables of its environment"});
    frame.add_text(path, text);
  }

  void flush() {
    if (frame.is_empty()) return;
    if (descriptor)
      append(frame.sealed());
    else
      create(frame.sealed());
    frame.clear();
  }

  /// Nobody meets a journal without its first frame.
  void create(std::string_view first_frame) {
    replace_file(file_name, cat(journal::title, first_frame), why);
    descriptor = Descriptor(::open(file_name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!descriptor) refuse(std::strerror(errno));
    whole_bytes = static_cast<off_t>(journal::title.size() + first_frame.size());
  }

  /// In one call, so that nearly every kill finds all of it or nothing. What a full disk cuts short
  /// is taken back: frames behind it would not count.
  void append(std::string_view bytes) {
    if (!write_all(descriptor.get(), bytes)) {
      const int error_number = errno;
      static_cast<void>(!::ftruncate(descriptor.get(), whole_bytes));
      refuse(std::strerror(error_number));
    }
    whole_bytes += static_cast<off_t>(bytes.size());
  }

  std::filesystem::path file_name;
  RunHeader header;
  std::int64_t ranks;
  Descriptor descriptor;
  off_t whole_bytes = 0;
  journal::Frame frame;  ///< what the next flush writes
};

RunFileWriter::RunFileWriter(const std::filesystem::path& file,
                             const RunHeader& header,
                             std::int64_t ranks)
    : impl_(std::make_unique<Impl>(file, header, ranks)) {}
RunFileWriter::~RunFileWriter() = default;
RunFileWriter::RunFileWriter(RunFileWriter&&) noexcept = default;
RunFileWriter& RunFileWriter::operator=(RunFileWriter&&) noexcept = default;

void RunFileWriter::write_settings(const std::string& requested,
                                   const std::string& resolved,
                                   const std::string& effective) {
  impl_->write_text("/settings/requested", requested);
  impl_->write_text("/settings/resolved", resolved);
  impl_->write_text("/settings/effective", effective);
}

void RunFileWriter::write_environment(const std::string& json) {
  impl_->write_text("/environment", json);
}

void RunFileWriter::append_steps(std::int64_t step_count, std::span<const StepRow> rows) {
  SCALESTUDY_EXPECT(step_count >= 0 && std::ssize(rows) == impl_->ranks * step_count);
  if (step_count > 0) impl_->frame.add_rows(rows);
}

template <class Row>
void RunFileWriter::append(std::span<const Row> rows) {
  impl_->frame.add_rows(rows);
}
template void RunFileWriter::append(std::span<const EpochRow>);
template void RunFileWriter::append(std::span<const EvaluationRow>);
template void RunFileWriter::append(std::span<const SampleRow>);
template void RunFileWriter::append(std::span<const BucketRow>);
template void RunFileWriter::append(std::span<const RankRow>);
template void RunFileWriter::append(std::span<const EventRow>);
template void RunFileWriter::append(std::span<const ProbeRow>);
template void RunFileWriter::append(std::span<const MonitorRow>);
template void RunFileWriter::append(std::span<const CollectiveRow>);

void RunFileWriter::write_panel(const Panel& panel) {
  SCALESTUDY_EXPECT(!panel.name.empty() && panel.name.find('/') == std::string::npos);
  SCALESTUDY_EXPECT(std::ssize(panel.pixels) == panel.height_px * panel.width_px);
  impl_->frame.add_panel(panel);
}

void RunFileWriter::write_summary(ColumnOf<SummaryRow> column, double value) {
  impl_->frame.add_summary(column, value);
}

void RunFileWriter::set_status(RunStatus status, const std::string& reason) {
  impl_->header.status = status;
  impl_->header.reason = reason;
  impl_->frame.add_header(impl_->header, impl_->ranks);
}

void RunFileWriter::add_validity_code(ValidityCode code) {
  add_code(impl_->header.validity_codes, code);
  impl_->frame.add_header(impl_->header, impl_->ranks);
}

void RunFileWriter::flush() {
  impl_->flush();
}

}  // namespace scalestudy
