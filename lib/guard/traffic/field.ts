import 'server-only';
import { textOf } from '@/lib/values/string-value';
import { canonicalIp } from '../address';
import type { TrafficIp } from './schema';

export type Caller = Pick<TrafficIp, 'kind' | 'firstAddress' | 'banText' | 'notBannable'>;

/**
 * What a field of the IP maps is: the raw X-Forwarded-For of a request, and so the caller's own word. Only a field
 * that is an address exactly as the collector writes it can be banned here: the collector matches the whole text.
 */
export const readField = (field: Buffer, isProtected: (ip: string) => boolean): Caller => {
  const text = textOf(field);
  const reading = canonicalIp(text?.trim() ?? '');
  if (text !== null && reading.ok) {
    const address = { kind: 'address' as const, firstAddress: reading.ip };
    if (isProtected(reading.ip))
      return { ...address, banText: null, notBannable: 'It is a protected address.' };
    if (reading.ip === text) return { ...address, banText: text, notBannable: null };
    const notBannable = `The collector matches this very text, and bans are written ${reading.ip}: it would not match.`;
    return { ...address, banText: null, notBannable };
  }
  if (text?.includes(',')) {
    const first = canonicalIp(text.slice(0, text.indexOf(',')).trim());
    return {
      kind: 'chain',
      firstAddress: first.ok ? first.ip : null,
      banText: null,
      notBannable: 'It is a chain as its sender wrote it: the collector matches it only as a whole.',
    };
  }
  return {
    kind: 'text',
    firstAddress: null,
    banText: null,
    notBannable: 'It is no address: bans are single addresses.',
  };
};
