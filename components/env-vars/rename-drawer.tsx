'use client';

import { List, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { KeyText } from '@/components/patterns/hostile-text';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { envContracts, type Variable } from '@/lib/env-vars/schema';
import { visibleText } from '@/lib/visible-text';
import type { DrawerProps } from './edit-drawer';
import { NameField, useNameFault } from './name-field';
import { useChange } from './queries';
import { refusalOf } from './refusal';
import { ChangedMeanwhile, Doubts } from './refusal-notes';

interface RenameDrawerProps extends DrawerProps {
  variable: Variable;
  taken: ReadonlySet<string>;
}

/** Another name, and what that does to whoever reads the old one. */
export const RenameDrawer = ({ variable, taken, opened, onClose, onClosed }: RenameDrawerProps) => {
  const t = useTranslations('env');
  const { id } = useConnection();
  const undoToast = useUndoToast();
  const change = useChange(envContracts.rename, id);
  const [newName, setNewName] = useState('');
  const fault = useNameFault(taken)(newName);
  const refusal = refusalOf(change.error, ['newName']);
  const submit = (words: ChangeWords) =>
    change.mutate(
      {
        name: variable.name,
        newName,
        etag: refusal.present?.etag ?? variable.etag,
        anyway: refusal.doubts !== null,
        ...words,
      },
      {
        onSuccess: (done) => {
          onClose();
          const message = t('rename.done', {
            old: visibleText(variable.name, 60),
            name: visibleText(done.name, 60),
          });
          undoToast({ message, auditId: done.auditId, undoUntil: done.undoUntil });
        },
      },
    );
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      onClosed={onClosed}
      title={t('rename.title', { name: visibleText(variable.name, 60) })}
      verb={t(refusal.doubts || refusal.present ? 'rename.anyway' : 'rename.verb')}
      blocked={newName === '' || fault !== null}
      pending={change.isPending}
      error={refusal.rest}
      onSubmit={submit}
    >
      <Stack gap="sm">
        <NameField
          label={t('rename.label')}
          name={newName}
          onName={(next) => {
            change.reset();
            setNewName(next);
          }}
          taken={taken}
          error={refusal.fields.newName}
        />
        <Text size="sm" fw={600}>
          {t('rename.means')}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>
            {t.rich('rename.old', { name: () => <KeyText max={60}>{variable.name}</KeyText> })}
          </List.Item>
          <List.Item>{t('rename.stays')}</List.Item>
          <List.Item>{t('rename.kind')}</List.Item>
        </List>
        {refusal.doubts && <Doubts what="name" doubts={refusal.doubts} />}
        {refusal.present && (
          <ChangedMeanwhile present={refusal.present} seen={variable.secret ? null : variable.value} />
        )}
      </Stack>
    </ChangeDrawer>
  );
};
