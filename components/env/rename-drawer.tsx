'use client';

import { List, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { StepsNote } from '@/components/patterns/steps-note';
import { Strong } from '@/components/patterns/strong';
import { envContracts, type Variable } from '@/lib/env/schema';
import { visibleText } from '@/lib/visible-text';
import { useDisplayName } from './display-name';
import type { DrawerProps } from './edit-drawer';
import { NameField, useNameFault } from './name-field';
import { useChange } from './queries';
import { refusalOf } from './refusal';
import { ChangedMeanwhile, Doubts } from './refusal-notes';

interface RenameDrawerProps extends DrawerProps {
  variable: Variable;
  taken: ReadonlySet<string>;
}

/** Renames a variable; explains the effect on applications that read the old name. */
export const RenameDrawer = ({ variable, taken, ...drawer }: RenameDrawerProps) => {
  const t = useTranslations('env');
  const tWord = useTranslations('words');
  const change = useChange(envContracts.rename);
  const [newName, setNewName] = useState('');
  const fault = useNameFault(taken)(newName);
  const displayName = useDisplayName()(variable.name);
  const old = visibleText(displayName, 60);
  const refusal = refusalOf(change.error, ['newName']);
  return (
    <FormDrawer
      {...drawer}
      title={tWord('renameName', { name: old })}
      verb={t(refusal.doubts || refusal.present ? 'rename.anyway' : 'rename.verb')}
      blocked={newName === '' || fault !== null}
      change={change}
      input={(words) => ({
        name: variable.name,
        newName,
        etag: refusal.present?.etag ?? variable.etag,
        anyway: refusal.doubts !== null,
        ...words,
      })}
      done={({ name }) => t('rename.done', { old, name: visibleText(name, 60) })}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <NameField
          label={tWord('newName')}
          name={newName}
          onName={(next) => {
            change.reset();
            setNewName(next);
          }}
          taken={taken}
          error={refusal.fields.newName}
        />
        <Strong>{t('rename.means')}</Strong>
        <List size="sm" spacing={4}>
          <List.Item>
            {t.rich('rename.old', { name: () => <KeyText max={60}>{displayName}</KeyText> })}
          </List.Item>
          <List.Item>{t('rename.stays')}</List.Item>
          <List.Item>{t('rename.kind')}</List.Item>
        </List>
        <StepsNote of="name" />
        {refusal.doubts && <Doubts what="name" doubts={refusal.doubts} />}
        {refusal.present && (
          <ChangedMeanwhile present={refusal.present} seen={variable.secret ? null : variable.value} />
        )}
      </Stack>
    </FormDrawer>
  );
};
