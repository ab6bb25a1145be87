// All jobs in one bulk.

import { payload, Queue, QUEUE } from "./peer.mjs";

export async function run(peer) {
  const queue = new Queue(QUEUE, { connection: peer.connection });
  await queue.waitUntilReady();
  await queue.add("warm-up", payload(0));
  await peer.measure(async () => {
    const jobs = [];
    for (let n = 0; n < peer.jobs; n++) jobs.push({ name: "mail", data: payload(n) });
    await queue.addBulk(jobs);
  });
}
