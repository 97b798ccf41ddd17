// pi's side of benchmarks/speed.py: one JSON line in, one out, with the milliseconds that pi took.
//   node pi_speed.mjs <folder of the package @mariozechner/pi-coding-agent>
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { SessionManager } = await import(pathToFileURL(`${folder}/dist/core/session-manager.js`));
const { prepareCompaction } = await import(pathToFileURL(`${folder}/dist/core/compaction/compaction.js`));

let held;
let writer;

function timed(work) {
  const start = process.hrtime.bigint();
  const result = work();
  return [Number(process.hrtime.bigint() - start) / 1e6, result];
}

const tasks = {
  open: ({ file }) => timed(() => (held = SessionManager.open(file)))[0],
  context: () => timed(() => held.buildSessionContext().messages.length)[0],
  plan: () => {
    const path = held.getBranch();
    const settings = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };
    return timed(() => prepareCompaction(path, settings))[0];
  },
  append: ({ folder: target, message, times }) => {
    writer ??= SessionManager.create("/srv/demo", target);
    writer.appendMessage(message);
    return timed(() => {
      for (let i = 0; i < times; i++) writer.appendMessage(message);
    })[0];
  },
  memory: () => process.memoryUsage().rss / 1e6,
  forget: () => ((held = undefined), 0),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { task, ...parameters } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(tasks[task](parameters))}\n`);
}
