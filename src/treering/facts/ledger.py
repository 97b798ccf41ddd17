"""The working form of the facts while messages are added, and how one message changes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from treering.facts import commands as command_facts
from treering.facts import tasks as task_facts
from treering.facts.decisions import MAX_DECISIONS, is_decision, is_plan
from treering.facts.language import guess_language
from treering.facts.lexicon import clean_line, is_prose, sentences, words
from treering.facts.listing import listed_lines
from treering.facts.paths import normalise
from treering.facts.replies import picks, reply_of, what_was_asked
from treering.facts.requests import (
    MAX_REQUEST_CHARS,
    MAX_REQUESTS,
    MAX_REQUESTS_CHARS,
    Request,
    is_pointer,
    own_parts,
    shortened,
    without_machine_blocks,
)
from treering.facts.rules import MAX_RULE_CHARS, MAX_RULES, Rule, in_context, is_rule, listed_rules
from treering.facts.state import (
    ARGUMENT,
    ASSISTANT,
    COMMAND,
    EDIT,
    RESULT,
    THINKING,
    USER,
    FactState,
    FileFact,
    PendingCall,
    Quote,
)
from treering.facts.statements import statement_of
from treering.facts.terms import TermTable
from treering.facts.tools import command_of, file_touches, tool_key, works_on_files
from treering.facts.values import replaced_values, supersedes
from treering.facts.withdrawals import never_minds, retracts, starts_over, withdraws, without_withdrawn
from treering.session.messages import Message, TextBlock, ThinkingBlock, ToolCallBlock, strings_in

if TYPE_CHECKING:
    from treering.compaction.summarizer import SpanMessage

MAX_FILES = 80
MAX_PENDING = 16
MAX_SUPERSEDED = 40
_LEAST_SENT = 24
_RANK = {"read": 0, "delete": 1, "edit": 2, "write": 3}


def _sent_again(last: Request, text: str) -> bool:
    """Whether a request was broken off, and sent again with more to it or a slip mended."""
    return not last.outcome and len(last.text) >= _LEAST_SENT and text.startswith(last.text[:-2])


class Ledger:
    """Mutable facts. Every change is made per message, so that pieces of a fold meet without a seam."""

    def __init__(self, state: FactState, cwd: str) -> None:
        self.cwd = cwd
        self._folder = f"{cwd.rstrip('/')}/" if cwd else ""
        self.clock, self.messages, self.turn = state.clock, state.messages, state.turn
        self.language = state.language
        self.rules, self.requests = list(state.rules), list(state.requests)
        self.decisions = list(state.decisions)
        self.commands = {command.key: command for command in state.commands}
        self.errors = list(state.errors)
        self.test, self.tasks, self.why = state.test, state.tasks, state.why
        self.files = {file.path: file for file in state.files}
        self.pending = {call.id: call for call in state.pending}
        self.superseded = dict(state.superseded)
        self.table = TermTable(state)

    def state(self) -> FactState:
        """The facts as a frozen value."""
        terms, quotes = self.table.frozen()
        return FactState(
            clock=self.clock, messages=self.messages, turn=self.turn, language=self.language,
            rules=tuple(self.rules), requests=tuple(self.requests), decisions=tuple(self.decisions),
            commands=tuple(self.commands.values()), errors=tuple(self.errors), test=self.test, tasks=self.tasks,
            files=tuple(self.files.values()), terms=terms, quotes=quotes, superseded=tuple(self.superseded.items()),
            pending=tuple(self.pending.values()), why=self.why,
        )  # fmt: skip

    def add(self, item: SpanMessage) -> None:
        """Take in one message."""
        message = item.message
        self.messages += 1
        self.table.begin(item.entry_id, self.clock, self.turn)
        if message.role == "assistant":
            self._assistant(message, item.entry_id)
        elif message.role == "toolResult":
            self._result(message, item.entry_id)
        elif message.role == "bashExecution":
            self._bash(message, item.entry_id)
        elif message.role in {"compactionSummary", "branchSummary"}:
            self._prose(message.text, ASSISTANT)
        else:
            self._user(message.text, item.entry_id)
        self.table.end()

    # One method a kind of message.

    def _user(self, text: str, entry: str) -> None:
        said = own_parts(text)
        self._count(text)
        if not said:
            self._lines(text, RESULT)
            return
        self.turn += 1
        self.table.begin(entry, self.clock, self.turn)
        self.language = guess_language(" ".join(said)) or self.language
        self.why = ""
        # What is answered is the last reply, even if the request before it is about to go.
        asked = self._asked(said)
        if any(map(starts_over, said)):
            self._start_over()
        elif any(map(retracts, said)):
            self._retract(said_of_rules=True)
        elif any(map(never_minds, said)):
            self._retract(said_of_rules=False)
        standing = listed_rules(text)
        for place, sentence in enumerate(said):
            if withdraws(sentence):
                self.rules = without_withdrawn(self.rules, sentence)
            self._supersede(sentence)
            listed = any(sentence in item for item in standing)
            # The sentence that picks is no rule; what is said beside it may be one.
            stands = sentences(sentence)[1:] if asked and picks(sentence) else [sentence]
            if (listed or any(map(is_rule, stands))) and len(sentence) <= MAX_RULE_CHARS:
                rule = sentence if listed else in_context(sentence, said[:place])
                self.rules = [r for r in self.rules if r.text != rule and not (r.entry == entry and r.text in rule)]
                self.rules.append(Rule(rule, entry, self.clock))
        self.rules = self.rules[-MAX_RULES:]
        # What is asked again stands where it was asked last; the first request stays, it names the goal.
        parts = tuple(shortened(said, MAX_REQUEST_CHARS))
        # The answer to another question is no repetition.
        again = not asked and any(request.parts == parts for request in self.requests)
        if self.requests and _sent_again(self.requests[-1], " ".join(parts)):
            self.requests.pop()
        self.requests = [r for i, r in enumerate(self.requests) if not i or r.outcome or r.asked or r.parts != parts]
        pasted = said[-1] == "…" or is_pointer(text)
        self.requests.append(Request(parts, entry, self.clock, self.turn, again=again, pasted=pasted, asked=asked))
        size = sum(len(request.text) + len(request.outcome) for request in self.requests)
        while len(self.requests) > 2 and (len(self.requests) > MAX_REQUESTS or size > MAX_REQUESTS_CHARS):
            # The first request names the goal; the oldest after it are the least needed.
            size -= len(self.requests[1].text) + len(self.requests[1].outcome)
            del self.requests[1]
        self._prose(without_machine_blocks(text), USER)

    def _asked(self, said: list[str]) -> str:
        """The question that the user answers. A notification in between leaves it open."""
        for index in reversed(range(len(self.requests))):
            before = self.requests[index]
            if before.question or not before.pasted:
                self.requests[index] = msgspec.structs.replace(before, options=())
                return what_was_asked(" ".join(said), before.question, before.options)
        return ""

    def _start_over(self) -> None:
        """The user takes back all plans so far; rules stand."""
        for index, request in enumerate(self.requests):
            kept = tuple(part for part in request.parts if not (is_plan(part) or is_decision(part)) or is_rule(part))
            if len(kept) < len(request.parts):
                self.requests[index] = msgspec.structs.replace(request, parts=kept)
        self.requests = [request for request in self.requests if request.parts]

    def _retract(self, *, said_of_rules: bool) -> None:
        """The user takes back what was said last: the newest statement of the last two requests no longer counts."""
        for request in reversed(self.requests[-2:]):
            stated = [part for part in request.parts if statement_of(part) is not None]
            gone = {part for part in stated if said_of_rules or not is_rule(part)}
            if gone:
                kept = tuple(part for part in request.parts if part not in gone)
                self.rules = [rule for rule in self.rules if not any(part in rule.text for part in gone)]
                index = self.requests.index(request)
                self.requests[index : index + 1] = [msgspec.structs.replace(request, parts=kept)] if kept else []
            if stated:
                return

    def _supersede(self, sentence: str) -> None:
        """Earlier statements that this one gives another value to are dropped: they are no longer true."""
        new = statement_of(sentence)
        if new is None:
            return

        last = self.requests[-1].entry if self.requests else ""

        def still_true(text: str, entry: str) -> str:
            old = statement_of(text)
            if text == sentence or old is None or not supersedes(new, old, near=entry == last):
                return text
            self.superseded.update(replaced_values(new, old))
            # A rule beside it that is about something else stands.
            return " ".join(rest for rest in sentences(text) if is_rule(rest) and new.content.isdisjoint(words(rest)))

        rules = [(rule, still_true(rule.text, rule.entry)) for rule in self.rules]
        self.rules = [msgspec.structs.replace(rule, text=text) for rule, text in rules if text]
        for index, request in enumerate(self.requests):
            kept = tuple(text for part in request.parts if (text := still_true(part, request.entry)))
            if kept != request.parts:
                self.requests[index] = msgspec.structs.replace(request, parts=kept)
        self.requests = [request for request in self.requests if request.parts]
        for value in new.values:
            self.superseded.pop(value, None)
        while len(self.superseded) > MAX_SUPERSEDED:
            del self.superseded[next(iter(self.superseded))]

    def _assistant(self, message: Message, entry: str) -> None:
        said = message.text.strip()
        for block in message.blocks:
            if isinstance(block, TextBlock):
                self._count(block.text)
                self._prose(block.text, ASSISTANT)
            elif isinstance(block, ThinkingBlock):
                self._count(block.text)
                self._prose(block.text, THINKING)
            elif isinstance(block, ToolCallBlock):
                self._call(block, entry)
        if said:
            self._reply(said, entry)

    def _reply(self, said: str, entry: str) -> None:
        """What the assistant says last about a request is its outcome so far; a question at the end is open."""
        reply = reply_of(said)
        if reply is None:
            return
        self.why = reply.why
        if not self.requests:
            return
        last = self.requests[-1]
        news = reply.outcome and all(reply.outcome != request.outcome for request in self.requests[-9:-1])
        self.requests[-1] = msgspec.structs.replace(
            last,
            outcome=reply.outcome if news else last.outcome,
            outcome_entry=entry if news else last.outcome_entry,
            question=reply.question,
            options=reply.options,
        )

    def _call(self, call: ToolCallBlock, entry: str) -> None:
        self.tasks = task_facts.fold_call(self.tasks, call.name, call.arguments, entry)
        command = command_of(call.name, call.arguments)
        source = tool_key(call.name)
        if command:
            self._command(command, entry, None)
            source = command_facts.source_of(command)
            self._count(command)
            self._lines(command, COMMAND)
        touched = list(file_touches(call.name, call.arguments))
        for touch in touched:
            path = normalise(touch.path, self.cwd)
            if path:
                self._file(path, touch.operation, entry)
                source = f"{source} {path}"
        shown = command_facts.file_shown(command) if command else touched[0].path if len(touched) == 1 else ""
        home = normalise(shown, self.cwd)
        self.table.in_file(home)
        for text in strings_in(call.arguments):
            if text.strip() != command:
                self._count(text)
                self._lines(text, EDIT if touched else ARGUMENT)
        self.table.in_file("")
        if call.id:
            self.pending[call.id] = PendingCall(call.id, source, bool(command), home)
            while len(self.pending) > MAX_PENDING:
                self.pending.pop(next(iter(self.pending)))

    def _result(self, message: Message, entry: str) -> None:
        call = self.pending.pop(message.tool_call_id or "", None)
        text = message.text
        refused = command_facts.said_in_refusal(text) if message.is_error else ""
        if refused:
            self._user(refused, entry)
        self._count(text)
        source = call.source if call else tool_key(message.tool_name)
        is_command = call is not None and call.is_command
        self._finished(
            source, text, message.is_error or (is_command and command_facts.looks_failed(text)), is_command, entry
        )
        self.table.in_file(call.home if call else "")
        self._lines(text, RESULT)
        self.table.in_file("")

    def _bash(self, message: Message, entry: str) -> None:
        command = message.blocks[0].text if isinstance(message.blocks[0], TextBlock) else ""
        output = message.blocks[1].text if isinstance(message.blocks[1], TextBlock) else ""
        self._count(command)
        self._count(output)
        self._command(command, entry, None)
        self._lines(command, COMMAND)
        self.table.in_file(normalise(command_facts.file_shown(command), self.cwd))
        self._finished(command_facts.source_of(command), output, message.is_error, True, entry)
        self._lines(output, RESULT)
        self.table.in_file("")

    # What the methods above share.

    def _count(self, text: str) -> None:
        self.clock += len(text) // 4 + 1

    def _command(self, command: str, entry: str, failed: bool | None) -> None:
        for key, text in command_facts.command_keys(command):
            known = self.commands.pop(key, None)
            times = known.times + 1 if known else 1
            self.commands[key] = command_facts.Command(key, text[:200], entry, self.clock, times, failed)
        while len(self.commands) > command_facts.MAX_COMMANDS:
            worst = min(self.commands.values(), key=lambda c: (c.times, c.at))
            del self.commands[worst.key]

    def _finished(self, source: str, output: str, failed: bool, is_command: bool, entry: str) -> None:
        if is_command and not failed:
            self.errors = [error for error in self.errors if not command_facts.fixes(source, error.source)]
        else:
            self.errors = [error for error in self.errors if error.source != source]
        slip = command_facts.only_looks(source) if is_command else works_on_files(source.split(" ", 1)[0])
        for line in command_facts.error_lines(output, failed):
            self.errors.append(command_facts.StandingError(line, entry, self.clock, source, slip))
        del self.errors[: -command_facts.MAX_ERRORS]
        if is_command:
            for key, _text in command_facts.command_keys(source):
                command = self.commands.get(key)
                if command:
                    self.commands[key] = command_facts.Command(
                        key, command.text, command.entry, command.at, command.times, failed
                    )
            if "test" in source:
                line = command_facts.test_line(output)
                if line:
                    self.test = Quote(line, entry, self.clock, self.turn, RESULT, "", 50)

    def _file(self, path: str, operation: str, entry: str) -> None:
        known = self.files.pop(path, None)
        times = known.times + 1 if known else 1
        if known and _RANK[known.operation] > _RANK[operation]:
            operation = known.operation
        if operation != "read":  # an error at a line of it may be mended: nobody knows before it runs again
            place = re.compile(rf"(?<![\w.]){re.escape(path.rsplit('/', 1)[-1])}:\d")
            self.errors = [error for error in self.errors if not place.search(error.text)]
        why = self.why or (known.why if known else "")
        self.files[path] = FileFact(path, operation, times, entry, self.clock, why[:200])
        if len(self.files) > MAX_FILES:
            worst = min(self.files.values(), key=lambda f: (f.operation != "read", f.at))
            del self.files[worst.path]

    def _prose(self, text: str, source: int) -> None:
        fenced = False
        for raw in text.split("\n"):
            if raw.lstrip().startswith("```"):
                fenced = not fenced
                continue
            line = clean_line(raw)
            if not line:
                continue
            if fenced or not is_prose(line):
                self.table.line(line, source, prose=False)
                continue
            pieces = sentences(line)
            for piece in [line] if len(line) <= 200 else pieces:
                self.table.line(piece, source, prose=True)
            if source & (USER | ASSISTANT):
                for sentence in pieces:
                    if is_decision(sentence):
                        self._decision(sentence, source)

    def _decision(self, sentence: str, source: int) -> None:
        self.decisions = [known for known in self.decisions if known.text != sentence]
        self.decisions.append(Quote(sentence, self.table.entry, self.clock, self.turn, source, "", 50))
        if len(self.decisions) > MAX_DECISIONS:
            # The user's own decisions stay longer than the assistant's.
            index = next((i for i, known in enumerate(self.decisions) if not known.source & USER), 0)
            del self.decisions[index]

    def _lines(self, text: str, source: int) -> None:
        home = file = self.table.home
        for line, path in listed_lines(text, home, numbered=source == RESULT):
            if path != file:
                file = path
                self.table.in_file(normalise(path, self.cwd))
                self.table.mention(path, source)
            if line:
                self.table.line(line.removeprefix(self._folder), source, prose=False)
        self.table.in_file(home)
