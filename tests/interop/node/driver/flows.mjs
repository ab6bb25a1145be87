// Ops on job trees.

import { treeView } from "./view.mjs";

export const flowOps = (room) => ({
  "flow.add": async ({ tree, ...where }) => treeView(await room.flow(where).add(tree)),

  "flow.get": async ({ queue, id, ...where }) => {
    const tree = await room.flow(where).getFlow({ queueName: queue, id, prefix: where.prefix });
    return tree && treeView(tree);
  },
});
