"""Fit the weights of the expected use of terms (`treering/facts/weights.py`) on real sessions.

    python benchmarks/fit_expectation.py                the figures, and the weights
    python benchmarks/fit_expectation.py --write        writes the weights to where they are shipped
    python benchmarks/fit_expectation.py --check        fails if the shipped weights are not what comes out
    python benchmarks/fit_expectation.py --features     AUC without each feature, and with each that is not used
    python benchmarks/fit_expectation.py --retention    whole summaries, by weights fitted without their session
    python benchmarks/fit_expectation.py … SESSION… --others SESSION…

Without SESSION, the real sessions of ../shared are fitted; the others are of other projects, and never fitted. Needs
scikit-learn (requirements-bench.txt).

Each session is cut at several points. A row is a term of the facts of what would be summarised that the kept text does
not show; it is true if the session uses the term again after the cut. The features are those of
`treering.facts.expect`, the fit is scikit-learn's logistic regression with an L2 penalty, kind by kind. The rows of a
cut with many true terms weigh less, for a summary is measured by the share that it keeps: else a few large sessions
would decide. Every figure that is called held out is of a session that the weights were fitted without.

The facts are folded without their bound of bytes: what the bound forgets is decided by these very weights, so rows
within it would depend on the weights before, and nothing could be learnt of a term that they forget.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from treering.evaluation.hindsight import Cut, make_cuts
from treering.evaluation.report import Result, mean_rows
from treering.evaluation.run import Job, evaluate_file
from treering.evaluation.texts import read_part
from treering.facts import terms
from treering.facts.expect import CONTEXT, HISTORY, Focus, history_features, use_weights
from treering.facts.fold import FactState, fold
from treering.facts.lexicon import FILE, NAME, NUMBER, Lexicon
from treering.facts.roles import EDIT, THINKING, USER
from treering.facts.state import TermFact
from treering.facts.weights import WEIGHTS
from treering.session.tree import Session

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared/sessions/pi"
EXAMPLE = ROOT / "src/treering/data/example-session.v3.jsonl"
WRITTEN = ROOT / "src/treering/facts/weights.py"
TEST = re.compile(r"^[Tt]est|^test_|_test\b|^Benchmark|\.(?:test|spec)\.")
AT = (0.3, 0.4, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9)
"""Where sessions are cut; the evaluation of summaries uses three of these."""
SHARES = (0.15, 0.25, 0.4)
"""Of the terms with the highest scores, these shares are looked at for true ones."""
FEATURES = (*HISTORY, *CONTEXT)
TRIED = ("user", "thinking", "edit", "test", "turns", "pause", "home_edited", "home_age")
"""Features that do not help; they are here so that `--features` can show it."""
COLUMNS = (*FEATURES, *TRIED)
USED = {
    FILE: ("messages", "age", "assistant", "result"),
    NAME: ("messages", "age", "result", "local", "likeness", "beside", "home"),
    NUMBER: ("age", "command"),
}
"""The features of each kind that help in sessions that were not fitted (`--features`); the others weigh nothing.

They were chosen by these figures, in the sessions left out of the fit and in those of other projects: `test`, say,
helps names in the first and misleads in the others.
"""
STRENGTH = 0.003
"""scikit-learn's `C`: less is more shrinkage."""
FLATTEN = 0.3
"""A row weighs the number of true rows of its cut to the power of minus this."""
DIGITS = 2
NEAR = 0.1
"""By how much a shipped weight may differ: what counts as a term changes now and then, and moves them a little."""
TITLES = {FILE: "files", NAME: "names", NUMBER: "numbers"}
MEASURES = ("files", "names", "commands", "numbers", "directives", "relations")

Weights = Mapping[str, Mapping[str, float]]


class Rows(msgspec.Struct, frozen=True):
    """The terms of one kind at one cut: a row of features each, and whether it is used again."""

    session: str
    at: float
    kind: str
    features: np.ndarray
    used: np.ndarray


