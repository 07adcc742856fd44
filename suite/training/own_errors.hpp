#pragma once
/// LibTorch's errors as ours.

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <c10/util/Exception.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

/// Calls `action`; what LibTorch throws leaves as an error of ours, or as std::bad_alloc.
template <class Action>
auto with_own_errors(Action action) {
  try {
    return action();
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw std::bad_alloc();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    // What LibTorch's CPU allocator says; it has no type of its own.
    if (text.find("can't allocate memory") != std::string::npos) throw std::bad_alloc();
    throw InternalError({cat("LibTorch failed: ", text), "no result of it can be trusted",
                         "Please report it with the study that led here"});
  } catch (const std::exception& error) {
    // dnnl::error has no header here; the status it hides is hardly ever another one.
    if (!std::string_view(error.what()).starts_with("could not ")) throw;
    throw RunFailed({cat("oneDNN failed: ", error.what()), "memory is short, most likely",
                     "Use a smaller batch or patch"});
  }
}

}  // namespace scalestudy
