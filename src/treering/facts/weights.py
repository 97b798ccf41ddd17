"""Weights of `expect.py`, by kind of term and by feature.

The script that fitted them is not part of the repository, so they cannot be made anew from here yet (issue 3).
"""

WEIGHTS: dict[str, dict[str, float]] = {
    "f": {
        "bias": -3.0,
        "messages": 0.3,
        "age": -0.3,
        "user": 0.4,
        "assistant": 0.6,
        "edit": 0.2,
        "command": 0.0,
        "result": 1.2,
        "test": -0.4,
        "local": 0.0,
        "likeness": 0.0,
        "beside": 0.0,
        "home": 0.0,
    },
    "n": {
        "bias": -3.4,
        "messages": 0.8,
        "age": -0.1,
        "user": 0.5,
        "assistant": -0.2,
        "edit": 0.0,
        "command": 0.4,
        "result": 0.9,
        "test": -0.8,
        "local": -0.5,
        "likeness": 0.4,
        "beside": 0.8,
        "home": 2.6,
    },
    "#": {
        "bias": -1.6,
        "messages": 0.6,
        "age": -0.4,
        "user": 0.0,
        "assistant": 0.0,
        "edit": 0.4,
        "command": 0.2,
        "result": 0.2,
        "test": 0.0,
        "local": 0.0,
        "likeness": 0.0,
        "beside": 0.0,
        "home": 0.0,
    },
}
