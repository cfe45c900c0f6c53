"""What a viewer is shown."""
