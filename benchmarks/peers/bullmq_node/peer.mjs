// The frame of a Node peer: what benchmarks/peers/bullpy/frame.py is for Python.
//
//   node run.mjs WORK '{"host", "port", "jobs", ...settings}'
//
// Says {"ready": true}, waits for a line, does the work, says {"done": {...}}, waits for another
// line (meanwhile the harness looks at Redis) and ends.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

// One pinned installation for tests and benchmarks.
const require = createRequire(new URL("../../../tests/interop/node/", import.meta.url));
export const { Queue, Worker } = require("bullmq");

export const QUEUE = "bench";

export class Peer {
  constructor(settings) {
    this.settings = settings;
    this.jobs = settings.jobs;
    this.connection = { host: settings.host, port: settings.port, maxRetriesPerRequest: null };
    this.latencies = [];
    this.lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  }

  /** Do the work between "go" and "done"; nothing outside counts. */
  async measure(work) {
    this.say({ ready: true });
    await this.lines.next();
    const cpu = process.cpuUsage();
    const start = process.hrtime.bigint();
    await work();
    const wall = Number(process.hrtime.bigint() - start) / 1e9;
    const { user, system } = process.cpuUsage(cpu);
    this.say({
      done: {
        wall_s: wall,
        cpu_s: (user + system) / 1e6,
        peak_rss_mb: process.resourceUsage().maxRSS / 1024,
        latencies_us: this.latencies,
      },
    });
    await this.lines.next();
  }

  /** Do one thing of many, and note how long it took. */
  async timed(action) {
    const start = process.hrtime.bigint();
    await action();
    this.latencies.push(Number(process.hrtime.bigint() - start) / 1e3);
  }

  say(message) {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }
}

/** The same data for every peer. */
export const payload = (n) => ({ to: `user${n}@example.com`, template: "welcome", n });
