#include "analysis/published/published.hpp"

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::array fields{
    PublishedField{"training_time_s", &PublishedRun::training_time_s, "s",
                   "Training, without starting the job"},
    PublishedField{"launch_wall_time_s", &PublishedRun::launch_wall_time_s, "s",
                   "The whole job, as a shell measures it"},
    PublishedField{"relative_time_frac", &PublishedRun::relative_time_frac, "1",
                   "Time ÷ that of the arm's fewest ranks, where no seconds are published"},
    PublishedField{"cpu_time_s", &PublishedRun::cpu_time_s, "s", "User and system time"},
    PublishedField{"samples_per_s", &PublishedRun::samples_per_s, "samples/s",
                   "Steady rate of all ranks together"},
    PublishedField{"first_epoch_s", &PublishedRun::first_epoch_s, "s", "The first epoch"},
    PublishedField{"median_epoch_s", &PublishedRun::median_epoch_s, "s",
                   "Median over all epochs but the first"},
    PublishedField{"epochs", &PublishedRun::epochs, "1", "Epochs trained"},
    PublishedField{"samples_per_epoch", &PublishedRun::samples_per_epoch, "samples",
                   "Samples trained on in an epoch, what is dropped not counted"},
    PublishedField{"global_batch_size", &PublishedRun::global_batch_size, "samples",
                   "Samples of all ranks in one step"},
    PublishedField{"quality", &PublishedRun::quality, "1", "What quality_metric says", true},
    PublishedField{"evaluated_sample_count", &PublishedRun::evaluated_sample_count, "samples",
                   "How many samples the quality was judged on"},
    PublishedField{"final_loss", &PublishedRun::final_loss, "1", "Training loss of the last epoch",
                   true}};

}  // namespace

std::span<const PublishedField> published_fields() {
  return fields;
}

std::string source_of(const PublishedStudy& study) {
  return study.commit.empty() ? study.repository : cat(study.repository, " @ ", study.commit);
}

std::string published_name_from(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string name;
  for (const char c : in_lower_case(std::string(text.substr(0, longest))))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  if (name.ends_with('-')) name.pop_back();
  return name;
}

bool is_published_study(const fs::path& file) {
  return start_of_file(file, 200).find("\"scalestudy published study\"") != std::string::npos;
}

std::vector<fs::path> published_files(const fs::path& folder) {
  auto files = entries_in(folder);
  std::erase_if(files, [&](const fs::path& file) {
    return file.extension() != ".json" || !is_inside(folder, file) || !is_published_study(file);
  });
  return files;
}

}  // namespace scalestudy
