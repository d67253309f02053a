import type { Session } from '@/lib/sessions/schema';

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'program' | 'unknown';

const PLATFORMS: [RegExp, DeviceKind][] = [
  [/iPad|Tablet/i, 'tablet'],
  [/iPhone|iPod|Android.*Mobile|Mobile.*Android/, 'phone'],
  [/Android/, 'tablet'],
  [/Windows|Mac OS X|Macintosh|macOS|CrOS|Linux/, 'computer'],
];

/** Programs put their name first: "python-requests/2.32.3". */
const PRODUCT = /^(?!Mozilla\/)[\w.-]{2,40}\/[\w.]{1,20}/;

/** The kind of device, for its icon: from the user agent, or from the label if there is none. */
export const deviceKind = ({ label, userAgent }: Session['device']): DeviceKind => {
  const text = userAgent ?? label ?? '';
  const known = PLATFORMS.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? (PRODUCT.test(text) ? 'program' : 'unknown');
};
