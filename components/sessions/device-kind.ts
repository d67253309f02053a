import type { Session } from '@/lib/sessions/schema';

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'program' | 'unknown';

const PLATFORMS: [RegExp, DeviceKind][] = [
  [/iPad|Tablet/i, 'tablet'],
  [/iPhone|iPod|Android.*Mobile|Mobile.*Android/, 'phone'],
  [/Android/, 'tablet'],
  [/Windows|Mac OS X|Macintosh|macOS|CrOS|Linux/, 'computer'],
];

/** An application or a script names itself first: "python-requests/2.32.3". */
const PRODUCT = /^(?!Mozilla\/)[\w.-]{2,40}\/[\w.]{1,20}/;

/** Which picture stands beside a device: what its user agent, or else its label, speaks of. */
export const deviceKind = ({ label, userAgent }: Session['device']): DeviceKind => {
  const text = userAgent ?? label ?? '';
  const known = PLATFORMS.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? (PRODUCT.test(text) ? 'program' : 'unknown');
};
