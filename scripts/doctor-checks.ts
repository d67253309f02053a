// The work of `npm run doctor`, bundled for plain Node: what may be wrong around the console, each with a remedy.
import { judgeFeatures } from '@/lib/command/capable';
import { catalogOf } from '@/lib/command/context';
import { discoveryUrl, type Env } from '@/lib/configuration';
import { isLoopback } from '@/lib/configuration-values';
import { stateOfStore } from '@/lib/overview/health';
import { storeDoor, storePolicy } from '@/lib/overview/store-policy';
import { type ConnectionHandle, openConnections, readOnlyReason } from '@/lib/redis/connections';
import { toServerInfo } from '@/lib/redis/info';
import { readClock } from '@/lib/redis/server-counters';
import { openStore, type Store, unsuitableStore } from '@/lib/redis/store';
import { primariesOf, readyClient } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';
import { newerProblem, readVersion } from '@/lib/upgrade/stored-version';
import { type Finding, failed, ok, warning } from './doctor-finding';

/** Sessions, MACs and expiries are compared across machines. */
const MAX_SKEW_MS = 30 * SECOND;
const TIMEOUT_MS = 10 * SECOND;
const NEARLY_FULL = 0.9;

const withinTime = <T>(work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${TIMEOUT_MS / SECOND} s.`)), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** A first attempt may end before the handshake does, and the failure of the handshake says more. */
const twice = <T>(work: () => Promise<T>): Promise<T> => work().catch(work);

const isTooOld = ({ product, version }: { product: string; version: string }): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = product === 'valkey' ? [7, 2] : [6, 2];
  return major < least || (major === least && minor < leastMinor);
};

/** `skewMs`: by how much the server's clock is ahead of ours. */
const clockFinding = (about: string, skewMs: number): Finding[] => {
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [];
  const seconds = Math.round(Math.abs(skewMs) / SECOND);
  const text = `its clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
  return [
    failed(
      about,
      text,
      'Synchronise both clocks (NTP): expiries, sign-ins and the audit log depend on them.',
    ),
  ];
};

const storeFindings = async (store: Store, env: Env, now: () => number): Promise<Finding[]> => {
  const about = 'store';
  const unsuitable = await unsuitableStore(store);
  if (unsuitable) return [failed(about, unsuitable, 'Use a Redis that is not a cluster for the store.')];
  const { text, skewMs } = await store.use(async (redis) => ({
    text: await redis.info(),
    skewMs: (await readClock(redis)).server - now(),
  }));
  const server = toServerInfo(text, 0, 0);
  const findings = clockFinding(about, skewMs);
  if (isTooOld(server))
    findings.push(
      failed(about, `it is ${server.product} ${server.version}`, 'Use Redis 6.2 or Valkey 7.2, or newer.'),
    );
  if (server.role === 'replica')
    findings.push(failed(about, 'it is a read-only replica', 'Set KEYWARD_STORE_URL to its primary.'));
  const newer = newerProblem(await readVersion(store));
  if (newer)
    findings.push(failed(about, newer.message, 'Start that version, or restore a backup of before.'));
  const { state, reason } = await stateOfStore(store);
  if (state === 'full')
    findings.push(failed(about, reason!, 'Make room there, and see the log of the server.'));
  else if (server.maxMemoryBytes > 0 && server.usedMemoryBytes >= server.maxMemoryBytes * NEARLY_FULL)
    findings.push(
      warning(
        about,
        `it uses ${Math.floor((100 * server.usedMemoryBytes) / server.maxMemoryBytes)} % of its maxmemory`,
        'Raise maxmemory: changes are refused once it is reached.',
      ),
    );
  const policy = await storePolicy(store);
  if (policy)
    findings.push(
      warning(about, policy.text, 'Set maxmemory-policy to noeviction and appendonly to yes on that server.'),
    );
  const door = env.storeUrl ? storeDoor(env) : null;
  if (door)
    findings.push(warning(about, door.text, 'Give it a password, and use rediss:// across a network.'));
  return findings.length > 0 ? findings : [ok(about, `${server.product} ${server.version}, persistent`)];
};

/** The console's own store: whether it answers, persists its data, and refuses strangers. */
export const checkStore = async (env: Env, storeUrl: string, now = Date.now): Promise<Finding[]> => {
  const store = openStore(storeUrl, { tls: env.storeTls, sentinel: env.storeSentinel });
  try {
    return await withinTime(twice(() => storeFindings(store, env, now)));
  } catch (error) {
    return [
      failed(
        'store',
        (error as Error).message,
        'Check KEYWARD_STORE_URL: address, password, TLS, and whether it runs.',
      ),
    ];
  } finally {
    store.close();
  }
};

