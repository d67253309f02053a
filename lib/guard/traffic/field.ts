import 'server-only';
import { textOf } from '@/lib/values/string-value';
import { canonicalIp } from '../address';
import { addressFault } from '../address-faults';
import type { TrafficIp } from './schema';

export type Caller = Pick<TrafficIp, 'kind' | 'firstAddress' | 'banText' | 'notBannable'>;

/**
 * Classifies a field of the IP maps: the raw X-Forwarded-For of a request, which callers write themselves. It can be
 * banned only if it is an address exactly as the collector writes it, because the collector compares the full text.
 */
export const readField = (field: Buffer, isProtected: (ip: string) => boolean): Caller => {
  const text = textOf(field);
  const reading = canonicalIp(text?.trim() ?? '');
  if (text !== null && reading.ok) {
    const address = { kind: 'address' as const, firstAddress: reading.ip };
    if (isProtected(reading.ip)) return { ...address, banText: null, notBannable: addressFault('protected') };
    if (reading.ip === text) return { ...address, banText: text, notBannable: null };
    const notBannable = addressFault('stored', reading.ip);
    return { ...address, banText: null, notBannable };
  }
  if (text?.includes(',')) {
    const first = canonicalIp(text.slice(0, text.indexOf(',')).trim());
    return {
      kind: 'chain',
      firstAddress: first.ok ? first.ip : null,
      banText: null,
      notBannable: addressFault('sentChain'),
    };
  }
  return {
    kind: 'text',
    firstAddress: null,
    banText: null,
    notBannable: addressFault('single'),
  };
};
