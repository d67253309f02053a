import 'server-only';
import type { Redis } from 'ioredis';
import { classify, describeFailure, type FailureCode, knownFailure } from '../failure';

/** What one Sentinel reports about the primary of a name. */
export interface Named {
  /** `host:port`, from the Sentinel's point of view. */
  address: string;
  /** The config epoch: each failover raises it, so the highest is the newest. 0 where our user may not read it. */
  epoch: number;
  /** Whether enough Sentinels agree that it is down, or a failover is under way. */
  isDown: boolean;
  /** False when too few Sentinels see each other to start a failover. */
  hasQuorum: boolean;
}

export type SentinelAnswer = ({ from: string } & Named) | { from: string; named: null } | Silent;

interface Silent {
  from: string;
  error: unknown;
}

const isNamed = (answer: SentinelAnswer): answer is { from: string } & Named => 'address' in answer;
const isSilent = (answer: SentinelAnswer): answer is Silent => 'error' in answer;

/**
 * Asks a Sentinel about a name. Rejects with its refusal, or the reason why it does not answer. Null where it does not
 * know the name.
 */
export const askSentinel = async (redis: Redis, name: string): Promise<Named | null> => {
  const [address, facts, quorum] = (await redis
    .pipeline()
    .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)
    .call('SENTINEL', 'MASTER', name)
    .call('SENTINEL', 'CKQUORUM', name)
    .exec())!;
  const [error, pair] = address!;
  if (error) throw error;
  if (!Array.isArray(pair)) return null;
  // The other replies only add detail: a user may be permitted the first command only.
  const words = Array.isArray(facts![1]) ? facts![1].map(String) : [];
  const after = (field: string): string => words[words.indexOf(field) + 1] ?? '';
  return {
    address: pair.join(':'),
    epoch: Number(after('config-epoch')) || 0,
    isDown: /o_down|failover_in_progress/.test(after('flags')),
    hasQuorum: !quorum![0]?.message.startsWith('NOQUORUM'),
  };
};

/** The primary with the highest epoch; among equals the one most Sentinels name. */
export const newestOf = (answers: readonly SentinelAnswer[]): Named | null => {
  const named = answers.filter(isNamed);
  const count = ({ address }: Named) => named.filter((other) => other.address === address).length;
  return named.sort((a, b) => b.epoch - a.epoch || count(b) - count(a))[0] ?? null;
};

const BEGINNING: Partial<Record<FailureCode, string>> = {
  unreachable: 'none of its Sentinels answers',
  auth: 'its Sentinels refuse the user name or password that is set for them',
  tls: 'TLS with its Sentinels fails',
};

/** The error when no Sentinel names a primary. */
export const unnamed = (name: string, answers: readonly SentinelAnswer[]): Error => {
  const silent = answers.filter(isSilent);
  if (silent.length < answers.length)
    return knownFailure('unreachable', `its Sentinels watch no primary named "${name}"`);
  const codeOf = ({ error }: Silent): FailureCode => classify(error)?.code ?? 'unreachable';
  // A Sentinel's refusal is more informative than an unreachable one.
  const code = silent.map(codeOf).find((candidate) => candidate !== 'unreachable') ?? 'unreachable';
  const texts = silent
    .filter((error) => codeOf(error) === code)
    .map(({ from, error }) => `${from}: ${describeFailure(error)}`);
  return knownFailure(code, `${BEGINNING[code] ?? 'its Sentinels do not serve us'}. ${texts.join('; ')}`);
};

/** A primary the Sentinels name, but that cannot be used. */
interface Unusable {
  /** Its address from here. */
  address: string;
  /** Why it does not answer; null for a replica. */
  text: string | null;
  /** Whether it was used at this address before. */
  wasUsed: boolean;
}

/** The error for an unusable primary. */
export const unusable = ({ address, text, wasUsed }: Unusable, answers: readonly SentinelAnswer[]): Error => {
  const named = answers.filter(isNamed);
  const addresses = [...new Set(named.map((answer) => answer.address))];
  const what = text === null ? 'is a replica' : `does not answer: ${text}`;
  const why = (): string => {
    if (named.some(({ hasQuorum }) => !hasQuorum))
      return `its primary ${address} ${what}. Too few of its Sentinels see each other to choose another`;
    if (named.some(({ isDown }) => isDown))
      return `its primary ${address} is down, and its Sentinels are choosing another`;
    if (addresses.length > 1)
      return `its Sentinels do not agree on its primary: they name ${addresses.join(' and ')}`;
    if (wasUsed) return `its primary ${address} ${what}. Its Sentinels name no other yet`;
    return `its Sentinels name ${address} as primary, which ${what}. If it has another address from here, set natMap`;
  };
  return knownFailure('unreachable', why());
};
