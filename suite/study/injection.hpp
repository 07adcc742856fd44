#pragma once
/// Faults and slowness on purpose: to see what they do to a run, and whether what is recorded shows
/// them. A run with any is labelled `injected` and compared only with runs injected alike.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hpp"

#include "study/fields.hpp"

namespace scalestudy {

/// What can be injected. A row is written as its name says: a word in capitals stands for a value
/// (the table of words is in injection.cpp), what is in brackets may be left out. Parser, schema,
/// help and listing follow from it.
enum class Fault {
  slow_rank,
  slow_link,
  slow_input,
  slow_optimizer,
  jitter,
  burst,
  nan,
  kill,
  stop,
  oom
};
template <>
inline constexpr auto choices<Fault> = std::array{
    Choice{Fault::slow_rank, "slow-rank=RANK:FACTOR",
           "rank RANK computes FACTOR as long, forward and backward"},
    Choice{Fault::slow_link, "slow-link=RATE",
           "a collective that moves gradients ends no earlier than at RATE from when the last rank "
           "came"},
    Choice{Fault::slow_input, "slow-input=TIME[:rank=RANK]",
           "making a sample takes at least TIME, by waiting, as settings.input.sample_cost_s"},
    Choice{Fault::slow_optimizer, "slow-optimizer=TIME[:rank=RANK]",
           "each update of the weights takes TIME longer"},
    Choice{Fault::jitter, "jitter=SPREAD",
           "each rank computes longer by a random part of each step, half-normal with standard "
           "deviation SPREAD"},
    Choice{Fault::burst, "burst=TIME@START:FACTOR",
           "from START of training on, steps that begin within TIME compute FACTOR as long on all "
           "ranks"},
    Choice{Fault::nan, "nan@step=STEP[:rank=RANK]", "after STEP steps the loss is NaN, once"},
    Choice{Fault::kill, "kill@step=STEP[:rank=RANK]",
           "after STEP steps the process gets SIGKILL, once"},
    Choice{Fault::stop, "stop@step=STEP[:rank=RANK]",
           "after STEP steps the process gets SIGSTOP, once"},
    Choice{Fault::oom, "oom@step=STEP[:rank=RANK]", "after STEP steps an allocation fails, once"}};

/// In the first attempt of a run only: one that is resumed or restarted goes on.
[[nodiscard]] bool happens_once(Fault fault);

/// One that was asked for; the members that its row has no word for keep their defaults.
struct Injection {
  Fault fault = Fault::slow_rank;
  std::optional<std::int64_t> rank;  ///< none: all ranks; of what happens once the last rank
  double factor = 1;
  double time_s = 0;
  double start_s = 0;  ///< after the training clock's start
  double rate_bytes_per_s = 0;
  double spread_frac = 0;
  std::int64_t step = 0;  ///< steps done before: the index in /steps

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// "slow-rank".
[[nodiscard]] std::string_view name_of(Fault fault);

/// "slow-rank=3:1.2x".
[[nodiscard]] std::string example_of(Fault fault);

/// "slow-rank=RANK:FACTOR, slow-link=RATE, …".
[[nodiscard]] std::string all_syntaxes();

/// As it is written; equal injections are written alike: "slow-link=200MB/s".
[[nodiscard]] std::string to_text(const Injection& injection);
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Injection>& injections);

/// "rank 3 computes 1.2x as long, forward and backward".
[[nodiscard]] std::string meaning_of(const Injection& injection);

/// Errors: BadInput naming `json_path` for one that is not in the table, is written otherwise, has
/// a value without unit or out of range, or says what another one says for the same rank.
[[nodiscard]] std::vector<Injection> injections_from(const std::vector<std::string>& texts,
                                                     const std::string& json_path);

/// The field "injections": a list of texts.
void visit(FieldVisitor& visitor, std::vector<Injection>& injections);

}  // namespace scalestudy
