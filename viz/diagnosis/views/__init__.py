"""What is shown of a diagnosis: `terminal` makes the report whose text, JSON and page are shown."""
