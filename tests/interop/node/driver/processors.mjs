// What the workers of the tests do with a job. tests/interop/processors.py is the twin in Python:
// same recipes, same results, but for `by`.

import { UnrecoverableError } from "bullmq";

const BY = "node";

/** Jobs that wait until a test lets them go on. */
export class Holds {
  constructor() {
    this.waiting = new Set();
  }

  hold() {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  releaseAll() {
    const released = this.waiting.size;
    for (const release of this.waiting) release();
    this.waiting.clear();
    return released;
  }
}

const RECIPES = {
  echo: async (job) => ({ by: BY, data: job.data }),

  return: async (_job, { value }) => value,

  fail: async (job, { times = Infinity, message = "boom", unrecoverable = false }) => {
    if (job.attemptsMade >= times) return { by: BY, attemptsMade: job.attemptsMade };
    throw unrecoverable ? new UnrecoverableError(message) : new Error(message);
  },

  progress: async (job, { steps }) => {
    for (const step of steps) await job.updateProgress(step);
    return { by: BY };
  },

  log: async (job, { rows }) => {
    for (const row of rows) await job.log(row);
    return { by: BY };
  },

  update: async (job, { data }) => {
    await job.updateData(data);
    return { by: BY };
  },

  hold: async (job, _recipe, { holds, note }) => {
    const held = holds.hold();
    note("holding", { jobId: job.id });
    await held;
    return { by: BY, data: job.data };
  },

  sum: async (job) => {
    const values = await job.getChildrenValues();
    const ignored = await job.getIgnoredChildrenFailures();
    const sums = Object.values(values).map((value) => value.sum);
    const sum = sums.reduce((total, one) => total + one, job.data.n ?? 0);
    return { by: BY, sum, children: Object.keys(values).sort(), ignored };
  },
};

/** @param recipe `{"do": "echo", ...}`, or `{"by_name": {"job name": recipe}}` */
export function processor(recipe, tools) {
  return async (job) => {
    const chosen = recipe.by_name ? recipe.by_name[job.name] : recipe;
    if (!chosen) throw new Error(`no recipe for jobs named ${job.name}`);
    return RECIPES[chosen.do](job, chosen, tools);
  };
}
