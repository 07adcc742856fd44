#include "record/machine/host_facts.hpp"

#include "core/hash.hpp"
#include "core/text.hpp"

namespace scalestudy {

std::string HostFacts::text() const {
  auto text =
      cat(cpu_model, " (machine ", machine, "), ", cores, " cores, environment ", environment);
  for (const auto& [name, value] : variables) text += cat(", ", name, "=", value);
  return text;
}

std::string HostFacts::fingerprint() const {
  return hex64(mix64(fnv1a(text())));
}

}  // namespace scalestudy
