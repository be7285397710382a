"""Pure: a plan and a seed become ordered trials. Nothing here reads a file, looks at a clock or starts anything."""
