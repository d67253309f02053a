// A primary with replicas, watched by Sentinels: for tests, drills and the demo. Uses Node's own modules only.
import { ask, stopServers, until } from './ask-redis.mjs';
import { startRedis } from './redis-server.mjs';

const HOST = '127.0.0.1';

const monitorLines = ({ name, primary, quorum, downAfterMs, failoverTimeoutMs }) => [
  `sentinel monitor ${name} ${HOST} ${primary.port} ${quorum}`,
  `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
  `sentinel failover-timeout ${name} ${failoverTimeoutMs}`,
  `sentinel parallel-syncs ${name} 5`,
];

/**
 * Starts a primary, its replicas and Sentinels on free ports of loopback. Resolves when every Sentinel knows the
 * replicas and the other Sentinels, so that a failover is possible.
 */
export const startSentinels = async ({
  name = 'mymaster',
  replicas = 1,
  sentinels = 3,
  quorum = 2,
  downAfterMs = 1500,
  failoverTimeoutMs = 5000,
  args = [],
} = {}) => {
  const started = [];
  const start = async (options) => {
    const server = await startRedis(options);
    started.push(server);
    return server;
  };
  const stop = () => stopServers(started.splice(0).reverse());
  try {
    const fast = ['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0', ...args];
    const primary = await start({ args: fast });
    const servers = [primary];
    for (let i = 0; i < replicas; i++) {
      servers.push(await start({ args: [...fast, '--replicaof', HOST, String(primary.port)] }));
    }
    for (const replica of servers.slice(1)) {
      await until(
        'A replica',
        () => ask(replica.port, 'INFO', 'replication'),
        (text) => text.includes('master_link_status:up'),
      );
    }
    const watching = [];
    for (let i = 0; i < sentinels; i++) {
      watching.push(
        await start({ sentinel: monitorLines({ name, primary, quorum, downAfterMs, failoverTimeoutMs }) }),
      );
    }
    const numberIn = (fields, name) => Number(fields[fields.indexOf(name) + 1]);
    for (const { port } of watching) {
      await until(
        'A Sentinel',
        () => ask(port, 'SENTINEL', 'MASTER', name),
        (fields) =>
          numberIn(fields, 'num-slaves') === replicas &&
          numberIn(fields, 'num-other-sentinels') === sentinels - 1,
      );
    }
    /** The primary's port according to most Sentinels. */
    const primaryPort = async () => {
      const named = await Promise.all(
        watching.map(({ port }) =>
          ask(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name).then(
            (address) => Number(address?.[1]),
            () => null,
          ),
        ),
      );
      const count = (port) => named.filter((other) => other === port).length;
      return named.filter(Boolean).sort((a, b) => count(b) - count(a))[0] ?? null;
    };
    const serverOn = (port) => servers.find((server) => server.port === port);
    return {
      name,
      nodes: watching.map(({ port }) => `${HOST}:${port}`),
      servers,
      sentinels: watching,
      primary: async () => serverOn(await primaryPort()),
      /** Resolves when the Sentinels name another primary, and it accepts writes. */
      async untilPrimaryIsNot(old) {
        const port = await until('Another primary', primaryPort, (port) => port !== old.port);
        await until(
          'Its role',
          () => ask(port, 'ROLE'),
          ([role]) => role === 'master',
        );
        return serverOn(port);
      },
      /** Orders a failover, and waits for its end. */
      async failover() {
        const old = serverOn(await primaryPort());
        await until(
          'SENTINEL FAILOVER',
          () => ask(watching[0].port, 'SENTINEL', 'FAILOVER', name),
          (text) => text === 'OK',
        );
        return this.untilPrimaryIsNot(old);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
