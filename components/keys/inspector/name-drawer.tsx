'use client';

import { SegmentedControl, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { useConnection } from '@/components/patterns/connection';
import { NameInput } from '@/components/patterns/exact-text';
import { familiesQuery } from '@/components/patterns/families-query';
import { fieldError } from '@/components/patterns/field-error';
import { nameInput } from '@/components/patterns/key-bytes';
import { keyHref } from '@/components/patterns/key-link';
import { StepsNote } from '@/components/patterns/steps-note';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { copiedKey, keyBytes } from './copied-key';
import type { EditDrawerProps } from './edits';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';

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
export const NameDrawer = ({ kind, ...drawer }: NameDrawerProps) => {
  const { details } = drawer;
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
  const { change, conflict, target, edited } = useKeyEdit(
    kind === 'rename' ? keyContracts.rename : keyContracts.duplicate,
    details,
  );
  const complete = by === 'params' ? Object.values(params).every((value) => value !== '') : typed !== '';
  const given = by === 'params' ? { family: details.family!, params } : { name: nameInput(typed) };
  return (
    <KeyForm
      {...drawer}
      width="detail"
      title={t(`${kind}.title`, { name })}
      verb={t(`${kind}.${conflict.current ? 'anyway' : 'verb'}`)}
      blocked={!complete}
      change={change}
      conflict={conflict}
      input={(words) => ({ ...target, ...given, ...words })}
      done={({ key }) => t(`${kind}.done`, { name, to: visibleText(key, 60) })}
      onDone={({ keyId }) => router.replace(keyHref(id, keyId))}
      yours={t(`${kind}.verb`)}
      current={conflict.current && t('changedValue')}
    >
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
            edited();
            setTyped(next);
          }}
          error={fieldError(change.error, 'name')}
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
              edited();
              setParams({ ...params, [param]: event.currentTarget.value });
            }}
            {...AS_TYPED}
            styles={MONOSPACE}
          />
        ))
      )}
      <Text size="sm">{t(`${kind}.means`)}</Text>
      {kind === 'rename' && <StepsNote of="name" />}
    </KeyForm>
  );
};
