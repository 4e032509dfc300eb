# SPDX-License-Identifier: BSL-1.0
"""Writes a header that puts the weights into the program, where the compiler checks them."""
HEADER = """// SPDX-License-Identifier: 0BSD
// The weights of {name} as a part of the program. The compiler checks them.
#pragma once

#include "{name}.hpp"

#include <ashlar/io/embedded.hpp>

namespace imported {{

/// The bytes of {name}.safetensors. With #embed, that file itself can stand here.
alignas(64) inline constexpr unsigned char {name}_file[]{{
#include "{name}.safetensors.inc"
}};

/// Fills a model. Nothing can fail.
inline void load({name}& model) noexcept {{ io::load(model, io::embedded<{name}_file>); }}

}}  // namespace imported
"""


def write_embedded(folder, name):
    """Returns the paths of the two files: the header, and the bytes of the weights as numbers."""
    header, numbers = folder / f"{name}_weights.hpp", folder / f"{name}.safetensors.inc"
    content = (folder / f"{name}.safetensors").read_bytes()
    numbers.write_text("".join(",".join(map(str, content[i:i + 20])) + ",\n" for i in range(0, len(content), 20)))
    header.write_text(HEADER.format(name=name))
    return [header, numbers]
