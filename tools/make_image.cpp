// SPDX-License-Identifier: BSL-1.0
// Makes a model image of a weight file, as a file of its own or as source for read-only memory, or the bytes of the
// weight file as source.
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tools/image_maker.hpp>

#include <ashlar/io/files/replaced_file.hpp>

namespace {

constexpr const char* help = R"(usage: make_image --layout <file> --weights <file> [option...]

  --layout <file>        what io::save_layout<model>(file) wrote
  --weights <file>       safetensors or .npz
  --image <file>         write an image: mapped or read, it is used by io::view_image
  --header <file>        write a C++ header with the image as a constant array
  --assembly <file>      write assembler source (GNU as, ELF) with the image in .rodata; for more than a few 100 KiB
  --numbers <file>       write the bytes of the weight file as numbers, for an array that #include fills
                         (ashlar/io/embedded.hpp); this alone needs no layout
  --name <identifier>    of the array: model_image unless given
  --names <map>          pytorch (unless given), bert, distilbert, vit, llama, gpt2, bart, moonshine, t5, or a file with
                         lines "model-name file-name [T]"
  --prefix <text>        put before every name in the file
  --ignore-unexpected    the file may have arrays that the model does not know
)";

struct arguments {
    std::string layout, weights, image, header, assembly, numbers, name = "model_image", names = "pytorch", prefix;
    bool ignore_unexpected = false, help = false;
};

/// Reads the command line; an error is a sentence, and empty if there is none.
std::string read_arguments(int count, char** values, arguments& out) {
    const std::array<std::pair<std::string_view, std::string arguments::*>, 9> options{
        {{"--layout", &arguments::layout},
         {"--weights", &arguments::weights},
         {"--image", &arguments::image},
         {"--header", &arguments::header},
         {"--assembly", &arguments::assembly},
         {"--numbers", &arguments::numbers},
         {"--name", &arguments::name},
         {"--names", &arguments::names},
         {"--prefix", &arguments::prefix}}};
    for (int i = 1; i < count; ++i) {
        const std::string_view given = values[i];
        bool known = false;
        for (const auto& [option, member] : options) {
            if (given != option) continue;
            if (i + 1 == count) return std::string(given) + " needs a value";
            out.*member = values[++i];
            known = true;
        }
        if (given == "--ignore-unexpected") out.ignore_unexpected = known = true;
        if (given == "--help") out.help = known = true;
        if (!known) return "unknown argument: " + std::string(given);
    }
    if (out.help) return {};
    if (out.weights.empty()) return "--weights is needed";
    const bool has_image = !out.image.empty() || !out.header.empty() || !out.assembly.empty();
    if (!has_image && out.numbers.empty()) return "nothing to write: --image, --header, --assembly or --numbers";
    if (has_image && out.layout.empty()) return "an image needs --layout";
    bool is_identifier = !out.name.empty() && std::isdigit(static_cast<unsigned char>(out.name[0])) == 0;
    for (const char c : out.name)
        is_identifier = is_identifier && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    return is_identifier ? std::string() : "no identifier: " + out.name;
}

bool read_text(const std::string& path, std::string& out) {
    std::ifstream file(path, std::ios::binary);
    out.assign(std::istreambuf_iterator<char>(file), {});
    return !file.fail() || file.eof();
}

/// A table of rules, with the texts that they point to.
struct name_table {
    std::vector<std::array<std::string, 3>> texts;
    std::vector<ashlar::io::name_rule> rules;
};

std::string read_names(const std::string& map, name_table& out) {
    const auto use = [&](ashlar::io::name_map rules) { out.rules.assign(rules.begin(), rules.end()); };
    if (map == "pytorch") return {};
    if (map == "bert") return use(ashlar::io::bert_names), std::string();
    if (map == "llama") return use(ashlar::io::llama_names), std::string();
    if (map == "gpt2") return use(ashlar::io::gpt2_names), std::string();
    if (map == "distilbert") return use(ashlar::io::distilbert_names), std::string();
    if (map == "vit") return use(ashlar::io::vit_names), std::string();
    if (map == "bart") return use(ashlar::io::bart_names), std::string();
    if (map == "moonshine") return use(ashlar::io::moonshine_names), std::string();
    if (map == "t5") return use(ashlar::io::t5_names), std::string();
    std::ifstream file(map);
    if (!file) return "no name map, and no file that can be read: " + map;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::array<std::string, 3> rule;
        if (!(words >> rule[0]) || rule[0][0] == '#') continue;
        if (!(words >> rule[1]) || (words >> rule[2] && rule[2] != "T")) return "a wrong line of " + map + ": " + line;
        out.texts.push_back(rule);
    }
    for (const auto& rule : out.texts) out.rules.push_back({rule[0], rule[1], rule[2] == "T"});
    return {};
}

int fail(const std::string& why) {
    std::cerr << "make_image: " << why << '\n';
    return 1;
}

/// Writes a file by a function of a stream; a file that was there stays as it is where not everything could be written.
template <class F>
bool write(const std::string& path, F&& put) {
    std::ostringstream text;
    put(text);
    const std::string content = std::move(text).str();
    ashlar::detail::replaced_file file;
    if (!file.open<ashlar::current_config>(path.c_str())) return false;
    const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
    return file.commit<ashlar::current_config>(written).ok();
}

}  // namespace

int main(int count, char** values) {
    arguments given;
    if (const std::string wrong = read_arguments(count, values, given); !wrong.empty())
        return fail(wrong + "\n\n" + help);
    if (given.help) {
        std::cout << help;
        return 0;
    }
    if (!given.numbers.empty()) {
        ashlar::detail::source_bytes weights;
        if (const ashlar::io::result r = weights.open(given.weights); !r) return fail(r.message().c_str());
        const std::vector<std::byte> bytes(weights.content().begin(), weights.content().end());
        if (!write(given.numbers, [&](std::ostream& out) { image_tool::put_bytes(out, "", bytes, ",\n"); }))
            return fail("cannot write " + given.numbers);
        if (given.layout.empty()) return 0;
    }
    std::string text;
    if (!read_text(given.layout, text)) return fail("the layout cannot be read: " + given.layout);
    image_tool::layout layout;
    if (const std::string wrong = image_tool::read_layout(text, layout); !wrong.empty())
        return fail(given.layout + ": " + wrong);
    name_table names;
    if (const std::string wrong = read_names(given.names, names); !wrong.empty()) return fail(wrong);
    std::vector<std::byte> image;
    const ashlar::io::result r = image_tool::make_image(
        layout, given.weights, names.rules, {.prefix = given.prefix, .ignore_unexpected = given.ignore_unexpected},
        image, [](const ashlar::io::quantization_error& e) {
            std::cout << e.name << ": " << e.rows << " x " << e.columns << " in 8 bits, off by " << 100 * e.relative
                      << "% and at most " << e.greatest << '\n';
        });
    if (!r) return fail(given.weights + ": " + r.message().c_str());

    const auto put_raw = [&](std::ostream& out) {
        out.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
    };
    if (!given.image.empty() && !write(given.image, put_raw)) return fail("cannot write " + given.image);
    if (!given.header.empty() &&
        !write(given.header, [&](std::ostream& out) { image_tool::put_header(out, given.name, image); }))
        return fail("cannot write " + given.header);
    if (!given.assembly.empty() &&
        !write(given.assembly, [&](std::ostream& out) { image_tool::put_assembly(out, given.name, image); }))
        return fail("cannot write " + given.assembly);
    std::cout << layout.arrays.size() << " arrays, " << image.size() << " bytes\n";
    return 0;
}
