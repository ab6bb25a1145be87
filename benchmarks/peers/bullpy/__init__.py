"""bullpy as a peer: one file per work, each with an `async def run(peer)`."""
