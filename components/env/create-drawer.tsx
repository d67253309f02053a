'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { kindOf } from '@/lib/env/kinds';
import { envContracts } from '@/lib/env/schema';
import { isSecretName } from '@/lib/keyspace/secret-name';
import { visibleText } from '@/lib/visible-text';
import type { DrawerProps } from './edit-drawer';
import { NameField, useNameFault } from './name-field';
import { useChange } from './queries';
import { refusalOf } from './refusal';
import { Doubts } from './refusal-notes';
import { ValueField } from './value-field';

interface CreateDrawerProps extends DrawerProps {
  /** Initial name: one of the missing variables, or empty. */
  proposed: string;
  taken: ReadonlySet<string>;
}

/** Creates a variable. Its name decides the value's editor, masking and checks. */
export const CreateDrawer = ({ proposed, taken, ...drawer }: CreateDrawerProps) => {
  const t = useTranslations('env');
  const tWord = useTranslations('words');
  const change = useChange(envContracts.create);
  const [name, setName] = useState(proposed);
  const [text, setText] = useState('');
  const fault = useNameFault(taken)(name);
  const refusal = refusalOf(change.error, ['name', 'value']);
  const edited = (set: (value: string) => void) => (value: string) => {
    change.reset();
    set(value);
  };
  return (
    <FormDrawer
      {...drawer}
      width="editor"
      title={t('create.title')}
      verb={t(refusal.doubts ? 'create.anyway' : 'create.verb')}
      blocked={name === '' || fault !== null}
      change={change}
      input={(words) => ({ name, value: text, anyway: refusal.doubts !== null, ...words })}
      done={(created) => t('create.done', { name: visibleText(created.name, 60) })}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <NameField
          label={tWord('name')}
          name={name}
          onName={edited(setName)}
          taken={taken}
          error={refusal.fields.name}
        />
        <ValueField
          name={name}
          kind={name === '' ? 'text' : kindOf(name)}
          secret={isSecretName(name)}
          model=""
          text={text}
          onText={edited(setText)}
          error={refusal.fields.value}
          doubtsShown={refusal.doubts !== null}
        />
        {refusal.doubts && <Doubts doubts={refusal.doubts} />}
      </Stack>
    </FormDrawer>
  );
};
