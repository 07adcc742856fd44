#pragma once
/// How a file keeps the elements of a data set.

namespace scalestudy {

enum class Storage { float64, int64, text };

}  // namespace scalestudy
