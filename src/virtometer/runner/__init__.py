"""Executes trials: starts guests, holds the barrier, observes the host, hands finished trials to the ledger."""
