"""Python's half of the contract: channel, greeting, requests, clock."""
