"""What one sees as what one prints: a scene becomes a sheet, a sheet a file."""
