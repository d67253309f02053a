'use client';

import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { NameInput } from '@/components/patterns/exact-text';
import { familiesQuery } from '@/components/patterns/families-query';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { nameInput } from '@/components/patterns/key-bytes';
import { keyHref } from '@/components/patterns/key-link';
import { StepsNote } from '@/components/patterns/steps-note';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { Conflict, isChanged, SeenNote, useConflict } from './conflict';
import { copiedKey, keyBytes } from './copied-key';
import type { EditDrawerProps } from './edits';
import { keyName } from './key-name';
import { readKey, useKeyChange } from './queries';

const isMaskedText = (text: string): boolean => text.includes('•');

/** The parameters that are known: a masked one must be entered again. */
const knownParams = ({ params }: KeyDetails): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, isMaskedText(value) ? '' : value]));

interface NameDrawerProps extends EditDrawerProps {
  kind: 'rename' | 'duplicate';
}

/**
 * Renames a key, or copies it to a new name, given by its family's parameters or freely. Existing keys are not
 * overwritten.
 */
export const NameDrawer = ({ kind, details, now, ...drawer }: NameDrawerProps) => {
  const t = useTranslations('keys.inspector.newName');
  const tWord = useTranslations('words');
  const tKeys = useTranslations('keys');
  const { id } = useConnection();
  const router = useRouter();
  const name = keyName(details);
  const before = knownParams(details);
  const hasParams = details.family !== null && Object.keys(before).length > 0;
  const [by, setBy] = useState<'params' | 'name'>(hasParams ? 'params' : 'name');
  const [params, setParams] = useState(before);
  const [typed, setTyped] = useState(() => (keyBytes(details.keyId) ? copiedKey(details) : ''));
  const families = useQuery({ ...familiesQuery(id), enabled: hasParams });
  const grammar = families.data?.items.find(({ family }) => family === details.family)?.grammar ?? {};
  const change = useKeyChange(keyContracts[kind], id);
  const conflict = useConflict(() => readKey(id, details.keyId));
  const inConflict = isChanged(change.error);
  const complete = by === 'params' ? Object.values(params).every((value) => value !== '') : typed !== '';
  const given = by === 'params' ? { family: details.family!, params } : { name: nameInput(typed) };
  return (
    <FormDrawer
      operation={kind === 'rename' ? 'keys.rename' : 'keys.duplicate'}
      {...drawer}
      width="detail"
      title={t(`${kind}.title`, { name })}
      verb={t(`${kind}.${conflict.current ? 'anyway' : 'verb'}`)}
      blocked={!complete || (inConflict && !conflict.current)}
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({
        keyId: details.keyId,
        etag: conflict.current?.etag ?? details.etag,
        ...given,
        ...words,
      })}
      done={({ key }) => t(`${kind}.done`, { name, to: visibleText(key, 60) })}
      onDone={({ keyId }) => router.replace(keyHref(id, keyId))}
      onRefused={conflict.onRefused}
      error={inConflict ? null : change.error}
    >
      <Stack gap="sm">
        <SeenNote seen={details} now={now} hidden={!drawer.opened || change.isPending || inConflict} />
        {hasParams && (
          <SegmentedControl
            aria-label={t('by')}
            data={[
              { value: 'params', label: t('byParams') },
              { value: 'name', label: tKeys('create.byName') },
            ]}
            value={by}
            onChange={(next) => {
              setBy(next === 'name' ? 'name' : 'params');
              setParams(before);
            }}
          />
        )}
        {by === 'name' ? (
          <NameInput
            label={tWord('newName')}
            description={t('nameHint')}
            value={typed}
            onChange={(next) => {
              if (!inConflict) change.reset();
              setTyped(next);
            }}
            error={fieldError(change.error, 'name')}
            data-autofocus
          />
        ) : (
          Object.keys(params).map((param) => (
            <TextInput
              key={param}
              label={param}
              description={grammar[param]}
              // Uncontrolled, because React writes controlled text into the markup, and this may be a secret.
              defaultValue={before[param]}
              type={isMaskedText(details.params[param] ?? '') ? 'password' : 'text'}
              error={fieldError(change.error, `params.${param}`)}
              onChange={(event) => {
                if (!inConflict) change.reset();
                setParams({ ...params, [param]: event.currentTarget.value });
              }}
              {...AS_TYPED}
              styles={MONOSPACE}
            />
          ))
        )}
        <Text size="sm">{t(`${kind}.means`)}</Text>
        {kind === 'rename' && <StepsNote of="name" />}
        {inConflict && (conflict.current || conflict.error) && (
          <Conflict
            error={conflict.error}
            yours={t(`${kind}.verb`)}
            current={conflict.current && t('changedValue')}
            onLoad={null}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
