"""Images as other tools of containers keep them: found, unpacked once, and what they say of commands."""
