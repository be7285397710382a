"""What Virtometer makes on the host: the journal of it, its processes, directories, and what guests share."""
