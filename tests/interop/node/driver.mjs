// BullMQ, driven over stdin and stdout by the interop tests: one JSON object per line.
//
//   in:   {"call": 7, "op": "queue.add", ...arguments}
//   out:  {"call": 7, "result": ...}  or  {"call": 7, "error": {"name", "message", "code"?}}
//   out:  {"note": "completed", "of": "<label>", ...}     whenever a worker or reader hears something
//
// The ops are in driver/*.mjs; a label names a worker or an event reader that was opened. Each
// run of the driver has one server, whose port is its only argument.

import { createInterface } from "node:readline";

import { eventOps } from "./driver/events.mjs";
import { flowOps } from "./driver/flows.mjs";
import { queueOps } from "./driver/queues.mjs";
import { Room } from "./driver/room.mjs";
import { workerOps } from "./driver/workers.mjs";

const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const room = new Room({ host: "127.0.0.1", port: Number(process.argv[2]) }, write);

const ops = {
  ...queueOps(room),
  ...workerOps(room),
  ...eventOps(room),
  ...flowOps(room),
  reset: () => room.reset(),
};

async function answer({ call, op, ...args }) {
  try {
    if (!Object.hasOwn(ops, op)) throw new Error(`the driver has no op ${op}`);
    write({ call, result: (await ops[op](args)) ?? null });
  } catch (error) {
    const { name, message, code } = error;
    write({ call, error: { name, message, code } });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => answer(JSON.parse(line)));
lines.on("close", () => process.exit(0)); // the tests are over, or dead
write({ note: "ready" });
