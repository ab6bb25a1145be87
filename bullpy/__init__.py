"""Job queues and job trees on Redis, speaking BullMQ's protocol."""
