"""Python's half of the contract: channel, messages, session."""
