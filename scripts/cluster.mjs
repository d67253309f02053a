// A Redis Cluster on loopback, whose slots can be moved: for tests, drills and the demo. Uses Node's own modules only.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ask, openRedis, stopServers, until } from './ask-redis.mjs';
import { SLOTS, slotOf } from './key-slot.mjs';
import { startRedis } from './redis-server.mjs';

const HOST = '127.0.0.1';
/** The port of a server's cluster bus, relative to its own. */
const BUS_OFFSET = 10_000;
/** Below the ports that the system assigns to connections, including the bus ports, so that none is taken in between. */
const PORTS = { from: 12_000, below: 22_000 };
/** Moving large keys takes a server some time. */
const MOVE_TIMEOUT_MS = 20_000;
const KEYS_PER_MOVE = 100;

const isFree = (port) =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, HOST, () => server.close(() => done(true)));
  });

const startNode = async (args) => {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(PORTS.from, PORTS.below);
    if (!((await isFree(port)) && (await isFree(port + BUS_OFFSET)))) continue;
    try {
      return await startRedis({ port, args });
    } catch (error) {
      if (attempt > 5 || !/in use|bind/i.test(error.message)) throw error;
    }
  }
};

/** The lines of CLUSTER NODES: `{ id, port, flags, primaryId, slots: [from, to][] }`. */
const parseNodes = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [id, address, flags, primaryId, , , , , ...slots] = line.split(' ');
      return {
        id,
        port: Number(/:(\d+)/.exec(address)[1]),
        flags: flags.split(','),
        primaryId,
        slots: slots
          .filter((range) => !range.startsWith('['))
          .map((range) => range.split('-').map(Number))
          .map(([first, last = first]) => [first, last]),
      };
    });

const nodesSeenBy = async (port) => parseNodes(await ask(port, 'CLUSTER', 'NODES'));
const ownerIn = (nodes, slot) =>
  nodes.find(({ slots }) => slots.some(([first, last]) => first <= slot && slot <= last));
const isPrimary = ({ flags }) => flags.includes('master');
const slotFor = (slotOrKey) => (typeof slotOrKey === 'number' ? slotOrKey : slotOf(slotOrKey));

