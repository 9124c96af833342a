"""What a merge would do, shown before it is done: to people, and to policies. Nothing is written here."""
