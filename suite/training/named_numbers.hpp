#pragma once
/// What a schedule or an optimiser remembers besides tensors, by name: what a checkpoint keeps.

#include <map>
#include <string>

namespace scalestudy {

using NamedNumbers = std::map<std::string, double>;

}  // namespace scalestudy
