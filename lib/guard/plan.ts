import 'server-only';
import { setImmediate } from 'node:timers/promises';
import { badInput } from '@/lib/errors';
import { keyFromId } from '@/lib/keyspace/display';
import { canonicalIp } from './address';
import { addressFault } from './address-faults';
import type { AddedIp } from './schema';

/** A pasted list, parsed: a verdict per line, and the addresses to add, each once. */
export interface BanPlan {
  lines: {
    input: string;
    ip: string | null;
    verdict: 'add' | 'repeated' | 'invalid' | 'protected';
    reason: string;
  }[];
  ips: string[];
}

/** Characters of an entry that are read and echoed. */
const MAX_LENGTH = 200;

/** Lines parsed before the event loop may do other work. */
const BATCH_SIZE = 500;

/** Parses pasted lines; surrounding space is ignored. */
export const planBans = async (
  inputs: readonly string[],
  isProtected: (ip: string) => boolean,
): Promise<BanPlan> => {
  const ips = new Set<string>();
  const lineOf = (pasted: string): BanPlan['lines'][number] => {
    const input = pasted.slice(0, MAX_LENGTH);
    if (pasted.length > MAX_LENGTH)
      return { input, ip: null, verdict: 'invalid', reason: addressFault('tooLong') };
    const reading = canonicalIp(input.trim());
    if (!reading.ok) return { input, ip: null, verdict: 'invalid', reason: reading.reason };
    const { ip } = reading;
    if (isProtected(ip)) return { input, ip, verdict: 'protected', reason: addressFault('protected') };
    if (ips.has(ip)) return { input, ip, verdict: 'repeated', reason: addressFault('repeated') };
    ips.add(ip);
    return { input, ip, verdict: 'add', reason: '' };
  };
  const lines: BanPlan['lines'] = [];
  for (let from = 0; from < inputs.length; from += BATCH_SIZE) {
    lines.push(...inputs.slice(from, from + BATCH_SIZE).map(lineOf));
    await setImmediate();
  }
  return { lines, ips: [...ips] };
};

/** The answer per line, given the addresses that were added. `own`: the caller's address, for a warning. */
export const answerBans = (
  { lines }: BanPlan,
  added: ReadonlySet<string>,
  own: string | null | undefined,
): AddedIp[] =>
  lines.map(({ input, ip, verdict, reason }) => {
    const line = { input, ip, warning: null };
    if (verdict === 'invalid' || verdict === 'protected') return { ...line, status: verdict, reason };
    if (verdict === 'repeated') return { ...line, status: 'already', reason };
    if (!added.has(ip!)) return { ...line, status: 'already', reason: addressFault('banned') };
    return { ...line, warning: ip === own ? addressFault('own') : null, status: 'added', reason: null };
  });

/** The spellings of one entry to remove. */
export type Removal = Buffer[];

const distinct = (texts: readonly string[]): Removal => [...new Set(texts)].map((text) => Buffer.from(text));

/** Each entry as given, and its canonical spelling. */
export const ipRemovals = (ips: readonly string[]): Removal[] =>
  [...new Set(ips)].map((text) => {
    const reading = canonicalIp(text.trim());
    return distinct(reading.ok ? [text, reading.ip] : [text]);
  });

/** Each id as given, and in lower case as the collector matches it. */
export const projectRemovals = (projectIds: readonly string[]): Removal[] =>
  [...new Set(projectIds)].map((id) => distinct([id, id.toLowerCase()]));

/** Throws 400 naming each id that is not base64url of bytes. */
export const memberRemovals = (memberIds: readonly string[]): Removal[] => {
  const members = memberIds.map(keyFromId);
  const errors = members.flatMap((member, i) =>
    member === null ? [{ path: `memberIds[${i}]`, message: 'This is not a member id.' }] : [],
  );
  if (errors.length > 0) throw badInput(errors.slice(0, 50));
  return [...new Set(memberIds)].map((id) => [Buffer.from(id, 'base64url')]);
};
