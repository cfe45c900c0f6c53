"""Learning to play: self-play, on one GPU or on the CPU. Needs PyTorch (`pip install "samovar[learn]"`)."""
