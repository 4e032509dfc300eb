// SPDX-License-Identifier: BSL-1.0
// Weight files and model images: loading, saving, and using models where their bytes lie. Opt-in and hosted; a program
// in flash that only uses an image includes <ashlar/io/image.hpp> alone.
#pragma once

#include <ashlar/io/archive.hpp>
#include <ashlar/io/image.hpp>
#include <ashlar/io/load.hpp>
#include <ashlar/io/names.hpp>
#include <ashlar/io/names_of_models.hpp>
#include <ashlar/io/result.hpp>
#include <ashlar/io/save.hpp>
#include <ashlar/io/save_image.hpp>
