// Events that a user of the demo's terminal causes on its servers, by a letter and Enter.
import { createInterface } from 'node:readline';
import { say } from './setup.mjs';

const MOVED_SLOTS = 600;

const kill = ({ pid }) => process.kill(pid, 'SIGKILL');
const listed = (servers) => servers.map(({ port }) => `127.0.0.1:${port}`).join(', ');

/** By letter; each resolves with a sentence about the result. */
export const sentinelEvents = (sentinels) => {
  const isPrimary = ({ port }) => `The primary is now 127.0.0.1:${port}`;
  return {
    f: { text: 'orders a failover', run: async () => isPrimary(await sentinels.failover()) },
    k: {
      text: 'kills the primary',
      run: async () => {
        const primary = await sentinels.primary();
        kill(primary);
        return isPrimary(await sentinels.untilPrimaryIsNot(primary));
      },
    },
  };
};

/** The first slots of a server, up to the number to move. */
const someSlots = async (cluster, server) => {
  const slots = [];
  for (const [first, last] of await cluster.slotsOf(server)) {
    for (let slot = first; slot <= last && slots.length < MOVED_SLOTS; slot++) slots.push(slot);
  }
  return slots;
};

const replicaCounts = async (cluster, primaries) => {
  const counts = [];
  for (const primary of primaries) counts.push((await cluster.replicasOf(primary)).length);
  return counts;
};

export const clusterEvents = (cluster) => ({
  m: {
    text: `moves ${MOVED_SLOTS} slots to another primary and back`,
    run: async () => {
      const [from, to] = await cluster.primaries();
      const slots = await someSlots(cluster, from);
      await cluster.moveSlots(slots, to);
      say(`  ${slots.length} slots of ${listed([from])} are on ${listed([to])}.`);
      await cluster.moveSlots(slots, from);
      return 'They are back';
    },
  },
  k: {
    text: 'kills a primary: its replica takes over',
    run: async () => {
      const primaries = await cluster.primaries();
      const counts = await replicaCounts(cluster, primaries);
      const killed = primaries.find((_, i) => counts[i] > 0);
      if (!killed) throw new Error('No primary that has a replica is left.');
      const [[slot]] = await cluster.slotsOf(killed);
      kill(killed);
      const { port } = await cluster.untilServedBy(slot, (server) => server !== killed);
      return `127.0.0.1:${port} serves the slots of ${listed([killed])}`;
    },
  },
  n: {
    text: `adds a node, and moves ${MOVED_SLOTS} slots to it`,
    run: async () => {
      const added = await cluster.addNode();
      const [first] = await cluster.primaries();
      await cluster.moveSlots(await someSlots(cluster, first), added);
      return `The primaries are ${listed(await cluster.primaries())}`;
    },
  },
});

/** Lists the letters, and executes the requested events one after the other. */
export const listenForEvents = (events) => {
  for (const [letter, { text }] of Object.entries(events)) say(`    ${letter}  ${text}`);
  let done = Promise.resolve();
  const begin = async ({ text, run }) => {
    const from = Date.now();
    say(`  Somebody ${text}…`);
    say(`  ${await run()}, after ${Date.now() - from} ms.`);
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const asked = events[line.trim()];
    if (asked) done = done.then(() => begin(asked)).catch((error) => say(`  That failed: ${error.message}`));
  });
};
