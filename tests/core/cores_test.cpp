#include "core/cores.hpp"

#include <thread>

#include <gmock/gmock.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

TEST(Cores, AThreadAndThoseItStartsStayWhereTheyAreKept) {
  const auto before = allowed_cores();
  ASSERT_FALSE(before.empty());
  const std::vector<int> last{before.back()};
  std::vector<int> kept, started;
  std::thread([&] {
    keep_thread_on(last);
    kept = allowed_cores();
    std::thread([&] { started = allowed_cores(); }).join();
  }).join();
  EXPECT_EQ(kept, last);
  EXPECT_EQ(started, last);
  EXPECT_EQ(allowed_cores(), before) << "others stay where they were";
}

TEST(Cores, ACoreThatIsNotThereIsAnError) {
  EXPECT_THAT(message_of<Unavailable>([] { keep_thread_on({16'000}); }),
              testing::HasSubstr("core 16000"));
}

TEST(Cores, ReadAsRanges) {
  EXPECT_EQ(to_text({}), "unknown");
  EXPECT_EQ(to_text({3}), "3");
  EXPECT_EQ(to_text({0, 1, 2, 4, 6, 7}), "0-2,4,6-7");
}

}  // namespace
}  // namespace scalestudy
