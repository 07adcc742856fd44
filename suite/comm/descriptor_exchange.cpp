#include "comm/descriptor_exchange.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Names that start with a zero byte are in no folder.
struct Address {
  sockaddr_un bytes{};
  socklen_t size = 0;

  explicit Address(const std::string& name) {
    bytes.sun_family = AF_UNIX;
    const auto length = std::min(name.size(), sizeof bytes.sun_path - 1);
    std::memcpy(bytes.sun_path + 1, name.data(), length);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

Descriptor make_socket() {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket) return socket;
  throw RunFailed({cat("a local socket could not be made: ", std::strerror(errno)),
                   "the ranks find their shared memory by it", "See: ulimit -n"});
}

/// Anybody on the host may know the name.
bool is_of_this_user(const Descriptor& connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

/// One byte that carries a descriptor.
struct Parcel {
  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};

  Parcel() {
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
};

bool send_descriptor(const Descriptor& connection, int descriptor) {
  Parcel parcel;
  cmsghdr* const part = CMSG_FIRSTHDR(&parcel.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  return ::sendmsg(connection.get(), &parcel.header, MSG_NOSIGNAL) == 1;
}

}  // namespace

DescriptorGiver::DescriptorGiver(const std::string& name) : socket_(make_socket()) {
  const Address address(name);
  if (::bind(socket_.get(), address.get(), address.size) == 0 &&
      ::listen(socket_.get(), SOMAXCONN) == 0)
    return;
  const bool taken = errno == EADDRINUSE;
  throw RunFailed({taken ? "rank 0 was started twice"
                         : cat("the socket of rank 0 could not be opened: ", std::strerror(errno)),
                   "the other ranks ask one process for the shared memory",
                   "Give every job a key of its own and every process a rank of its own"});
}

void DescriptorGiver::give(int descriptor, Seconds wait) {
  pollfd request{socket_.get(), POLLIN, 0};
  ::poll(&request, 1, static_cast<int>(wait.count() * 1000));
  while (true) {
    Descriptor taker(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!taker) return;
    if (is_of_this_user(taker) && send_descriptor(taker, descriptor))
      takers_.push_back(std::move(taker));
  }
}

std::optional<Descriptor> DescriptorTaker::take() {
  if (!connection_) {
    const Address address(name_);
    auto socket = make_socket();
    if (::connect(socket.get(), address.get(), address.size) != 0) return {};
    if (!is_of_this_user(socket)) return {};
    connection_ = std::move(socket);
  }
  Parcel parcel;
  const auto count = ::recvmsg(connection_.get(), &parcel.header, MSG_CMSG_CLOEXEC);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) connection_.reset();
  const cmsghdr* const part = count == 1 ? CMSG_FIRSTHDR(&parcel.header) : nullptr;
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return {};
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  return Descriptor(descriptor);
}

bool DescriptorTaker::giver_is_gone() const {
  char byte = 0;
  return ::recv(connection_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace scalestudy
