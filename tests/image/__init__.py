"""The image of docker/Dockerfile, built and started: ``make image-test``."""
