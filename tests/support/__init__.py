"""What tests share: helpers, and small games and bots to try things on; no file here is a test."""
