// SPDX-License-Identifier: BSL-1.0
// Weight files and model images: loading, saving, and using models where their bytes lie. Opt-in and hosted; a program
// in flash that only uses an image, or weights that the compiler has checked, includes <ashlar/io/image.hpp> or
// <ashlar/io/embedded.hpp> alone.
#pragma once

#include <ashlar/io/embedded.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/archive.hpp>
#include <ashlar/io/image.hpp>
#include <ashlar/io/image/save_image.hpp>
#include <ashlar/io/model/load.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/io/model/names_of_models.hpp>
#include <ashlar/io/model/save.hpp>
