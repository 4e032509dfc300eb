// SPDX-License-Identifier: BSL-1.0
// NumPy's .npz: a ZIP archive of .npy files, stored without compression (np.savez).
// Format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/crc32.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/formats/npy.hpp>
#include <ashlar/io/formats/stored_array.hpp>

namespace ashlar::inline v0_1::detail {

/// Reads the central directory. As in other ZIP readers, only it is valid: bytes outside it and its members are
/// ignored. Archives of 4 GiB, of 65,535 members or of several disks are not supported.
template <class Config>
class npz_reader {
public:
    explicit npz_reader(io::bytes archive) noexcept : file(archive) {}

    io::result read(archive_index& index) noexcept {
        io::result r = find_directory();
        if (!r) return r;
        std::size_t count = 0;
        r = for_each_member([&](const member&) {
            ++count;
            return io::result{};
        });
        if (!r) return r;
        if (!index.arrays.allocate(count)) return io_error<Config>(io::error::out_of_memory);
        r = check_overlap(count);
        std::size_t i = 0;
        if (r) r = for_each_member([&](const member& m) { return read_member(m, index.arrays[i++]); });
        if (r) r = sort_by_name<Config>(index);
        return r;
    }

private:
    static constexpr std::size_t end_bytes = 22, entry_bytes = 46, local_bytes = 30;

    io::bytes file;
    std::size_t directory = 0, directory_end = 0, members = 0;

    struct member {
        std::string_view name;
        std::uint64_t flags, method, crc, compressed, size, local;
    };

    template <std::size_t Bytes>
    std::uint64_t number(std::size_t at) const noexcept {
        return little_endian<Bytes, Config>(file, at);
    }
    static io::result malformed(std::size_t at, const char* why) noexcept {
        return io_error_at<Config>(io::error::malformed_header, at, why);
    }
    static io::result unsupported(std::string_view name, const char* why) noexcept {
        io::result r = io_error<Config>(io::error::unsupported, name);
        r.reason = why;
        return r;
    }

    /// The end record is the last 22 bytes, or comes before a comment of at most 65,535 bytes at the end.
    io::result find_directory() noexcept {
        if (file.size() < end_bytes) return io_truncated<Config>(end_bytes, file.size());
        const std::size_t last = file.size() - end_bytes, first = last > 0xffff ? last - 0xffff : 0;
        for (std::size_t at = last + 1; at-- > first;) {
            if (number<4>(at) != 0x06054b50 || number<2>(at + 20) != last - at) continue;
            if (number<2>(at + 4) != 0 || number<2>(at + 6) != 0 || number<2>(at + 8) != number<2>(at + 10))
                return unsupported({}, "a ZIP archive of several parts");
            members = static_cast<std::size_t>(number<2>(at + 10));
            const std::uint64_t bytes = number<4>(at + 12), begin = number<4>(at + 16);
            if (members == 0xffff || bytes == 0xffffffff || begin == 0xffffffff)
                return unsupported({}, "a ZIP archive of 4 GiB or 65,535 members and more");
            if (begin + bytes != at) return malformed(at, "the directory of the ZIP archive is not where it should be");
            directory = static_cast<std::size_t>(begin);
            directory_end = at;
            return {};
        }
        return malformed(file.size(), "the ZIP archive has no directory, it may be truncated");
    }

    template <class Function>
    io::result for_each_member(Function&& f) noexcept {
        std::size_t at = directory;
        for (std::size_t i = 0; i < members; ++i) {
            if (directory_end - at < entry_bytes || number<4>(at) != 0x02014b50)
                return malformed(at, "an entry of the ZIP directory is broken");
            const auto name = static_cast<std::size_t>(number<2>(at + 28));
            const std::size_t all =
                entry_bytes + name + static_cast<std::size_t>(number<2>(at + 30) + number<2>(at + 32));
            if (directory_end - at < all) return malformed(at, "an entry of the ZIP directory is broken");
            const io::result r =
                f(member{text_of<Config>(file).substr(at + entry_bytes, name), number<2>(at + 8), number<2>(at + 10),
                         number<4>(at + 16), number<4>(at + 20), number<4>(at + 24), number<4>(at + 42)});
            if (!r) return r;
            at += all;
        }
        if (at != directory_end) return malformed(at, "the ZIP directory has more entries than it says");
        return {};
    }

    /// Finds the end of a member's local header, which has its own lengths of name and extra field.
    io::result locate(const member& m, std::size_t& data) const noexcept {
        if (m.local > directory || directory - m.local < local_bytes ||
            number<4>(static_cast<std::size_t>(m.local)) != 0x04034b50)
            return malformed(static_cast<std::size_t>(m.local), "a member of the ZIP archive has no header");
        const auto local = static_cast<std::size_t>(m.local);
        const std::size_t header =
            local_bytes + static_cast<std::size_t>(number<2>(local + 26) + number<2>(local + 28));
        if (directory - local < header || directory - local - header < m.compressed) {
            io::result r = io_truncated<Config>(m.local + header + m.compressed, directory);
            r.name = printable_name<Config>(m.name);
            return r;
        }
        data = local + header;
        return {};
    }

    /// Checked before members are read: many entries for the same bytes would take unbounded time.
    io::result check_overlap(std::size_t count) noexcept {
        struct range {
            std::size_t begin, end;
            std::string_view name;
        };
        owned_array<range> ranges;
        if (!ranges.allocate(count)) return io_error<Config>(io::error::out_of_memory);
        std::size_t i = 0;
        const io::result r = for_each_member([&](const member& m) {
            std::size_t data = 0;
            const io::result located = locate(m, data);
            if (located)
                ranges[i++] = {static_cast<std::size_t>(m.local), data + static_cast<std::size_t>(m.compressed),
                               m.name};
            return located;
        });
        if (!r) return r;
        std::sort(ranges.begin(), ranges.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
        for (i = 1; i < count; ++i)
            if (ranges[i].begin < ranges[i - 1].end) {
                io::result shared = io_error<Config>(io::error::overlapping, ranges[i].name);
                shared.other = printable_name<Config>(ranges[i - 1].name);
                return shared;
            }
        return {};
    }

    io::result read_member(const member& m, io::stored_array& out) noexcept {
        if ((m.flags & 1) != 0) return unsupported(m.name, "an encrypted member of a ZIP archive");
        if (m.name.ends_with("/data.pkl"))
            return unsupported(m.name, "a file of torch.save; save it as safetensors, by tools/export_pytorch.py");
        if (m.method != 0) return unsupported(m.name, "a compressed member of a ZIP archive; save it with numpy.savez");
        if (m.compressed != m.size) return malformed(directory, "a stored member of the ZIP archive has two sizes");
        if (!m.name.ends_with(".npy")) return unsupported(m.name, "a member of a ZIP archive that is no .npy file");
        std::size_t data = 0;
        io::result r = locate(m, data);
        if (!r) return r;
        out.name = m.name.substr(0, m.name.size() - 4);
        const io::bytes npy = file.subspan(data, static_cast<std::size_t>(m.size));
        if (crc32<Config>(npy) != m.crc) return io_error<Config>(io::error::checksum, out.name);
        r = read_npy<Config>(npy, data, out);
        if (!r && r.name.empty()) r.name = printable_name<Config>(out.name);
        return r;
    }
};

/// Indexes a .npz file.
template <class Config>
io::result index_npz(io::bytes file, archive_index& index) noexcept {
    return npz_reader<Config>(file).read(index);
}

}  // namespace ashlar::detail
