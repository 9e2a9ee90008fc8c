"""How well a network does, and how much of that to believe: accuracies, attacks, certificates, an audit, a report."""
