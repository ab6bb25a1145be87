// What the driver holds open, so that a test's leavings can be closed together.

import { FlowProducer, Queue, QueueEvents } from "bullmq";

// Without it a reader hears only what comes while a read is under way: BullMQ looks for `$`.
export const BEGINNING = "0-0";

export class Room {
  /**
   * @param {{host: string, port: number}} server
   * @param {(line: object) => void} write sends one line to the tests
   */
  constructor(server, write) {
    this.connection = { ...server, maxRetriesPerRequest: null };
    this.write = write;
    this.clear();
  }

  clear() {
    this.queues = new Map();
    this.readers = new Map(); // label -> QueueEvents that note what they hear
    this.waiters = new Map(); // queue -> QueueEvents for waitUntilFinished
    this.workers = new Map(); // label -> {worker, holds, jobs}
    this.flows = new Map();
  }

  note(of, note, fields = {}) {
    this.write({ note, of, ...fields });
  }

  queue({ queue, prefix }) {
    return this.kept(this.queues, `${prefix}:${queue}`, () =>
      new Queue(queue, { connection: this.connection, prefix }),
    );
  }

  flow({ prefix }) {
    return this.kept(this.flows, prefix, () =>
      new FlowProducer({ connection: this.connection, prefix }),
    );
  }

  async waiter({ queue, prefix }) {
    const events = this.kept(this.waiters, `${prefix}:${queue}`, () =>
      new QueueEvents(queue, {
        connection: this.connection,
        prefix,
        lastEventId: BEGINNING,
      }),
    );
    await events.waitUntilReady();
    return events;
  }

  kept(map, key, make) {
    if (!map.has(key)) {
      const made = make();
      made.on("error", (error) => this.note(key, "error", { message: error.message }));
      map.set(key, made);
    }
    return map.get(key);
  }

  /** Close everything; jobs that are held are let go first, so that nothing waits for them. */
  async reset() {
    const { queues, readers, waiters, workers, flows } = this;
    this.clear();
    for (const { holds } of workers.values()) holds.releaseAll();
    await Promise.all([...workers.values()].map(({ worker }) => worker.close()));
    const rest = [queues, readers, waiters, flows].flatMap((map) => [...map.values()]);
    await Promise.all(rest.map((one) => one.close()));
  }
}
