"""What takes long: processes beside the site, and those who wait in line for them."""
