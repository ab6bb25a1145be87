// Ops on workers.

import { Worker } from "bullmq";

import { Holds, processor } from "./processors.mjs";
import { view } from "./view.mjs";

export const workerOps = (room) => ({
  /** Without a recipe the worker is driven by hand, through worker.call. */
  "worker.open": async ({ label, queue, prefix, recipe, opts }) => {
    const holds = new Holds();
    const note = (event, fields) => room.note(label, event, fields);
    const worker = new Worker(queue, recipe ? processor(recipe, { holds, note }) : null, {
      connection: room.connection,
      prefix,
      ...opts,
    });
    listen(worker, note);
    room.workers.set(label, { worker, holds, jobs: new Map() });
    await worker.waitUntilReady();
  },

  /** Let the held jobs go on; how many there were. */
  "worker.release": ({ label }) => theWorker(room, label).holds.releaseAll(),

  /** Any method of Worker with plain arguments. */
  "worker.call": async ({ label, method, args }) =>
    view(await theWorker(room, label).worker[method](...(args ?? []))),

  /** Take a job by hand; finish it with worker.complete or worker.fail. */
  "worker.take": async ({ label, token }) => {
    const { worker, jobs } = theWorker(room, label);
    const job = await worker.getNextJob(token);
    if (job) jobs.set(job.id, job);
    return job ? view(job) : null;
  },

  "worker.complete": async ({ label, id, value, token }) => {
    await theWorker(room, label).jobs.get(id).moveToCompleted(value, token, false);
  },

  "worker.fail": async ({ label, id, message, token }) => {
    await theWorker(room, label).jobs.get(id).moveToFailed(new Error(message), token, false);
  },
});

function theWorker(room, label) {
  const found = room.workers.get(label);
  if (!found) throw new Error(`no worker ${label}`);
  return found;
}

function listen(worker, note) {
  worker.on("active", (job) => note("active", { jobId: job.id }));
  worker.on("progress", (job, progress) => note("progress", { jobId: job.id, progress }));
  worker.on("completed", (job, result) => note("completed", { jobId: job.id, result }));
  worker.on("failed", (job, error) =>
    note("failed", { jobId: job.id, message: error.message, attemptsMade: job.attemptsMade }),
  );
  worker.on("stalled", (jobId) => note("stalled", { jobId }));
  worker.on("drained", () => note("drained"));
  worker.on("lockRenewalFailed", (jobIds) => note("lockRenewalFailed", { jobIds }));
  worker.on("error", (error) => note("error", { message: error.message }));
}
