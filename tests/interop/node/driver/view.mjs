// Jobs as the tests see them: the same fields under the same names for both languages.

import { Job } from "bullmq";

const FIELDS = [
  "id", "name", "data", "progress", "returnvalue", "attemptsMade", "attemptsStarted",
  "stalledCounter", "delay", "priority", "timestamp", "stacktrace", "processedOn", "finishedOn",
  "failedReason", "parentKey", "deferredFailure", "processedBy", "deduplicationId",
];

const DEFAULTS = { delay: 0, stacktrace: [] };

export function view(value) {
  if (value instanceof Job) {
    return Object.fromEntries(FIELDS.map((field) => [field, value[field] ?? DEFAULTS[field] ?? null]));
  }
  return Array.isArray(value) ? value.map(view) : value;
}

export function treeView(tree) {
  const { job, children } = tree;
  return { job: view(job), children: (children ?? []).map(treeView) };
}
