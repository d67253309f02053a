'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import type { KeyEdit, KeyElement } from '@/lib/key-values/schema';
import { keyContracts } from '@/lib/keys/schema';
import { Conflict, isChanged, SeenNote, useConflict } from './conflict';
import type { EditDrawerProps } from './edits';
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
  const { details, now, row, edit, yours, current, onLoad, unchanged = false, children, ...drawer } = props;
  const tKeys = useTranslations('keys');
  const { id } = useConnection();
  const change = useKeyChange(keyContracts.update, id);
  const conflict = useConflict(() => rereadElement(id, details.keyId, row));
  const inConflict = isChanged(change.error);
  const stored = conflict.current;
  const target = stored?.element?.id ?? row.id;
  const sent = edit(target);
  return (
    <FormDrawer
      operation="keys.update"
      {...drawer}
      verb={stored?.element ? tKeys('inspector.bit.replace') : drawer.verb}
      width="editor"
      blocked={
        sent === null ||
        (unchanged && !stored) ||
        (inConflict && !stored) ||
        (stored !== null && !stored.element)
      }
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({
        keyId: details.keyId,
        etag: stored?.details.etag ?? details.etag,
        edit: sent!,
        ...words,
      })}
      done={() => props.done}
      onRefused={conflict.onRefused}
      error={inConflict ? null : change.error}
    >
      <Stack gap="sm">
        <SeenNote seen={details} now={now} hidden={!props.opened || change.isPending || inConflict} />
        {children}
        {inConflict && (stored || conflict.error) && (
          <Conflict
            error={conflict.error}
            yours={yours}
            current={stored?.element ? current(stored.element) : null}
            onLoad={stored?.element && onLoad ? () => onLoad(stored.element!) : null}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
