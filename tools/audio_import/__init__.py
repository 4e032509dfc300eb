# SPDX-License-Identifier: BSL-1.0
"""Audio models as C++: .nam files of NeuralAmpModeler, and the JSON files of RTNeural."""
