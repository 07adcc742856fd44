#pragma once
/// Files come from anywhere, and HDF5 follows what they say: links and data sets may lie in other
/// files of whoever reads them, and a filter may make gigabytes of a few bytes.

#include "hdf5/hdf5.hpp"

namespace scalestudy::hdf5 {

/// Errors: Failure naming a soft or external link, a data set with external or virtual storage or
/// with a filter, or an object that is neither group nor data set. None of them is followed.
void require_self_contained(const File& file);

}  // namespace scalestudy::hdf5
