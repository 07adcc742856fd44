#pragma once
/// What the driver asks ranks at work for. mpirun passes both on at once; SIGTERM it holds back for
/// a second and follows with SIGKILL after another one.

#include <csignal>

namespace scalestudy {

inline constexpr int checkpoint_signal = SIGUSR1;          ///< a checkpoint, and training goes on
inline constexpr int checkpoint_and_end_signal = SIGUSR2;  ///< a checkpoint, and training ends

}  // namespace scalestudy
