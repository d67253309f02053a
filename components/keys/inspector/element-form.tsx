'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import type { KeyEdit, KeyElement } from '@/lib/key-values/schema';
import { keyContracts } from '@/lib/keys/schema';
import { useConflict } from './conflict';
import type { EditDrawerProps } from './edits';
import { KeyForm } from './key-form';
import { useKeyChange } from './queries';
import { rereadElement } from './reread';
import type { ElementRow } from './use-elements';

interface ElementFormProps extends EditDrawerProps {
  row: ElementRow;
  title: string;
  verb: string;
  done: string;
  destructive?: boolean;
  /** The edit of the element with this id; null while the fields are invalid. */
  edit: (element: string) => KeyEdit | null;
  /** Whether the typed value equals the stored one. */
  unchanged?: boolean;
  /** The value this change would store, for comparison with another user's. */
  yours: ReactNode;
  current: (element: KeyElement) => ReactNode;
  /** Loads the current element into the fields. */
  onLoad?: (element: KeyElement) => void;
  children: ReactNode;
}

/**
 * A change of one element, identified by the id it was read with. If it changed since, it is read again and both
 * values are shown; saving then uses the current id.
 */
export const ElementForm = (props: ElementFormProps) => {
  const { row, edit, current, onLoad, unchanged = false, ...drawer } = props;
  const { details } = drawer;
  const tKeys = useTranslations('keys');
  const { id } = useConnection();
  const change = useKeyChange(keyContracts.update);
  const conflict = useConflict(() => rereadElement(id, details.keyId, row));
  const stored = conflict.current;
  const target = stored?.element?.id ?? row.id;
  const sent = edit(target);
  return (
    <KeyForm
      {...drawer}
      verb={stored?.element ? tKeys('inspector.bit.replace') : drawer.verb}
      width="editor"
      blocked={sent === null || (unchanged && !stored) || (stored !== null && !stored.element)}
      change={change}
      conflict={conflict}
      input={(words) => ({
        keyId: details.keyId,
        etag: stored?.details.etag ?? details.etag,
        edit: sent!,
        ...words,
      })}
      done={() => props.done}
      current={stored?.element ? current(stored.element) : null}
      onLoad={stored?.element && onLoad ? () => onLoad(stored.element!) : null}
    />
  );
};
