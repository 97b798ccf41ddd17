"""Summaries by a model over HTTP: what is asked, what counts as an answer, and what every failure comes to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from asked import SUMMARY, WORK, message, request
from servers.scripted import Answer, Scripted, chat, drip, failure, flood, scripted
from treering.compaction.summarizer import SPLIT_TURN_HEADING, ModelCall
from treering.errors import SettingsError, SummaryError
from treering.summarizers.asking import Patience
from treering.summarizers.llm import LLMSummarizer
from treering.summarizers.model_layer import ModelOptions
from treering.tokens.estimate import estimate_text


def summarizer(server: Scripted, waits: list[float] | None = None, **options: Any) -> LLMSummarizer:
    """A summarizer that does not really wait."""

    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    return LLMSummarizer(ModelOptions(name=server.model, **options), sleep=sleep)


def user_text(server: Scripted, index: int = 0) -> str:
    return server.requests[index].json["messages"][-1]["content"]


async def test_a_summary_with_its_call() -> None:
    calls: list[ModelCall] = []
    with scripted(chat(SUMMARY, usage=(345, 67))) as server:
        summary = await summarizer(server, temperature=0.5).summarize(request(calls=calls))
    assert summary.text == SUMMARY.strip()
    assert summary.short is None
    assert summary.summarizer == server.model
    sent = server.requests[0].json
    assert [entry["role"] for entry in sent["messages"]] == ["system", "user"]
    assert sent["temperature"] == 0.5
    assert (call := calls[0]).outcome == "answered"
    assert (call.input_tokens, call.output_tokens, call.retry, call.price) == (345, 67, 0, None)


async def test_no_settings_are_sent_that_nobody_set() -> None:
    with scripted(chat(SUMMARY)) as server:
        await summarizer(server).summarize(request())
    assert not {"temperature", "reasoning_effort", "tools"} & set(server.requests[0].json)


async def test_the_output_limit_leaves_room_for_other_tokenizers_and_doubles_once() -> None:
    with scripted(chat("## Goal\n- Fix", finish="length"), chat(SUMMARY)) as server:
        await summarizer(server).summarize(request(budget=400))
        first, second = (limit(item.json) for item in server.requests)
    assert 400 <= first <= 550
    assert second == 2 * first


async def test_the_output_limit_is_at_most_what_the_model_takes() -> None:
    with scripted(chat(SUMMARY)) as server:
        await summarizer(server, max_output=300).summarize(request(budget=4000))
        assert limit(server.requests[0].json) == 300


def limit(sent: dict[str, Any]) -> int:
    return sent.get("max_completion_tokens") or sent["max_tokens"]


UNUSABLE = {
    "empty": chat(""),
    "null": chat(None),
    "whitespace": chat(" \n\t "),
    "thinking in a field": chat("", reasoning_content="Let me think about it."),
    "thinking in the text": chat("<think>Let me think about it.</think>"),
    "unfinished thinking": chat("<think>Let me think about"),
    "a tool call": chat(
        None,
        finish="tool_calls",
        tool_calls=[{"id": "x", "type": "function", "function": {"name": "bash", "arguments": "{}"}}],
    ),
    "a tool call as text": chat('<tool_call>{"name": "bash", "arguments": {}}</tool_call>'),
    "a tool call as JSON": chat('{"name": "bash", "arguments": {"command": "ls"}}'),
    "cut off": chat("## Goal\n- Fix the par", finish="length"),
    "an unclosed tag": chat("<summary>\n## Goal\n- Fix it"),
    "filtered": chat("## Goal", finish="content_filter"),
    "an error as text": chat("Error generating summary: 429 too many requests"),
    "a refusal": chat("I'm sorry, but I can't help with that."),
    "an error page": chat("<!DOCTYPE html><html><body>502</body></html>"),
    "no words": chat("---\n\n***"),
    "the last message again": chat("The split loses quotes. I use shlex instead."),
    "too long": chat("## Goal\n" + "- one more word\n" * 3000),
    "no choices": Answer({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}),
}


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_an_answer_that_is_no_summary_is_asked_for_once_more_and_then_refused(kind: str) -> None:
    calls: list[ModelCall] = []
    with scripted(UNUSABLE[kind], repeat=True) as server:
        with pytest.raises(SummaryError) as failed:
            await summarizer(server).summarize(request(calls=calls))
        assert 1 <= len(server.requests) <= 4
    assert server.model in str(failed.value)
    assert len(calls) == len(server.requests)


@pytest.mark.parametrize("kind", [kind for kind in UNUSABLE if kind != "no choices"])
async def test_the_second_answer_counts(kind: str) -> None:
    with scripted(UNUSABLE[kind], chat(SUMMARY)) as server:
        summary = await summarizer(server).summarize(request())
        assert summary.text == SUMMARY.strip()
        assert "could not be used" in user_text(server, 1)


@pytest.mark.parametrize(
    "text",
    [
        f"<summary>\n{SUMMARY}</summary>",
        f"```markdown\n{SUMMARY}```",
        f"<think>So …</think>\n{SUMMARY}",
        f"{SUMMARY}\n<read-files>\nmade/up.py\n</read-files>",
    ],
)
async def test_wrappers_and_lists_of_files_are_taken_off(text: str) -> None:
    with scripted(chat(text)) as server:
        assert (await summarizer(server).summarize(request())).text == SUMMARY.strip()


class TestErrors:
    async def test_a_rate_limit_is_waited_for_as_long_as_the_provider_says(self) -> None:
        waits: list[float] = []
        calls: list[ModelCall] = []
        with scripted(failure(429, "slow down", Retry_After="7"), chat(SUMMARY)) as server:
            summary = await summarizer(server, waits).summarize(request(calls=calls))
        assert summary.text == SUMMARY.strip()
        assert waits == [7.0]
        assert [(call.outcome, call.retry) for call in calls] == [("failed", 0), ("answered", 1)]
        assert "429" in (calls[0].cause or "")

    async def test_a_wait_that_is_too_long_is_not_waited(self) -> None:
        waits: list[float] = []
        with scripted(failure(429, "tomorrow", Retry_After="86400"), repeat=True) as server:
            with pytest.raises(SummaryError, match="429") as failed:
                await summarizer(server, waits).summarize(request())
            assert len(server.requests) == 1
        assert waits == []
        assert failed.value.transient
        assert failed.value.retry_after == 86400

    async def test_server_errors_are_tried_again_with_growing_waits_and_an_end(self) -> None:
        waits: list[float] = []
        with scripted(failure(500), failure(502), failure(503), failure(529), repeat=True) as server:
            with pytest.raises(SummaryError):
                await summarizer(server, waits).summarize(request())
            assert len(server.requests) == Patience().tries
        assert waits == [1.0, 2.0, 4.0]

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
    async def test_a_request_that_is_wrong_is_not_sent_again(self, status: int) -> None:
        with scripted(failure(status, "wrong"), repeat=True) as server:
            with pytest.raises(SummaryError, match=str(status)) as failed:
                await summarizer(server).summarize(request())
            assert len(server.requests) == 1
        assert not failed.value.transient

    async def test_nobody_listens(self) -> None:
        with scripted() as server:
            name = server.model
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        with pytest.raises(SummaryError) as failed:
            await LLMSummarizer(name, sleep=sleep).summarize(request())
        assert failed.value.transient
        assert len(waits) == Patience().tries - 1

    @pytest.mark.parametrize(
        "answer",
        [
            Answer(b"", content_type="text/event-stream"),
            Answer(b"", content_type="application/json"),
            Answer(b"{not json"),
            Answer(b"<html>proxy</html>", content_type="text/html"),
            Answer(b'{"choices": [', length=4000),
            Answer({"object": "list", "data": []}),
            Answer({"error": {"message": "inside a 200", "code": 500}}),
        ],
        ids=["empty event stream", "empty", "wrong JSON", "a page", "broken off", "another thing", "an error with 200"],
    )
    async def test_what_is_no_answer_is_a_failure_with_its_cause(self, answer: Answer) -> None:
        calls: list[ModelCall] = []
        with scripted(answer, repeat=True) as server, pytest.raises(SummaryError) as failed:
            await summarizer(server).summarize(request(calls=calls))
        assert str(failed.value).startswith(server.model)
        assert {call.outcome for call in calls} <= {"failed", "answered"}
        assert 1 <= len(calls) <= Patience().tries + 1

    async def test_a_slow_drip_ends_at_the_timeout(self) -> None:
        with scripted(Answer(stream=drip), repeat=True) as server:
            with pytest.raises(SummaryError, match="timed out"):
                await asyncio.wait_for(summarizer(server, timeout=0.3).summarize(request()), 10)
            assert len(server.requests) == 1

    async def test_a_body_without_end_is_cut(self) -> None:
        with scripted(Answer(stream=flood), repeat=True) as server, pytest.raises(SummaryError, match="larger than"):
            await asyncio.wait_for(summarizer(server).summarize(request()), 30)

    async def test_a_compressed_body_is_not_unfolded(self) -> None:
        answer = Answer(b"\x1f\x8b\x08", headers={"Content-Encoding": "gzip"})
        with scripted(answer, repeat=True) as server, pytest.raises(SummaryError, match="compressed"):
            await summarizer(server).summarize(request())
        assert server.requests[0].headers["accept-encoding"] == "identity"

    async def test_a_model_that_nobody_knows(self) -> None:
        with pytest.raises(SettingsError, match="nonsense:model"):
            await LLMSummarizer("nonsense:model").summarize(request())

    async def test_a_summary_that_is_not_shorter_is_refused(self) -> None:
        with scripted(chat(SUMMARY), repeat=True) as server, pytest.raises(SummaryError, match="what it replaces"):
            await summarizer(server).summarize(request((message("user", "Fix it."),)))


async def test_cancelling_ends_the_call_at_once() -> None:
    calls: list[ModelCall] = []
    with scripted(Answer(stream=drip)) as server:
        task = asyncio.create_task(summarizer(server).summarize(request(calls=calls)))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.gone.wait, 10), "the connection was not closed"
    assert [call.outcome for call in calls] == ["cancelled"]


class TestSplitTurns:
    async def test_both_parts_are_asked_for_at_once(self) -> None:
        import threading

        both = threading.Barrier(2, timeout=20)

        def answer(text: str) -> Answer:
            import json

            raw = json.dumps(chat(text).body).encode()

            def write(send: Any, closed: Any) -> None:
                both.wait()  # each answer is held back until the other request has come
                send(raw)

            return Answer(stream=write)

        calls: list[ModelCall] = []
        with scripted(answer(SUMMARY), answer(SUMMARY)) as server:
            summary = await summarizer(server).summarize(request(turn_prefix=WORK, calls=calls))
        assert summary.text == f"{SUMMARY.strip()}\n\n---\n\n{SPLIT_TURN_HEADING}\n\n{SUMMARY.strip()}"
        assert {call.purpose for call in calls} == {"first", "turn-prefix"}

    async def test_a_turn_without_history_is_one_call(self) -> None:
        with scripted(chat(SUMMARY)) as server:
            summary = await summarizer(server).summarize(request((), turn_prefix=WORK))
            assert len(server.requests) == 1
        assert summary.text.endswith(f"{SPLIT_TURN_HEADING}\n\n{SUMMARY.strip()}")

    async def test_without_new_history_the_previous_summary_stays(self) -> None:
        with scripted(chat(SUMMARY)) as server:
            asked = request((), turn_prefix=WORK, previous_summary="## Goal\n- earlier")
            summary = await summarizer(server).summarize(asked)
        assert summary.text.startswith("## Goal\n- earlier\n\n---")

    async def test_one_part_that_fails_fails_the_whole(self) -> None:
        with scripted(failure(400), repeat=True) as server, pytest.raises(SummaryError, match="400"):
            await summarizer(server).summarize(request(turn_prefix=WORK))

    async def test_the_whole_stays_in_the_budget(self) -> None:
        with scripted(chat(SUMMARY), repeat=True) as server:
            summary = await summarizer(server).summarize(request(turn_prefix=WORK, budget=200))
            limits = [limit(sent.json) for sent in server.requests]
        assert estimate_text(summary.text) <= 200
        assert sum(limits) <= 200 * 1.25 + 32


class TestFolding:
    LONG = tuple(message("user", f"Step {number}: " + "change the parser again. " * 40) for number in range(60))

    async def test_a_conversation_longer_than_the_window_goes_part_by_part(self) -> None:
        calls: list[ModelCall] = []
        answers = [chat(f"## Goal\n- after part {number}") for number in range(1, 20)]
        with scripted(*answers) as server:
            summary = await summarizer(server, window=4000).summarize(request(self.LONG, calls=calls))
            texts = [user_text(server, index) for index in range(len(server.requests))]
        assert len(texts) > 3
        assert summary.text == f"## Goal\n- after part {len(texts)}"
        assert [call.purpose for call in calls] == ["first"] + ["update"] * (len(texts) - 1)
        assert "<previous-summary>" not in texts[0].split("</conversation>")[1].split("Summarise")[0]
        for number, text in enumerate(texts[1:], 1):
            assert f"<previous-summary>\n## Goal\n- after part {number}\n</previous-summary>" in text
        assert all(estimate_text(text) < 4000 for text in texts)
        told = "".join(texts)
        assert all(told.count(f"Step {number}:") == 1 for number in range(60))

    async def test_an_overflow_teaches_the_window(self) -> None:
        overflow = failure(400, "request (9000 tokens) exceeds the available context size (4000 tokens)")
        with scripted(overflow, chat(SUMMARY), repeat=True) as server:
            await summarizer(server).summarize(request(self.LONG))
            sizes = [estimate_text(user_text(server, index)) for index in range(len(server.requests))]
        assert sizes[0] > 4000
        assert all(size < 4000 for size in sizes[1:])

    async def test_an_overflow_without_a_number_halves_what_was_sent(self) -> None:
        overflow = failure(400, "prompt is too long")
        with scripted(overflow, overflow, chat(SUMMARY), repeat=True) as server:
            await summarizer(server).summarize(request(self.LONG))
            sizes = [estimate_text(user_text(server, index)) for index in range(3)]
        assert sizes[1] < sizes[0] * 0.6
        assert sizes[2] < sizes[1] * 0.7

    async def test_a_model_for_which_everything_is_too_long_is_given_up(self) -> None:
        with scripted(failure(400, "prompt is too long"), repeat=True) as server:
            with pytest.raises(SummaryError, match="nothing shorter"):
                await summarizer(server).summarize(request(self.LONG))
            assert len(server.requests) < 12

    async def test_a_server_that_cuts_without_a_word_is_noticed(self) -> None:
        calls: list[ModelCall] = []
        with scripted(chat(SUMMARY, usage=(512, 20)), repeat=True) as server:
            await summarizer(server).summarize(request(self.LONG, calls=calls))
            sizes = [estimate_text(user_text(server, index)) for index in range(len(server.requests))]
        assert sizes[0] > 5000
        assert sizes[-1] <= 1500, "as much as was sent cannot have been read"

    async def test_a_window_without_room_is_said(self) -> None:
        with scripted(chat(SUMMARY), repeat=True) as server:
            with pytest.raises(SummaryError, match="512 tokens has no room"):
                await summarizer(server, window=512).summarize(request(self.LONG))
            assert server.requests == []

    async def test_more_parts_than_are_reasonable_are_refused_before_the_first(self) -> None:
        long = (message("user", "word " * 4000),) * 40
        with scripted(chat(SUMMARY), repeat=True) as server:
            with pytest.raises(SummaryError, match="larger context window"):
                await summarizer(server, window=2400).summarize(request(long))
            assert server.requests == []

    async def test_a_previous_summary_that_would_fill_the_window_is_read_part_by_part(self) -> None:
        previous = "## Goal\n" + "- an old step of the parser\n" * 600
        with scripted(chat(SUMMARY), repeat=True) as server:
            await summarizer(server, window=4000).summarize(request(previous_summary=previous))
            texts = [user_text(server, index) for index in range(len(server.requests))]
        assert "Summary of earlier work" in texts[0]
        assert all(estimate_text(text) < 4000 for text in texts)


class TestShort:
    async def test_it_is_made_only_when_asked_for(self) -> None:
        with scripted(chat(SUMMARY), chat("The parser was fixed.")) as server:
            summary = await summarizer(server).summarize(request(short=True))
            assert len(server.requests) == 2
        assert summary.short == "The parser was fixed."

    async def test_the_summary_stands_without_it(self) -> None:
        with scripted(chat(SUMMARY), failure(400), repeat=True) as server:
            summary = await summarizer(server).summarize(request(short=True))
        assert summary.text == SUMMARY.strip()
        assert summary.short is None


class TestRedaction:
    SECRET = "AKIAQWERTYUIOPASDFGH"

    async def test_secrets_neither_leave_nor_come_back(self) -> None:
        history = (*WORK, message("toolResult", f"x{'y' * 1318} {self.SECRET} {'z' * 3000}", toolName="env"))
        asked = request(
            history,
            previous_summary=f"## Goal\n- use {self.SECRET}",
            instructions=f"keep {self.SECRET}",
            context_lines=(f"key {self.SECRET}",),
        )
        with scripted(chat(f"{SUMMARY}- the key is {self.SECRET}")) as server:
            summary = await summarizer(server).summarize(asked)
        assert self.SECRET not in server.requests[0].body.decode()
        assert self.SECRET not in summary.text
        assert summary.redacted == 5

    async def test_the_value_of_an_argument_is_judged_by_its_name(self) -> None:
        call = {"type": "toolCall", "id": "c", "name": "login", "arguments": {"PASSWORD": "hunter2-hunter2"}}
        with scripted(chat(SUMMARY)) as server:
            await summarizer(server).summarize(request((*WORK, message("assistant", [call]))))
        assert "hunter2" not in server.requests[0].body.decode()
