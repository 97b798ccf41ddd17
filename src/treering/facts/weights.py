"""Weights of `expect.py`, made by `python benchmarks/fit_expectation.py --write`. Do not edit.

Logistic regression on 96 cuts of 12 real coding sessions of one project. How well
the terms that are used again are told from the others, as the mean AUC of a cut, in sessions that were left
out of the fit (by frequency alone; by age alone), and in sessions of other projects:

- files: 0.625 (0.623; 0.586), 0.591 (0.576; 0.614); 706 of 4222 used again
- names: 0.700 (0.654; 0.629), 0.683 (0.696; 0.609); 6021 of 35119 used again
- numbers: 0.603 (0.538; 0.554), 0.615 (0.594; 0.540); 314 of 2118 used again
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
        "bias": -2.9,
        "messages": 0.57,
        "age": -0.32,
        "assistant": 0.0,
        "command": 0.0,
        "result": 0.8,
        "local": -0.1,
        "likeness": 0.09,
        "beside": 0.36,
        "home": 1.65,
    },
    "#": {
        "bias": -1.71,
        "messages": 0.0,
        "age": -0.28,
        "assistant": 0.0,
        "command": 0.49,
        "result": 0.0,
        "local": 0.0,
        "likeness": 0.0,
        "beside": 0.0,
        "home": 0.0,
    },
}
"""By kind and feature; a feature without a weight did not help in sessions that were not fitted."""
