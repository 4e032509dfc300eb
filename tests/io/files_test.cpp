// SPDX-License-Identifier: BSL-1.0
// Files as such: what is no regular file is refused at once, and what could not be written leaves the old file as it
// was.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <ashlar/tensor/tensor.hpp>

#include "io/file_builder.hpp"
#include "io/saved.hpp"

using namespace ashlar;
using test::message;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test.
struct files : testing::Test {
    fs::path folder = fs::path(testing::TempDir()) /
                      ("ashlar_files_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
                       std::to_string(::getpid()));
    std::string path = (folder / "weights.safetensors").string();
    tensor<float, 64, 64> weights = iota<float, 64, 64>();

    files() { fs::create_directories(folder); }
    ~files() override {
        fs::permissions(folder, fs::perms::owner_all);
        fs::remove_all(folder);
    }
    std::string content() const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
};

}  // namespace

TEST_F(files, what_is_no_regular_file_is_refused_at_once) {
    tensor<float, 4> x{};
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(message(io::load(x, path, "x")), path + ": the file cannot be read: a pipe, no regular file");
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_EQ(message(io::load(x, path, "x")), path + ": the file cannot be read: a directory, no regular file");
    EXPECT_EQ(message(io::load(x, "/dev/null", "x")), "/dev/null: the file cannot be read: a device, no regular file");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string place = (folder / "s").string();
    if (place.size() < sizeof address.sun_path) {
        place.copy(address.sun_path, place.size());
        const int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
        ASSERT_EQ(::bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(message(io::load(x, place, "x")), place + ": the file cannot be read: a socket, no regular file");
        ::close(handle);
    }
}

TEST_F(files, a_full_disk_leaves_the_old_file) {
    ASSERT_TRUE(io::save(weights, path, "w"));
    const std::string before = content();
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    weights = 1.0f;
    const io::result r = io::save(weights, path, "w");
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(message(r), path + ": the file cannot be written");
    EXPECT_EQ(content(), before);
    EXPECT_EQ(entries(), 1u);  // nothing is left beside it
    EXPECT_TRUE(io::save(weights, path, "w"));
    EXPECT_NE(content(), before);
}

TEST_F(files, a_folder_that_is_read_only_keeps_its_file) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
    ASSERT_TRUE(io::save(weights, path, "w"));
    const std::string before = content();
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    weights = 1.0f;
    EXPECT_EQ(io::save(weights, path, "w").error, io::error::cannot_open);
    EXPECT_EQ(content(), before);
}

TEST_F(files, permissions_and_symbolic_links_stay) {
    ASSERT_TRUE(io::save(weights, path, "w"));
    const auto mine = fs::perms::owner_read | fs::perms::owner_write;
    fs::permissions(path, mine);
    const fs::path link = folder / "link", to_nothing = folder / "to_nothing";
    fs::create_symlink("weights.safetensors", link);
    fs::create_symlink("made", to_nothing);
    weights = 1.0f;
    ASSERT_TRUE(io::save(weights, link.string(), "w"));
    ASSERT_TRUE(io::save(weights, to_nothing.string(), "w"));
    EXPECT_TRUE(fs::is_symlink(link) && fs::is_symlink(to_nothing) && fs::is_regular_file(folder / "made"));
    EXPECT_EQ(fs::status(path).permissions(), mine);
    tensor<float, 64, 64> read{};
    ASSERT_TRUE(io::load(read, path, "w"));
    EXPECT_EQ(read(63, 63), 1.0f);
    EXPECT_EQ(entries(), 4u);
}

TEST_F(files, without_a_folder_in_the_path) {
    const fs::path here = fs::current_path();
    fs::current_path(folder);
    EXPECT_TRUE(io::save(weights, "plain", "w"));
    EXPECT_TRUE(io::load(weights, "plain", "w"));
    fs::current_path(here);
    EXPECT_EQ(entries(), 1u);
}

// One array of a type that is not known does not keep the others from being read.
TEST(unknown_types, do_not_matter_where_they_are_not_used) {
    const auto file = test::safetensors({{"scale", "F8_E8M0", "3", "xyz"},
                                         {"small", "F4", "4", "xy"},
                                         {"eight", "F8_E5M2", "2", "xy"},
                                         {"w", "F32", "1", "four"}});
    tensor<float, 1> w{};
    const std::tuple one(io::named("w", w));
    EXPECT_EQ(message(io::load(one, file, {.ignore_unexpected = true})), "no error");
    EXPECT_EQ(io::load(one, file).error, io::error::unexpected);
    tensor<float, 3> scale{};
    EXPECT_EQ(message(io::load(scale, file, "scale")), "scale: not supported: an unknown element type, F8_E8M0");
    tensor<float, 2> eight{};
    EXPECT_EQ(message(io::load(eight, file, "eight")), "eight: the model needs F32, the file has F8_E5M2");
    // They must be inside the file like all others.
    const auto beyond = test::safetensors_of(R"({"x":{"dtype":"F4","shape":[9],"data_offsets":[0,5]}})", "four");
    io::archive archive;
    EXPECT_EQ(archive.open(beyond).error, io::error::truncated);
}

TEST(unknown_types, of_numpy) {
    const std::string known = test::npy("<f4", "(1,)", "four");
    const std::string list = "[('x', '<f4'), ('y]', '<i4', (2,))]";
    std::string fields = test::npy(std::string(list.size() - 2, '@'), "(1,)", "twelve bytes");
    fields.replace(fields.find("'@"), list.size(), list);
    for (const std::string& other :
         {test::npy("<U3", "(1,)", "twelve bytes"), test::npy("|O", "(2, 2)", "pickle"),
          test::npy("<M8[s]", "(1,)", "8 bytes."), test::npy("|V2", "(3,)", "bfloat"), fields}) {
        tensor<float, 1> x{};
        const auto file = test::zip({{"x.npy", known}, {"other.npy", other}});
        EXPECT_EQ(message(io::load(x, file, "x")), "no error");
        EXPECT_EQ(io::load(x, file, "other").error, io::error::unsupported);
    }
}
