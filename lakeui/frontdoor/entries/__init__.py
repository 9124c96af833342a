"""What enters beside a single statement: files, scripts, whole results, runs of pipelines."""