def main() -> int:
    options = parsed()
    if not options.sessions:
        print("no sessions: name some, or put the shared ones beside the checkout", file=sys.stderr)
        return 1
    if options.retention:
        print("\n".join(retention(options.sessions)))
        return 0
    data, others = rows_of(options.sessions), rows_of(options.others)
    if options.features:
        print("\n".join(ablation(data, others)))
        return 0
    weights = {kind: shipped_form(fitted(data, kind)) for kind in TITLES}
    print("\n".join(table(data, others, weights)))
    if options.check:
        return check(weights)
    text = "\n".join((*module(data, others, weights), ""))
    if options.write:
        WRITTEN.write_text(text, encoding="utf-8")
    print(text)
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sessions", nargs="*", metavar="SESSION")
    parser.add_argument("--others", nargs="+", metavar="SESSION", default=[])
    for name in ("write", "check", "features", "retention"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    if not options.sessions:
        options.sessions = sorted(map(str, SHARED.glob("real-*.v3.jsonl")))
        options.others = options.others or [*sorted(map(str, SHARED.glob("*[es].v1.jsonl"))), str(EXAMPLE)]
    return options


# Rows.


def rows_of(files: Sequence[str]) -> list[Rows]:
    """The rows of these sessions, in their order."""
    with ProcessPoolExecutor() as pool:
        return [rows for found in pool.map(rows_of_session, files) for rows in found]


def rows_of_session(file: str) -> list[Rows]:
    terms.BYTES_HIGH = terms.BYTES_LOW = sys.maxsize
    with Session.open(file) as session:
        path, cwd = session.path(), session.header.cwd
    return [rows for cut in make_cuts(path, at=AT, cwd=cwd) for rows in rows_of_cut(Path(file).name, cut)]


def rows_of_cut(session: str, cut: Cut) -> Iterator[Rows]:
    state, lexicon = fold(FactState(), cut.region, cwd=cut.cwd), Lexicon()
    later = frozenset(lexicon.terms(read_part(cut.future).text))
    quoted = {quote.text: lexicon.terms(quote.text) for quote in state.quotes}
    focus = Focus(state, lexicon.terms(read_part(cut.kept).text), quoted)
    for kind in TITLES:
        of_kind = [term for term in state.terms if term.kind == kind and (kind, term.name) not in focus.shown]
        features = [
            (*history_features(term.name, term, state.clock), *focus.features(term), *tried(term, state))
            for term in of_kind
        ]
        used = [(kind, term.name) in later for term in of_kind]
        yield Rows(session, cut.at, kind, np.array(features).reshape(-1, len(COLUMNS)), np.array(used, bool))


def tried(term: TermFact, state: FactState) -> tuple[float, ...]:
    """The features that `TRIED` names."""
    home = next((file for file in state.files if file.path == term.home), None)
    return (
        *(float(term.roles & role > 0) for role in (USER, THINKING, EDIT)),
        float(bool(TEST.search(term.name))),
        math.log(term.turns),
        math.log1p(max(0, state.turn - term.last_turn)),
        float(home is not None and home.operation in {"edit", "write"}),
        math.log1p((state.clock - home.at if home else state.clock) / 10_000),
    )


# The fit.


def fitted(
    data: Sequence[Rows], kind: str, *, without: str = "", used: Sequence[str] | None = None
) -> dict[str, float]:
    """The weights of one kind, fitted on all sessions but one."""
    use = USED[kind] if used is None else used
    parts = [rows for rows in data if rows.kind == kind and rows.session != without and len(rows.used)]
    if len({bool(used) for rows in parts for used in rows.used}) < 2:
        sys.exit(f"too few {TITLES[kind]} to learn from: name more sessions, or longer ones")
    x = np.concatenate([rows.features for rows in parts])[:, [COLUMNS.index(name) for name in use]]
    y = np.concatenate([rows.used for rows in parts])
    importance = np.concatenate([np.full(len(rows.used), max(1, rows.used.sum()) ** -FLATTEN) for rows in parts])
    importance *= len(y) / importance.sum()
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=STRENGTH, tol=1e-8, max_iter=1000)
    model.fit(scaler.transform(x), y, sample_weight=importance)
    slopes = model.coef_[0] / scaler.scale_
    bias = model.intercept_[0] - slopes @ scaler.mean_
    return dict.fromkeys(COLUMNS, 0.0) | {"bias": float(bias)} | dict(zip(use, slopes.tolist(), strict=True))


