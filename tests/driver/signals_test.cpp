#include "driver/terminal/signals.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalestudy {
namespace {

TEST(SignalQueue, CountsInterruptionsInsteadOfDying) {
  SignalQueue signals;
  EXPECT_EQ(signals.interruptions(), 0);
  ::kill(::getpid(), SIGINT);
  ::kill(::getpid(), SIGTERM);
  signals.wait(Seconds(5));
  EXPECT_EQ(signals.interruptions(), 2);
}

TEST(SignalQueue, AnEndedChildWakesItWithoutInterrupting) {
  SignalQueue signals;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  const Stopwatch since;
  signals.wait(Seconds(30));
  EXPECT_LT(since.elapsed_s(), 25);
  EXPECT_EQ(signals.interruptions(), 0);
  ::waitpid(child, nullptr, 0);
}

TEST(EarlyInterruption, EndsTheProcessAsInterrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const EarlyInterruption early;
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
}

TEST(EarlyInterruption, LeavesSignalsAsTheyWere) {
  { const EarlyInterruption early; }
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(SignalQueue, WhatWasIgnoredStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  {
    SignalQueue signals;
    ::kill(::getpid(), SIGHUP);
    signals.wait(Seconds(0));
    EXPECT_EQ(signals.interruptions(), 0);
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(SignalQueue, RestoresTheMask) {
  sigset_t before;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  {
    const SignalQueue signals;
    sigset_t during;
    sigprocmask(SIG_SETMASK, nullptr, &during);
    EXPECT_EQ(sigismember(&during, SIGINT), 1);
  }
  sigset_t after;
  sigprocmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

}  // namespace
}  // namespace scalestudy
