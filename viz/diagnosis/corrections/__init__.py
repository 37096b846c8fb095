"""Changed texts: functions from a source and a diagnosis to candidates."""