def shipped_form(weights: Mapping[str, float]) -> dict[str, float]:
    """Without the features that were only tried."""
    return {name: weights[name] for name in FEATURES}


def held_out(data: Sequence[Rows], kind: str, used: Sequence[str] | None = None) -> Callable[[Rows], np.ndarray]:
    """The scores of rows by the weights that were fitted without their session."""
    sessions = dict.fromkeys(rows.session for rows in data)
    weights = {name: vector(fitted(data, kind, without=name, used=used)) for name in sessions}
    return lambda rows: rows.features @ weights[rows.session]


def scored_by(weights: np.ndarray) -> Callable[[Rows], np.ndarray]:
    return lambda rows: rows.features @ weights


def vector(weights: Mapping[str, float]) -> np.ndarray:
    return np.array([weights.get(name, 0.0) for name in COLUMNS])


# Figures.


def quality(data: Sequence[Rows], kind: str, score: Callable[[Rows], np.ndarray]) -> list[float]:
    """Means over cuts: the AUC, and which share of the true terms is among the first 15, 25, 40 %."""
    found: list[list[float]] = []
    for rows in data:
        if rows.kind == kind and 0 < rows.used.sum() < len(rows.used):
            scores = score(rows)
            ranked = rows.used[np.argsort(-scores, kind="stable")]
            first = [ranked[: max(1, round(share * len(ranked)))].sum() / ranked.sum() for share in SHARES]
            found.append([float(roc_auc_score(rows.used, scores)), *first])
    return np.mean(found, axis=0).tolist() if found else []


def one_feature(name: str, sign: int) -> Callable[[Rows], np.ndarray]:
    return lambda rows: sign * rows.features[:, COLUMNS.index(name)]


def table(data: Sequence[Rows], others: Sequence[Rows], weights: Weights) -> Iterator[str]:
    """How well the terms that are used again are told from the others, by several scores."""
    shares = " | ".join(f"in the first {share:.0%}" for share in SHARES)
    for kind, title in TITLES.items():
        yield f"| {title}, {counted(data, kind)} | AUC | {shares} |"
        yield "|---" * (len(SHARES) + 2) + "|"
        scores = {
            "most often": one_feature("messages", 1),
            "latest": one_feature("age", -1),
            "shipped": scored_by(vector(WEIGHTS[kind])),
            "fitted": scored_by(vector(weights[kind])),
        }
        lines = {name: (data, score) for name, score in scores.items()}
        lines["fitted, held out"] = data, held_out(data, kind)
        if others:
            lines |= {f"{name}, other projects": (others, score) for name, score in scores.items()}
        for name, (where, score) in lines.items():
            cells = quality(where, kind, score)
            yield f"| {name} | {cells[0]:.3f} | {' | '.join(f'{100 * cell:.0f}' for cell in cells[1:])} |"
        yield ""


def ablation(data: Sequence[Rows], others: Sequence[Rows]) -> Iterator[str]:
    """The AUC without each feature that is used, and with each that is not: held out, and of other projects."""
    yield "| kind | features | held out | other projects |"
    yield "|---|---|---|---|"
    for kind, title in TITLES.items():
        used = USED[kind]
        sets = {"as it is": used}
        sets |= {f"− {name}": tuple(other for other in used if other != name) for name in used}
        sets |= {f"+ {name}": (*used, name) for name in COLUMNS[1:] if name not in used}
        for name, chosen in sets.items():
            weights = vector(fitted(data, kind, used=chosen))
            found = quality(data, kind, held_out(data, kind, chosen)), quality(others, kind, scored_by(weights))
            yield f"| {title} | {name} | {' | '.join(f'{figures[0]:.3f}' if figures else '–' for figures in found)} |"


