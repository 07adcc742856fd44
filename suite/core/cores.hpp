#pragma once
/// Which cores threads run on. A core here is a hardware thread, by the kernel's number.

#include <string>
#include <vector>

namespace scalestudy {

/// Those that the calling thread may run on, ascending; empty where the kernel does not tell.
/// Local.
[[nodiscard]] std::vector<int> allowed_cores();

/// From now on the calling thread, and whatever it starts, runs on these only. Local. Errors:
/// Unavailable where the kernel allows none of them.
void keep_thread_on(const std::vector<int>& cores);

/// "0-3,6"; "unknown" for none.
[[nodiscard]] std::string to_text(const std::vector<int>& cores);

}  // namespace scalestudy