/** A server's view of its cluster, equal for all servers that agree; null while it is incomplete. */
const viewOf = async (port, size) => {
  const info = await ask(port, 'CLUSTER', 'INFO');
  if (!info.includes('cluster_state:ok')) return null;
  const nodes = await nodesSeenBy(port);
  const known = nodes.filter(({ flags }) => !flags.includes('handshake') && !flags.includes('noaddr'));
  if (known.length < size) return null;
  return JSON.stringify(
    known.map(({ id, primaryId, slots }) => [id, primaryId, slots]).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

/**
 * Starts a cluster on free ports of loopback. Every promise resolves when every answering server reports
 * `cluster_state:ok` and all agree on roles and slots. Takes two seconds, because servers wait that long before they
 * serve.
 */
export const startCluster = async ({
  primaries = 3,
  replicas = 0,
  nodeTimeoutMs = 1500,
  args = [],
  isFullCoverage = true,
} = {}) => {
  const servers = [];
  const nodeArgs = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    String(nodeTimeoutMs),
    '--cluster-require-full-coverage',
    isFullCoverage ? 'yes' : 'no',
    '--repl-diskless-sync',
    'yes',
    '--repl-diskless-sync-delay',
    '0',
    ...args,
  ];
  const start = async () => {
    const server = await startNode(nodeArgs);
    servers.push(server);
    return server;
  };
  const serverOn = (port) => servers.find((server) => server.port === port);
  const running = () =>
    servers.filter(({ process: { exitCode, signalCode } }) => exitCode === null && !signalCode);

  /** CLUSTER NODES of the first server that answers. */
  const nodes = async () => {
    let failure = new Error('No server of the cluster answers.');
    for (const { port } of running()) {
      try {
        return await nodesSeenBy(port);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  const primariesIn = (seen) => seen.filter((node) => isPrimary(node) && node.slots.length > 0);

  const untilAgreed = () =>
    until(
      'A cluster that agrees',
      async () => {
        const answers = await Promise.allSettled(running().map(({ port }) => viewOf(port, servers.length)));
        return answers.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
      },
      (views) => views.length > 0 && views[0] !== null && views.every((view) => view === views[0]),
    );

  const meet = async (server) => {
    const [first] = running();
    await ask(first.port, 'CLUSTER', 'MEET', HOST, server.port);
  };
  const replicate = async (replica, primary) => {
    const id = await ask(primary.port, 'CLUSTER', 'MYID');
    await until(
      'CLUSTER REPLICATE',
      () => ask(replica.port, 'CLUSTER', 'REPLICATE', id),
      (reply) => reply === 'OK',
    );
    await until(
      'A replica',
      () => ask(replica.port, 'INFO', 'replication'),
      (text) => text.includes('master_link_status:up'),
    );
  };

  const stop = () => stopServers(servers);
  /** Moves started by `beginMove`, by slot. */
  const moves = new Map();

  const beginMove = async (slot, to) => {
    const seen = await nodes();
    const source = ownerIn(seen, slot);
    const target = seen.find(({ port }) => port === to.port);
    if (source.port === target.port) throw new Error(`Slot ${slot} is there already.`);
    await ask(target.port, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await ask(source.port, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    const others = primariesIn(seen).filter(({ port }) => port !== source.port && port !== target.port);
    moves.set(slot, { source, target, others });
  };
  const moveKeys = async (slot, count) => {
    const { source, target } = moves.get(slot);
    const redis = openRedis(source.port, MOVE_TIMEOUT_MS);
    try {
      const keys = await redis.ask('CLUSTER', 'GETKEYSINSLOT', slot, count);
      if (keys.length === 0) return 0;
      const bytes = keys.map((key) => Buffer.from(key, 'latin1'));
      await redis.ask('MIGRATE', HOST, target.port, '', 0, MOVE_TIMEOUT_MS, 'KEYS', ...bytes);
      return keys.length;
    } finally {
      redis.close();
    }
  };
  const assign = async (slot) => {
    const { source, target, others } = moves.get(slot);
    // The target first: a source that has given its slot away redirects to a target, which must already serve it.
    for (const { port } of [target, source, ...others]) {
      await ask(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
    }
    moves.delete(slot);
  };
  const untilServedBy = async (slotOrKey, predicate) => {
    const slot = slotFor(slotOrKey);
    await until(
      `Another server of slot ${slot}`,
      async () => serverOn(ownerIn(await nodes(), slot)?.port),
      (server) => server !== undefined && predicate(server),
    );
    await untilAgreed();
    return serverOn(ownerIn(await nodes(), slot).port);
  };

  try {
    await Promise.all(Array.from({ length: primaries * (1 + replicas) }, start));
    const owners = servers.slice(0, primaries);
    for (const [i, { port }] of owners.entries()) {
      // Without different epochs from the start, the servers take seconds to agree.
      await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
      const first = Math.floor((SLOTS * i) / primaries);
      const below = Math.floor((SLOTS * (i + 1)) / primaries);
      await ask(port, 'CLUSTER', 'ADDSLOTS', ...Array.from({ length: below - first }, (_, k) => first + k));
    }
    for (const server of servers.slice(1)) await meet(server);
    await Promise.all(
      servers.slice(primaries).map((replica, i) => replicate(replica, owners[i % primaries])),
    );
    await untilAgreed();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    servers,
    get nodes() {
      return servers.map(({ port }) => `${HOST}:${port}`);
    },
    async primaries() {
      const ports = primariesIn(await nodes()).map(({ port }) => port);
      return servers.filter(({ port }) => ports.includes(port));
    },
    async replicasOf(primary) {
      const seen = await nodes();
      const { id } = seen.find(({ port }) => port === primary.port);
      return seen
        .filter(({ primaryId, flags }) => primaryId === id && !flags.includes('fail'))
        .map(({ port }) => serverOn(port));
    },
    slotsOf: async (server) => (await nodes()).find(({ port }) => port === server.port).slots,
    slotOf,
    serverOf: async (key) => serverOn(ownerIn(await nodes(), slotOf(key)).port),
    beginMove,
    moveKeys,
    async endMove(slot) {
      while ((await moveKeys(slot, KEYS_PER_MOVE)) > 0);
      await assign(slot);
      await untilAgreed();
    },
    async moveSlots(slots, to, { batch = KEYS_PER_MOVE, signal, whileMoving } = {}) {
      for (const slot of slots) {
        signal?.throwIfAborted();
        await beginMove(slot, to);
        let moved = await moveKeys(slot, batch);
        await whileMoving?.(slot);
        while (moved > 0) moved = await moveKeys(slot, batch);
        await assign(slot);
      }
      await untilAgreed();
    },
    async addNode({ replicaOf } = {}) {
      const server = await start();
      await meet(server);
      if (replicaOf) await replicate(server, replicaOf);
      await untilAgreed();
      return server;
    },
    async failover(replica) {
      const seen = await nodes();
      const { port } =
        replica ?? seen.find(({ flags }) => flags.includes('slave') && !flags.includes('fail'));
      await ask(port, 'CLUSTER', 'FAILOVER');
      await until(
        'A failover',
        () => ask(port, 'ROLE'),
        ([role]) => role === 'master',
      );
      await untilAgreed();
      return serverOn(port);
    },
    untilServedBy,
    stop,
  };
};
