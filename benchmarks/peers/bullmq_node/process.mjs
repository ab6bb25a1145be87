// A worker and a queue full of jobs that do nothing.

import { payload, Queue, QUEUE, Worker } from "./peer.mjs";

export async function run(peer) {
  const queue = new Queue(QUEUE, { connection: peer.connection });
  const jobs = [];
  for (let n = 0; n < peer.jobs; n++) jobs.push({ name: "mail", data: payload(n) });
  await queue.addBulk(jobs);

  const worker = new Worker(QUEUE, async (job) => job.data.n, {
    connection: { ...peer.connection, enableAutoPipelining: peer.settings.auto_pipelining },
    concurrency: peer.settings.concurrency,
    autorun: false,
  });
  await worker.waitUntilReady();
  await peer.measure(async () => {
    let completed = 0;
    const all = new Promise((resolve) =>
      worker.on("completed", () => ++completed === peer.jobs && resolve()),
    );
    worker.run();
    await all;
  });
}
