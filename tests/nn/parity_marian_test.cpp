// SPDX-License-Identifier: BSL-1.0
// Marian and Whisper, decoded with caches, which are BART's with the norm last and first, and what is around Marian's
// layers.
#include <tests/nn/seq2seq.hpp>

using namespace ashlar;
using parity::family;

TEST(parity_marian, embeddings_and_logits) {
    const parity::fixture file("bart_models");
    static parity::seq2seq<family::marian> m{};
    file.load(m, "marian", io::bart_names);
    const tensor<float, 6, 16> y = m.decoder_positions(m.embedding(file.array<int, 6>("marian.in.target")) * 4.0f, 0);
    file.expect(y, "marian.out.decoder_embeddings");
    tensor<float, 6, 19> logits = m.embedding.scores(file.array<float, 6, 16>("marian.out.decoder"));
    logits += m.final_logits_bias;
    file.expect(logits, "marian.out.logits");
}
TEST(parity_marian, halves) { parity::check_decoding<family::marian>("marian"); }
TEST(parity_whisper, halves) { parity::check_decoding<family::whisper>("whisper"); }
