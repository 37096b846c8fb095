"""What one sees as what one prints: a scene becomes a sheet (`items`), and writers make files of it."""
