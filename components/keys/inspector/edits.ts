import type { KeyDetails } from '@/lib/keys/schema';
import type { ElementRow } from './use-elements';

/** The drawer that is open, and the element it is about. */
export type Edit =
  | { kind: 'string' | 'bit' | 'add' | 'ttl' | 'rename' | 'duplicate' | 'delete' }
  | { kind: 'element' | 'setElement' | 'fieldTtl' | 'renameElement' | 'removeElement'; row: ElementRow };

export type OpenEdit = (edit: Edit) => void;

/** What every drawer gets: the key as it was when the drawer opened, and as it is now (null: gone). */
export interface EditDrawerProps {
  details: KeyDetails;
  now: KeyDetails | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}
