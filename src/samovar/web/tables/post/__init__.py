"""What tables by post have besides: moves made ahead."""