def retention(files: Sequence[str]) -> Iterator[str]:
    """What summaries keep with the shipped weights, and with those that were fitted without their session."""
    data, job = rows_of(files), Job(budgets=(1100, 2000), exact=True, with_baselines=False)
    held = [{kind: fitted(data, kind, without=Path(file).name) for kind in TITLES} for file in files]
    shipped = [WEIGHTS] * len(files)
    means: dict[str, list[Result]] = {}
    with ProcessPoolExecutor() as pool:
        for title, weights in {"shipped": shipped, "held out": held}.items():
            means[title] = [r for found in pool.map(partial(evaluated, job), files, weights) for r in found]
    yield f"| budget | weights | {' | '.join(MEASURES)} |"
    yield "|---" * (len(MEASURES) + 2) + "|"
    for budget in job.budgets:
        for title, results in means.items():
            (row,) = mean_rows(result for result in results if result.budget == budget)
            rates = [row.rates[name] for name in MEASURES]
            yield f"| {budget} | {title} | {' | '.join('–' if r is None else f'{100 * r:.1f}' for r in rates)} |"


def evaluated(job: Job, file: str, weights: Weights) -> tuple[Result, ...]:
    use_weights(weights)
    return evaluate_file(file, job).results


# What is shipped.


def counted(data: Sequence[Rows], kind: str) -> str:
    of_kind = [rows for rows in data if rows.kind == kind]
    return f"{sum(rows.used.sum() for rows in of_kind)} of {sum(len(rows.used) for rows in of_kind)} used again"


def check(weights: Weights) -> int:
    """Whether the shipped weights are these, or so near that what is found in sessions has only changed a little."""
    wrong = [
        f"{TITLES[kind]} {name}: shipped {WEIGHTS[kind][name]}, fitted {value:.4f}"
        for kind, by_name in weights.items()
        for name, value in by_name.items()
        if abs(WEIGHTS[kind][name] - value) > NEAR
    ]
    print("\n".join(wrong) or "the shipped weights are the fitted ones")
    return 1 if wrong else 0


def module(data: Sequence[Rows], others: Sequence[Rows], weights: Weights) -> Iterator[str]:
    """The lines of `weights.py`."""
    sessions, cuts = {rows.session for rows in data}, {(rows.session, rows.at) for rows in data}
    yield '"""Weights of `expect.py`, made by `python benchmarks/fit_expectation.py --write`. Do not edit.'
    yield ""
    yield f"Logistic regression on {len(cuts)} cuts of {len(sessions)} real coding sessions of one project. How well"
    yield "the terms that are used again are told from the others, as the mean AUC of a cut, in sessions that were left"
    yield "out of the fit (by frequency alone; by age alone), and in sessions of other projects:"
    yield ""
    for kind, title in TITLES.items():
        scores = scored_by(vector(weights[kind])), one_feature("messages", 1), one_feature("age", -1)
        own = [quality(data, kind, score)[0] for score in (held_out(data, kind), *scores[1:])]
        apart = [quality(others, kind, score)[0] for score in scores] if others else []
        figures = ", ".join("{:.3f} ({:.3f}; {:.3f})".format(*found) for found in (own, apart) if found)
        yield f"- {title}: {figures}; {counted(data, kind)}"
    yield '"""'
    yield ""
    yield "WEIGHTS: dict[str, dict[str, float]] = {"
    for kind, by_name in weights.items():
        yield f'    "{kind}": {{'
        yield from (f'        "{name}": {round(value, DIGITS)},' for name, value in by_name.items())
        yield "    },"
    yield "}"
    yield '"""By kind and feature; a feature without a weight did not help in sessions that were not fitted."""'


if __name__ == "__main__":
    sys.exit(main())
