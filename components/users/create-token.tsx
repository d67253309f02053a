'use client';

import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { ShownOnce } from '@/components/patterns/shown-once';
import { useCommand } from '@/components/patterns/use-command';
import { ROLES, type Role } from '@/lib/permissions';
import { DAY, iso } from '@/lib/time';
import { apiTokenContracts } from '@/lib/users/schema';
import { RoleField } from './role-field';

const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;
type Expiry = (typeof EXPIRIES)[number];
const EMPTY = { name: '', role: 'viewer' as Role, expiry: '90' as Expiry };

interface CreateTokenProps {
  opened: boolean;
  onClose: () => void;
  /** Called once with the new token, which is stored nowhere. */
  onToken: (token: string) => void;
}

export const CreateToken = ({ opened, onClose, onToken }: CreateTokenProps) => {
  const t = useTranslations('users.token');
  const tWord = useTranslations('words');
  const [fields, setFields] = useState(EMPTY);
  const create = useCommand(apiTokenContracts.create, undefined, { gcTime: 0 });
  const close = () => {
    setFields(EMPTY);
    onClose();
  };
  const expiresAt = () => (fields.expiry === 'never' ? null : iso(Date.now() + Number(fields.expiry) * DAY));
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('create')}
      verb={t('verb')}
      blocked={fields.name.trim() === ''}
      change={create}
      input={(words) => ({
        name: fields.name,
        role: fields.role,
        expiresAt: expiresAt(),
        ...words,
      })}
      done={() => null}
      onDone={({ token }) => onToken(token)}
    >
      <Stack gap="md">
        <Text size="sm">{t('consequence')}</Text>
        <TextInput
          label={tWord('name')}
          description={t('nameHint')}
          value={fields.name}
          onChange={(event) => setFields({ ...fields, name: event.currentTarget.value })}
          maxLength={120}
          autoComplete="off"
          required
        />
        <RoleField roles={ROLES} value={fields.role} onChange={(role) => setFields({ ...fields, role })} />
        <Select
          label={tWord('expires')}
          data={EXPIRIES.map((value) => ({ value, label: t(`expires.${value}`) }))}
          value={fields.expiry}
          onChange={(expiry) => setFields({ ...fields, expiry: (expiry as Expiry | null) ?? fields.expiry })}
          allowDeselect={false}
        />
      </Stack>
    </FormDrawer>
  );
};

/** Shows a new API token once. */
export const CreatedToken = ({ token, onClose }: { token: string | null; onClose: () => void }) => {
  const t = useTranslations('users.token');
  const tWord = useTranslations('words');
  const texts = {
    title: t('created'),
    once: t('once'),
    copy: t('copy'),
    copied: tWord('copied'),
    stored: t('stored'),
  };
  return <ShownOnce secret={token} onClose={onClose} testId="api-token" texts={texts} />;
};