const featureFindings = async (handle: ConnectionHandle, about: string): Promise<Finding[]> => {
  const judged = await judgeFeatures(handle, catalogOf(handle));
  const missing = judged.filter(({ state }) => state === 'no');
  if (missing.length === 0) return [];
  const rules = [...new Set(missing.flatMap(({ acl }) => acl?.split(' ') ?? []))];
  const titles = missing.map(({ feature }) => feature.title).join(', ');
  const remedy =
    rules.length > 0
      ? `ACL SETUSER of its user: ${rules.join(' ')}`
      : [...new Set(missing.flatMap(({ reason }) => reason ?? []))].join('; ');
  return [warning(about, `${missing.length} of ${judged.length} features do not work: ${titles}`, remedy)];
};

const connectionFindings = async (
  handle: ConnectionHandle,
  about: string,
  now: () => number,
): Promise<Finding[]> => {
  const { id } = handle.config;
  const [node] = await primariesOf(id, handle.topology);
  const redis = await readyClient(id, node!, 'read');
  const server = toServerInfo(await redis.info(), 0, 0);
  const findings = clockFinding(about, (await readClock(redis)).server - now());
  if (isTooOld(server))
    findings.push(
      failed(about, `it is ${server.product} ${server.version}`, 'Use Redis 6.2 or Valkey 7.2, or newer.'),
    );
  if ((await readOnlyReason(handle)) === 'replica')
    findings.push(
      warning(about, 'it is a read-only replica: nothing can be changed', 'Connect to its primary.'),
    );
  findings.push(...(await featureFindings(handle, about)));
  return findings.length > 0
    ? findings
    : [ok(about, `${server.product} ${server.version}, every feature works`)];
};

/** Each connection: whether it answers, and what its Redis user may do. */
export const checkConnections = async (env: Env, now = Date.now): Promise<Finding[]> => {
  const handles = openConnections(env.connections);
  const check = async (handle: ConnectionHandle): Promise<Finding[]> => {
    const about = `connection ${handle.config.id}`;
    try {
      return await withinTime(twice(() => connectionFindings(handle, about, now)));
    } catch (error) {
      return [failed(about, (error as Error).message, 'Check its address, user, password and TLS.')];
    }
  };
  try {
    return (await Promise.all([...handles.values()].map(check))).flat();
  } finally {
    for (const { topology } of handles.values()) topology.close();
  }
};

/** Whether the OpenID provider answers, and is the configured one. */
export const checkProvider = async ({ oidc }: Env): Promise<Finding[]> => {
  const about = 'provider';
  if (!oidc) return [];
  const url = discoveryUrl(oidc);
  const remedy = 'Check KEYWARD_OIDC_ISSUER, the name server, and the certificate of the provider.';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return [failed(about, `${url} answers ${response.status}`, remedy)];
    const { issuer } = (await response.json()) as { issuer?: unknown };
    if (issuer === oidc.issuer) return [ok(about, `${oidc.issuer} answers`)];
    const text = `it calls itself ${JSON.stringify(issuer)}, not ${JSON.stringify(oidc.issuer)}`;
    return [failed(about, text, 'Set KEYWARD_OIDC_ISSUER to exactly what its discovery document has.')];
  } catch (error) {
    return [failed(about, `${url} is not reached (${reasonOf(error)})`, remedy)];
  }
};

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
};

/** Whether people reach the running console at its address, `NEXTAUTH_URL`. */
export const checkAddress = async ({ nextAuthUrl, basePath, trustedProxies }: Env): Promise<Finding[]> => {
  const about = 'address';
  if (!nextAuthUrl) return [];
  const url = new URL(nextAuthUrl);
  const { origin, protocol } = url;
  const findings: Finding[] = [];
  const isLocal = isLoopback(url);
  if (protocol === 'http:' && !isLocal)
    findings.push(
      warning(
        about,
        `${origin} is not encrypted: passwords and sessions cross the network`,
        'Use https in front of it.',
      ),
    );
  if (!isLocal && trustedProxies.length === 0)
    findings.push(
      warning(
        about,
        'no proxy is trusted, so all people have one address: their failed sign-ins count together',
        'Set KEYWARD_TRUSTED_PROXIES to the address of the proxy.',
      ),
    );
  try {
    const response = await fetch(`${origin}${basePath}/api/health`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return findings.length > 0 ? findings : [ok(about, `${origin} reaches the console`)];
    const remedy =
      response.status === 400
        ? 'The proxy must pass the Host header on.'
        : 'Check where the proxy sends requests, and whether the console runs.';
    return [...findings, failed(about, `${origin} answers ${response.status}`, remedy)];
  } catch (error) {
    const remedy = 'Check NEXTAUTH_URL, the name server, the proxy and its certificate.';
    return [...findings, failed(about, `${origin} is not reached (${reasonOf(error)})`, remedy)];
  }
};

export { failed, ok } from './doctor-finding';
export { checkBackupDir, checkMemory, checkPort, checkState, privateStore } from './doctor-machine';
