// Runs one work: node run.mjs WORK SETTINGS

import { Peer } from "./peer.mjs";

const [work, settings] = process.argv.slice(2);
const { run } = await import(`./${work.replaceAll("-", "_")}.mjs`);
await run(new Peer(JSON.parse(settings)));
process.exit(0);
