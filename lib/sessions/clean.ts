import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import { maskSecrets } from '@/lib/catalog/mask';

/**
 * Text that an application or a browser wrote, for reading: cut, control and invisible characters escaped, and any
 * token that slipped into it masked.
 */
export const clean = (text: string | Uint8Array, max: number): string =>
  maskSecrets(displayBytes(typeof text === 'string' ? Buffer.from(text) : text, max), false);
