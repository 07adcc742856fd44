#include "core/sha256.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

// The examples of FIPS 180-4 (NIST's "Examples with Intermediate Values").
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileLargerThanTheBuffer) {
  const auto file = std::filesystem::temp_directory_path() / cat("scalestudy-sha-", ::getpid());
  const std::string bytes(3'000'001, 'a');
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(sha256_of_file(file), sha256(bytes));
  std::filesystem::remove(file);
  EXPECT_THROW((void)sha256_of_file(file), BadInput);
}

// NIST's SHA256ShortMsg.rsp and the padding's edges: 55, 56, 63, 64 and 65 bytes.
TEST(Sha256, PaddingOfEveryLengthAroundABlock) {
  EXPECT_EQ(sha256("\xd3"), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
  EXPECT_EQ(sha256(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Sha256, ZeroBytesCount) {
  EXPECT_NE(sha256(std::string(1, '\0')), sha256(""));
  EXPECT_NE(sha256(std::string("a\0", 2)), sha256("a"));
}

}  // namespace
}  // namespace scalestudy
