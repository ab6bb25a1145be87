// Ops on queues and on single jobs.

import { view } from "./view.mjs";

export const queueOps = (room) => ({
  "queue.add": async ({ name, data, opts, ...where }) =>
    view(await room.queue(where).add(name, data, opts)),

  "queue.add_bulk": async ({ jobs, ...where }) => view(await room.queue(where).addBulk(jobs)),

  /** Any method of Queue with plain arguments. */
  "queue.call": async ({ method, args, ...where }) =>
    view(await room.queue(where)[method](...(args ?? []))),

  /** Any method of Job with plain arguments. */
  "job.call": async ({ id, method, args, ...where }) => {
    const job = await theJob(room, where, id);
    return view(await job[method](...(args ?? [])));
  },

  "job.wait": async ({ id, ttl, ...where }) => {
    const events = await room.waiter(where);
    const job = await theJob(room, where, id);
    return job.waitUntilFinished(events, ttl);
  },
});

async function theJob(room, where, id) {
  const job = await room.queue(where).getJob(id);
  if (!job) throw new Error(`no job ${id} in ${where.queue}`);
  return job;
}
