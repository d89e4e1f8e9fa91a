"""Pictures: pages and plots of what was measured. matplotlib is known here and nowhere else."""
