"""The ledger: the crash-safe record of one campaign in one directory."""
