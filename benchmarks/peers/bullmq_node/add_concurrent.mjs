// All adds at once, on one queue.

import { payload, Queue, QUEUE } from "./peer.mjs";

export async function run(peer) {
  const queue = new Queue(QUEUE, {
    connection: { ...peer.connection, enableAutoPipelining: peer.settings.auto_pipelining },
  });
  await queue.waitUntilReady();
  await queue.add("warm-up", payload(0));
  await peer.measure(async () => {
    const adds = [];
    for (let n = 0; n < peer.jobs; n++) adds.push(queue.add("mail", payload(n)));
    await Promise.all(adds);
  });
}
