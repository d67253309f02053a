'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { envContracts, type Variable } from '@/lib/env/schema';
import { visibleText } from '@/lib/visible-text';
import { useDisplayName } from './display-name';
import type { DrawerProps } from './edit-drawer';
import { useChange } from './queries';
import { refusalOf } from './refusal';
import { ChangedMeanwhile } from './refusal-notes';
import { VariableValue } from './variable-value';

/** Deletes a variable; explains whether Undo can restore it. */
export const DeleteDrawer = ({ variable, ...drawer }: DrawerProps & { variable: Variable }) => {
  const t = useTranslations('env.delete');
  const tWord = useTranslations('words');
  const change = useChange(envContracts.delete);
  const refusal = refusalOf(change.error, []);
  const displayName = useDisplayName()(variable.name);
  const name = visibleText(displayName, 60);
  const undoable = variable.type === 'string' && variable.lengthBytes <= 1024 * 1024;
  return (
    <FormDrawer
      {...drawer}
      title={t('title', { name })}
      verb={t(refusal.present ? 'anyway' : 'verb')}
      destructive
      needsConfirmation
      change={change}
      input={(words) => ({
        name: variable.name,
        etag: refusal.present?.etag ?? variable.etag,
        ...words,
      })}
      done={() => tWord('nameDeleted', { name })}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <div>
          <KeyText max={100}>{displayName}</KeyText>
        </div>
        <VariableValue variable={variable} />
        <span>{t('means')}</span>
        <span>{t(undoable ? 'undo' : 'noUndo')}</span>
        {refusal.present && (
          <ChangedMeanwhile present={refusal.present} seen={variable.secret ? null : variable.value} />
        )}
      </Stack>
    </FormDrawer>
  );
};
