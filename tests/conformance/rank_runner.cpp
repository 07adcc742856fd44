#include "conformance/rank_runner.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "core/text.hpp"

#include "comm/rendezvous.hpp"

namespace scalestudy {

namespace {

template <class Body>
std::string guarded(const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return cat("exception: ", error.what());
  }
}

std::vector<std::string> run_threads(WorldSize world_size, Seconds deadline, const RankBody& body) {
  const auto comms = make_thread_ranks(world_size, deadline);
  std::vector<std::string> reports(comms.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < comms.size(); ++i) {
    threads.emplace_back([&, i] { reports[i] = guarded([&] { return body(comms[i]); }); });
  }
  for (std::thread& thread : threads) thread.join();
  return reports;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(descriptor);
  return text;
}

struct Child {
  pid_t process;
  int report;
};

Child start(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t process = ::fork();
  if (process != 0) {
    ::close(ends[1]);
    return {process, ends[0]};
  }
  ::close(ends[0]);
  const std::string report = guarded(body);
  const bool is_written =
      ::write(ends[1], report.data(), report.size()) == static_cast<ssize_t>(report.size());
  ::_exit(is_written ? 0 : 1);
}

std::string collect(const Child& child) {
  const std::string report = read_all(child.report);
  int status = 0;
  ::waitpid(child.process, &status, 0);
  if (WIFSIGNALED(status)) return cat("killed by signal ", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return cat("exit code ", WEXITSTATUS(status), "; ", report);
  return report;
}

}  // namespace

std::vector<std::string> run_processes(int count,
                                       const std::function<std::string(int index)>& body) {
  std::vector<Child> children;
  for (int index = 0; index < count; ++index) {
    children.push_back(start([&] { return body(index); }));
  }
  std::vector<std::string> reports;
  for (const Child& child : children) reports.push_back(collect(child));
  return reports;
}

std::vector<std::string> run_ranks(CommunicatorKind back_end,
                                   WorldSize world_size,
                                   Seconds deadline,
                                   const RankBody& body) {
  if (back_end == CommunicatorKind::threads) return run_threads(world_size, deadline, body);
  const std::string key = unique_key();
  return run_processes(static_cast<int>(world_size.value()), [&](int index) {
    const Rendezvous place{Rank(index), world_size, Rank(index), key, "the test", nullptr};
    return body(make_communicator(back_end, place, deadline));
  });
}

std::string unique_key() {
  static std::atomic<int> counter{0};
  return cat("test-", ::getpid(), "-", counter++);
}

}  // namespace scalestudy
