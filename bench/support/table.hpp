// SPDX-License-Identifier: BSL-1.0
// The measurements as a table in Markdown.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "measure.hpp"

namespace ashlar::bench {

/// A time with three digits and a unit.
inline std::string time_text(double ns) {
    const char* const units[] = {"ns", "µs", "ms", "s"};
    std::size_t unit = 0;
    while (ns >= 999.5 && unit < 3) ns /= 1000, ++unit;
    char text[32];
    std::snprintf(text, sizeof text, ns < 9.995 ? "%.2f %s" : ns < 99.95 ? "%.1f %s" : "%.0f %s", ns, units[unit]);
    return text;
}

/// A cell with a percentage, empty if there is none.
inline void write_share(std::FILE* file, double share) {
    share > 0 ? std::fprintf(file, " %.1f%% |", 100 * share) : std::fprintf(file, " |");
}

/// Writes one row per case: our time, its share of the peak or of the streaming bound, cycles for short calls, and how
/// many times as long each peer takes. An empty cell: the peer does not offer the case. A tilde: no turn was
/// uninterrupted.
inline bool write_table(const std::string& path, const std::vector<measurement>& results,
                        const std::vector<peer>& peers, const std::string& heading) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file) return false;
    std::fprintf(file, "%s\n\n| case | ashlar | cycles | share of peak | share of bandwidth |", heading.c_str());
    for (std::size_t p = 1; p < peers.size(); ++p)
        std::fprintf(file, " %.*s |", static_cast<int>(peers[p].name.size()), peers[p].name.data());
    std::fprintf(file, "\n|---|---:|---:|---:|---:|");
    for (std::size_t p = 1; p < peers.size(); ++p) std::fprintf(file, "---:|");
    std::fprintf(file, "\n");
    for (const measurement& m : results) {
        const std::string_view name = cases[m.case_index].name;
        std::fprintf(file, "| %.*s |", static_cast<int>(name.size()), name.data());
        const auto of = [&](std::string_view wanted) -> const timing* {
            for (const timing& t : m.timings)
                if (t.name == wanted) return &t;
            return nullptr;
        };
        const timing* const ours = of(peers[0].name);
        if (!ours || !ours->right) {
            std::fprintf(file, " %s | | | |", ours ? "wrong" : "");
        } else {
            std::fprintf(file, " %s%s |", ours->interrupted ? "~" : "", time_text(ours->ns).c_str());
            ours->ns < 20000 ? std::fprintf(file, " %.0f |", m.cycles(*ours)) : std::fprintf(file, " |");
            write_share(file, m.what().streams() ? 0 : m.share_of_peak(*ours));
            write_share(file, m.share_of_stream(*ours));
        }
        for (std::size_t p = 1; p < peers.size(); ++p) {
            const timing* const t = of(peers[p].name);
            if (!t)
                std::fprintf(file, " |");
            else if (!t->right)
                std::fprintf(file, " wrong |");
            else if (ours && ours->right)
                std::fprintf(file, " %s%.2f× |", t->interrupted || ours->interrupted ? "~" : "", t->ns / ours->ns);
            else
                std::fprintf(file, " %s |", time_text(t->ns).c_str());
        }
        std::fprintf(file, "\n");
    }
    return std::fclose(file) == 0;
}

}  // namespace ashlar::bench
