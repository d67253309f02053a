'use client';

import { Checkbox, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useConnections } from '@/components/patterns/connection';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { useTimeZone } from '@/components/patterns/use-time-zone';
import type { Result } from '@/lib/contract';
import { ABOUT, type About, type Notification, notificationContracts } from '@/lib/notifications/schema';
import { FilterFields } from './filter-fields';
import {
  EMPTY,
  fieldsOf,
  inputOf,
  isComplete,
  type NotificationFields,
  refValueOf,
} from './notification-form';
import { TestButton } from './test-button';
import { TimeFields } from './time-fields';

type Page = Result<typeof notificationContracts.list>;
type DrawerProps = Pick<
  RowDrawerProps<Notification, Page>,
  'row' | 'page' | 'opened' | 'onClose' | 'onClosed'
>;

/** Creates a notification, or changes one; it can be tested before. */
export const NotificationDrawer = ({ row: old, page, ...drawer }: DrawerProps) => {
  const t = useTranslations('notifications');
  const tForm = useTranslations('notifications.form');
  const tWord = useTranslations('words');
  const zone = useTimeZone() ?? 'UTC';
  const [given, setFields] = useState<NotificationFields>(() => (old ? fieldsOf(old) : EMPTY));
  const fields = { ...given, timeZone: given.timeZone || zone };
  const set = (change: Partial<NotificationFields>) => setFields((now) => ({ ...now, ...change }));
  const names = new Map(useConnections().map(({ id, name }) => [id, name]));
  const { create, update } = notificationContracts;
  const change = useCommand(old ? update : create);
  const { error } = change;
  const name = fields.name.trim();
  const usable = page?.channels ?? [];
  return (
    <FormDrawer
      {...drawer}
      width="editor"
      title={old ? tWord('editName', { name: old.name }) : t('create')}
      verb={t(old ? 'save' : 'create')}
      blocked={!isComplete(fields)}
      change={change}
      input={(words) => ({ ...words, ...inputOf(fields), ...(old && { id: old.id, etag: old.etag }) })}
      done={() => t(old ? 'saved' : 'created', { name })}
    >
      <Stack gap="md">
        <TextInput
          label={tWord('name')}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={fieldError(error, 'name')}
          maxLength={100}
          autoComplete="off"
          required
        />
        <Checkbox.Group
          label={tForm('about')}
          value={fields.about}
          onChange={(about) => set({ about: about as About[] })}
          error={fieldError(error, 'about')}
        >
          <Group gap="md" mt={4}>
            {ABOUT.map((value) => (
              <Checkbox key={value} value={value} label={t(`about.${value}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        {fields.about.includes('audit') && <FilterFields fields={fields} onChange={set} error={error} />}
        <TimeFields fields={fields} onChange={set} error={error} />
        <MultiSelect
          label={tWord('channels')}
          description={tForm(page && usable.length === 0 ? 'noChannels' : 'channelsHint')}
          data={usable.map((channel) => ({
            value: refValueOf(channel),
            label: `${channel.name} · ${names.get(channel.connection) ?? channel.connection}`,
          }))}
          value={fields.channels}
          onChange={(channels) => set({ channels })}
          error={fieldError(error, 'channels')}
          maxValues={10}
          searchable
        />
        <TestButton name={name} channels={fields.channels} />
      </Stack>
    </FormDrawer>
  );
};
