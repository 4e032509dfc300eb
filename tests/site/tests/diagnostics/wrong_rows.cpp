// SPDX-License-Identifier: BSL-1.0
// A row is missing.
#ifdef ASHLAR_EXPECT_ERROR
int rows[2] = {{1}};
// expect: ashlar: rows: there must be as many rows
#else
int rows[2] = {1, 2};
#endif
