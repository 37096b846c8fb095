"""What is shown of a diagnosis: text for a terminal, and JSON."""
