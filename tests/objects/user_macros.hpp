// SPDX-License-Identifier: BSL-1.0
// Macros that other headers and users define: wherever the library used one of these names, this would not compile.
#pragma once

#define A .the_users.
#define B .the_users.
#define C .the_users.
#define D .the_users.
#define E .the_users.
#define F .the_users.
#define G .the_users.
#define H .the_users.
#define I .the_users.
#define J .the_users.
#define K .the_users.
#define L .the_users.
#define M .the_users.
#define N .the_users.
#define O .the_users.
#define P .the_users.
#define Q .the_users.
#define R .the_users.
#define S .the_users.
#define T .the_users.
#define U .the_users.
#define V .the_users.
#define W .the_users.
#define X .the_users.
#define Y .the_users.
#define Z .the_users.
#define small .the_users.
#define near .the_users.
#define far .the_users.
#define interface .the_users.
#define major .the_users.
#define minor .the_users.
#define IN .the_users.
#define OUT .the_users.
#define ERROR .the_users.
#define OPTIONAL .the_users.
#define CONST .the_users.
#define VOID .the_users.
#define BOOL .the_users.
#define TRUE .the_users.
#define FALSE .the_users.
#define Bool .the_users.
#define True .the_users.
#define False .the_users.
#define None .the_users.
#define Status .the_users.
#define Success .the_users.
#define Always .the_users.
#define Above .the_users.
#define Below .the_users.
#define Complex .the_users.
#define DIFFERENCE .the_users.
#define min(a, b) .the_users.
#define max(a, b) .the_users.

// f(name) for every one but min and max.
#define user_macros(f)                                                                                                 \
    f(A) f(B) f(C) f(D) f(E) f(F) f(G) f(H) f(I) f(J) f(K) f(L) f(M) f(N) f(O) f(P) f(Q) f(R) f(S) f(T) f(U) f(V) f(W) \
        f(X) f(Y) f(Z) f(small) f(near) f(far) f(interface) f(major) f(minor) f(IN) f(OUT) f(ERROR) f(OPTIONAL)        \
            f(CONST) f(VOID) f(BOOL) f(TRUE) f(FALSE) f(Bool) f(True) f(False) f(None) f(Status) f(Success) f(Always)  \
                f(Above) f(Below) f(Complex) f(DIFFERENCE)
