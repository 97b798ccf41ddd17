"""Weights of `expect.py`, made by `python benchmarks/fit_expectation.py --write`. Do not edit.

Logistic regression on 96 cuts of 12 real coding sessions of one project. How well
the terms that are used again are told from the others, as the mean AUC of a cut, in sessions that were left
out of the fit (by frequency alone; by age alone), and in sessions of other projects:

- files: 0.625 (0.623; 0.586), 0.591 (0.576; 0.614); 706 of 4222 used again
- names: 0.701 (0.654; 0.629), 0.684 (0.696; 0.609); 6021 of 35119 used again
- numbers: 0.605 (0.530; 0.552), 0.615 (0.583; 0.540); 314 of 2118 used again
"""

WEIGHTS: dict[str, dict[str, float]] = {
    "f": {
        "bias": -2.22,
        "messages": 0.22,
        "age": -0.28,
        "assistant": 0.49,
        "command": 0.0,
        "result": 0.46,
        "local": 0.0,
        "likeness": 0.0,
        "beside": 0.0,
        "home": 0.0,
    },
    "n": {
        "bias": -2.88,
        "messages": 0.55,
        "age": -0.33,
        "assistant": 0.0,
        "command": 0.0,
        "result": 0.82,
        "local": -0.11,
        "likeness": 0.09,
        "beside": 0.34,
        "home": 1.73,
    },
    "#": {
        "bias": -1.75,
        "messages": 0.0,
        "age": -0.26,
        "assistant": 0.0,
        "command": 0.5,
        "result": 0.0,
        "local": 0.0,
        "likeness": 0.0,
        "beside": 0.0,
        "home": 0.0,
    },
}
"""By kind and feature; a feature without a weight did not help in sessions that were not fitted."""
