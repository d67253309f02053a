'use client';

import { Checkbox, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import { keyContracts } from '@/lib/keys/schema';
import type { EditDrawerProps } from './edits';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';

/** Deletes a key; explains what is lost, and until when Undo restores it. */
export const DeleteDrawer = (props: EditDrawerProps) => {
  const { details } = props;
  const t = useTranslations('keys.inspector.delete');
  const tWord = useTranslations('words');
  const format = useFormat();
  const name = keyName(details);
  const { change, conflict, target } = useKeyEdit(keyContracts.delete, details);
  const [withoutUndo, setWithoutUndo] = useInputState(false);
  // True after the server answered that it cannot store a copy.
  const [final, setFinal] = useState(false);
  const isFinal = (error: unknown) => error instanceof ApiProblem && error.code === 'no_undo';
  return (
    <KeyForm
      {...props}
      title={t('title')}
      verb={t(conflict.current ? 'anyway' : 'verb')}
      destructive
      needsConfirmation
      blocked={final && !withoutUndo}
      change={change}
      conflict={conflict}
      input={(words) => ({ ...target, withoutUndo, ...words })}
      done={({ deleted, undoUntil }) =>
        !deleted
          ? t('already', { name })
          : undoUntil
            ? t('done', { name, until: format.absolute(epochOf(undoUntil)) })
            : tWord('nameDeleted', { name })
      }
      onRefused={(error) => isFinal(error) && setFinal(true)}
      yours={t('verb')}
      current={
        conflict.current &&
        t('current', {
          type: conflict.current.type,
          memory: format.bytes(conflict.current.memoryBytes),
        })
      }
    >
      <div>
        <KeyText max={200}>{details.key}</KeyText>
      </div>
      <Facts
        facts={[
          { label: tWord('type'), value: details.type },
          {
            label: t(details.type === 'string' ? 'size' : 'length'),
            value:
              details.type === 'string' ? <Bytes value={details.length} /> : <Count value={details.length} />,
          },
          { label: tWord('memory'), value: <Bytes value={details.memoryBytes} /> },
        ]}
      />
      {details.sensitive && details.family && <Text size="sm">{t('sensitive')}</Text>}
      <Text size="sm">{t(final ? 'final' : 'undo')}</Text>
      {final && <Checkbox label={tWord('deleteFinally')} checked={withoutUndo} onChange={setWithoutUndo} />}
    </KeyForm>
  );
};
