// Answers one JSON line for each JSON line on standard input, with what pi's own SessionManager does and says.
//
//   {"file": "s.jsonl"}                                     opens a file
//   {"folder": "dir", "cwd": "/srv"}                        makes a new session in a folder
//   {…, "steps": [["appendMessage", {…}], ["branch", "id"]]}  then calls these methods, in order
//
// The answer holds the results of the steps, and what pi sees: its leaf, path, context, labels, name.
import { createInterface } from "node:readline";
import { SessionManager } from "@mariozechner/pi-coding-agent";

function answer({ file, folder, cwd, steps = [] }) {
  const session = file ? SessionManager.open(file) : SessionManager.create(cwd, folder);
  const results = steps.map(([method, ...parameters]) => session[method](...parameters) ?? null);
  const context = session.buildSessionContext();
  const entries = session.getEntries();
  const labels = {};
  for (const { id } of entries) {
    const label = session.getLabel(id);
    if (label) labels[id] = label;
  }
  return {
    file: session.getSessionFile(),
    results,
    header: session.getHeader(),
    leaf: session.getLeafId(),
    entries: entries.map((entry) => entry.id),
    path: session.getBranch().map((entry) => entry.id),
    roots: session.getTree().map((node) => node.entry.id),
    messages: context.messages,
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    labels,
    name: session.getSessionName() ?? null,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = answer(JSON.parse(line));
  } catch (error) {
    said = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
