#pragma once
/// How long work on data tells how far it is.

#include <cstdint>
#include <functional>
#include <string_view>

namespace scalestudy {

/// Told after each sample or slice: what is done with it ("packed", "read back"), and how many of
/// how many. May throw to stop the work.
using WorkProgress =
    std::function<void(std::string_view verb, std::int64_t done, std::int64_t total)>;

}  // namespace scalestudy
