// TLS: each fault has its own reason, and certificates are renewed while the console runs.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@/lib/connections/schema';
import { type Authority, certificates, type Pair } from '../testing/certificates';
import type { PrivateConsole } from '../testing/private-console';
import { get, until } from './api';
import { type Report, withConsole } from './report';

const redisServers = () => import('../redis-server.mjs');

const SENTENCES = {
  'wrong-ca': 'its certificate is not signed by an authority that is trusted here',
  'no-client-certificate': /client certificate/,
  expired: 'its certificate has expired',
  'wrong-name': 'its certificate is for another name',
  'plain-port': 'it does not speak TLS on this port',
};

/** Servers with TLS on fixed ports, so that they can be restarted with other certificates. */
const tlsServers = () => {
  const started = new Map<number, { stop(): Promise<void> }>();
  const start = async (port: number, pair: Pair, ca: string, ...args: string[]): Promise<void> => {
    await started.get(port)?.stop();
    const { startRedis } = await redisServers();
    const files = ['--tls-cert-file', pair.cert, '--tls-key-file', pair.key, '--tls-ca-cert-file', ca];
    started.set(port, await startRedis({ args: ['--tls-port', String(port), ...files, ...args] }));
  };
  const stopAll = () => Promise.all([...started.values()].map((server) => server.stop()));
  return { start, stopAll };
};

const reasonOf = async (own: PrivateConsole, id: string): Promise<string> => {
  const list = await get<{ items: Connection[] }>(own, '/api/v1/connections');
  const row = list.body.items?.find((candidate) => candidate.id === id);
  return row ? (row.statusReason ?? row.status) : `no such connection: ${list.status}`;
};

const matches = (reason: string, sentence: string | RegExp): boolean =>
  typeof sentence === 'string' ? reason.includes(sentence) : sentence.test(reason);

/** Reads every 20 ms; the longest time without an answer, ms. */
const gapDuring = async (own: PrivateConsole, work: () => Promise<void>): Promise<number> => {
  const answered: number[] = [Date.now()];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const { status } = await get(own, '/api/v1/connections/renewed/keys?limit=1');
      if (status === 200) answered.push(Date.now());
      await delay(20);
    }
  })();
  await work();
  const renewed = Date.now();
  await until('reads after it', async () => (answered.at(-1)! > renewed ? true : null), 15_000);
  isOver = true;
  await reading;
  return Math.max(...answered.slice(1).map((at, i) => at - answered[i]!));
};

export const run = async (report: Report): Promise<void> => {
  const made = certificates();
  const servers = tlsServers();
  const { freePort, startRedis } = await redisServers();
  const plain = await startRedis();
  try {
    const [ours, others] = [made.authority(), made.authority()];
    const client = ours.issue();
    const files = {
      ca: join(made.dir, 'trusted.pem'),
      cert: join(made.dir, 'own.pem'),
      key: join(made.dir, 'own.key'),
    };
    const put = (authority: Authority, pair: Pair): void => {
      copyFileSync(authority.ca, files.ca);
      copyFileSync(pair.cert, files.cert);
      copyFileSync(pair.key, files.key);
    };
    put(ours, client);
    const [good, expired, elsewhere] = [await freePort(), await freePort(), await freePort()];
    await servers.start(good, ours.issue(), ours.ca);
    await servers.start(expired, ours.issue({ isExpired: true }), ours.ca);
    await servers.start(elsewhere, ours.issue({ names: 'DNS:redis.example' }), ours.ca);
    const at = (port: number) => `rediss://127.0.0.1:${port}`;
    const trusted = { ca: ours.ca, ...client };
    const entries = [
      { id: 'renewed', url: at(good), tls: files },
      { id: 'wrong-ca', url: at(good), tls: { ...trusted, ca: others.ca } },
      { id: 'no-client-certificate', url: at(good), tls: { ca: ours.ca } },
      { id: 'expired', url: at(expired), tls: trusted },
      { id: 'wrong-name', url: at(elsewhere), tls: trusted },
      { id: 'plain-port', url: at(plain.port), tls: trusted },
    ];
    await withConsole(entries, async (own) => {
      for (const [id, sentence] of Object.entries(SENTENCES)) {
        let reason = '';
        const isSaid = await until(
          id,
          async () => {
            reason = await reasonOf(own, id);
            return matches(reason, sentence) ? true : null;
          },
          15_000,
        ).catch(() => false);
        report.check(id, isSaid, `"${reason}"`);
      }
      const renewals: [string, () => Promise<void>][] = [
        ['the server has a new certificate', () => servers.start(good, ours.issue(), ours.ca)],
        [
          'the client certificate is renewed',
          async () => {
            put(ours, ours.issue());
            await servers.start(good, ours.issue(), ours.ca);
          },
        ],
        [
          'everything has a new authority',
          async () => {
            put(others, others.issue());
            await servers.start(good, others.issue(), others.ca);
          },
        ],
      ];
      for (const [what, renew] of renewals) {
        const gap = await gapDuring(own, renew).catch(() => null);
        const isReady = async () => ((await reasonOf(own, 'renewed')) === 'ready' ? true : null);
        await until(what, isReady, 5000).catch(() => undefined);
        const reason = await reasonOf(own, 'renewed');
        report.check(
          `reads go on: ${what}`,
          gap !== null && reason === 'ready',
          `longest gap ${gap} ms, "${reason}"`,
        );
      }
    });
  } finally {
    await Promise.all([servers.stopAll(), plain.stop()]);
    made.remove();
  }
};
