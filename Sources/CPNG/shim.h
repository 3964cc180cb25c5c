// libpng, with the value of a macro that Swift cannot read.
#pragma once
#include <png.h>

static const png_uint_32 anthill_png_rgba = PNG_FORMAT_RGBA;
