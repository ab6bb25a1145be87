// Ops on event streams.

import { QueueEvents, QueueEventsProducer } from "bullmq";

import { BEGINNING } from "./room.mjs";

export const eventOps = (room) => ({
  /** Note these events, from the beginning of the stream on. */
  "events.open": async ({ label, queue, prefix, events: names }) => {
    const events = new QueueEvents(queue, {
      connection: room.connection,
      prefix,
      lastEventId: BEGINNING,
    });
    room.readers.set(label, events);
    events.on("error", (error) => room.note(label, "error", { message: error.message }));
    for (const event of names) {
      events.on(event, (fields) =>
        room.note(label, event, { fields: typeof fields === "string" ? {} : fields }),
      );
    }
    await events.waitUntilReady();
  },

  "events.publish": async ({ queue, prefix, event, fields }) => {
    const producer = new QueueEventsProducer(queue, { connection: room.connection, prefix });
    try {
      await producer.publishEvent({ eventName: event, ...fields });
    } finally {
      await producer.close();
    }
  },
});
