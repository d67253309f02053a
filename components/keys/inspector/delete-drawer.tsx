'use client';

import { Checkbox, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count } from '@/components/patterns/figures';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import { keyContracts } from '@/lib/keys/schema';
import { Conflict, isChanged, SeenNote, useConflict } from './conflict';
import type { EditDrawerProps } from './edits';
import { keyName } from './key-name';
import { readKey, useKeyChange } from './queries';

/** Deletes a key; explains what is lost, and until when Undo restores it. */
export const DeleteDrawer = ({ details, now, ...drawer }: EditDrawerProps) => {
  const t = useTranslations('keys.inspector.delete');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { id } = useConnection();
  const name = keyName(details);
  const change = useKeyChange(keyContracts.delete, id);
  const conflict = useConflict(() => readKey(id, details.keyId));
  const [withoutUndo, setWithoutUndo] = useState(false);
  // True after the server answered that it cannot store a copy.
  const [final, setFinal] = useState(false);
  const inConflict = isChanged(change.error);
  const isFinal = (error: unknown) => error instanceof ApiProblem && error.code === 'no_undo';
  return (
    <FormDrawer
      operation="keys.delete"
      {...drawer}
      title={t('title')}
      verb={t(conflict.current ? 'anyway' : 'verb')}
      destructive
      needsConfirmation
      blocked={(inConflict && !conflict.current) || (final && !withoutUndo)}
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({
        keyId: details.keyId,
        etag: conflict.current?.etag ?? details.etag,
        withoutUndo,
        ...words,
      })}
      done={({ deleted, undoUntil }) =>
        !deleted
          ? t('already', { name })
          : undoUntil
            ? t('done', { name, until: format.absolute(epochOf(undoUntil)) })
            : tWord('nameDeleted', { name })
      }
      onRefused={(error) => {
        conflict.onRefused(error);
        if (isFinal(error)) setFinal(true);
      }}
      error={inConflict ? null : change.error}
    >
      <Stack gap="sm">
        <SeenNote seen={details} now={now} hidden={!drawer.opened || change.isPending || inConflict} />
        <div>
          <KeyText max={200}>{details.key}</KeyText>
        </div>
        <Facts
          facts={[
            { label: tWord('type'), value: details.type },
            {
              label: t(details.type === 'string' ? 'size' : 'length'),
              value:
                details.type === 'string' ? (
                  <Bytes value={details.length} />
                ) : (
                  <Count value={details.length} />
                ),
            },
            { label: tWord('memory'), value: <Bytes value={details.memoryBytes} /> },
          ]}
        />
        {details.sensitive && details.family && <Text size="sm">{t('sensitive')}</Text>}
        <Text size="sm">{t(final ? 'final' : 'undo')}</Text>
        {final && (
          <Checkbox
            label={tWord('deleteFinally')}
            checked={withoutUndo}
            onChange={(event) => setWithoutUndo(event.currentTarget.checked)}
          />
        )}
        {inConflict && (conflict.current || conflict.error) && (
          <Conflict
            error={conflict.error}
            yours={t('verb')}
            current={
              conflict.current &&
              t('current', {
                type: conflict.current.type,
                memory: format.bytes(conflict.current.memoryBytes),
              })
            }
            onLoad={null}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
