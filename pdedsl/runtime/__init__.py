"""The blocks of compiled networks: torch only, each small and final, composed and never subclassed."""
