"""Django finds the models of this application here; they live beside the code that uses them."""

from merge_app.audit.models import MergeAttempt

__all__ = ["MergeAttempt"]
