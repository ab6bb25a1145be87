// One add after the other, each awaited.

import { payload, Queue, QUEUE } from "./peer.mjs";

export async function run(peer) {
  const queue = new Queue(QUEUE, { connection: peer.connection });
  await queue.waitUntilReady();
  await queue.add("warm-up", payload(0));
  await peer.measure(async () => {
    for (let n = 0; n < peer.jobs; n++) await peer.timed(() => queue.add("mail", payload(n)));
  });
}
