"""What the tests with a real Ray share."""

import secrets

# Ray reads it once in a process, and keeps it: a second cluster with another token could not be reached. Without one
# Ray would leave one of its own in the home folder.
TOKEN = secrets.token_hex(32)
