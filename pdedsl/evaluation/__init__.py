"""How well a network does, and how far to trust that: accuracies, attacks, certificates, an audit, a report."""
