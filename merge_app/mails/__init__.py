"""E-mail and chat messages to people, of what each of them chose: of merge requests, tasks and runs of pipelines."""
