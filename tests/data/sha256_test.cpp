#include "data/sha256.hpp"

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

}  // namespace
}  // namespace scalestudy
