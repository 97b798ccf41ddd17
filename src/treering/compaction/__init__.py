"""Compaction, the pure part: prune, cut, plan, serialise, check. Values in, values out."""
