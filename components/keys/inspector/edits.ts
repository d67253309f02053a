import type { KeyDetails } from '@/lib/keys/schema';
import type { ElementRow } from './use-elements';

/** The open drawer, and its element. */
export type Edit =
  | { kind: 'string' | 'bit' | 'add' | 'ttl' | 'rename' | 'duplicate' | 'delete' }
  | { kind: 'element' | 'setElement' | 'fieldTtl' | 'renameElement' | 'removeElement'; row: ElementRow };

export type OpenEdit = (edit: Edit) => void;

/** The props of every drawer: the key when the drawer opened, and its current state (null: gone). */
export interface EditDrawerProps {
  details: KeyDetails;
  now: KeyDetails | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}
