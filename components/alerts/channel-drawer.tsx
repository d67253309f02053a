'use client';

import { Alert, Checkbox, SegmentedControl, Stack, TagsInput, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { PasswordInput } from '@/components/patterns/password-input';
import { Select } from '@/components/patterns/select';
import { ShownOnce } from '@/components/patterns/shown-once';
import { useCommand } from '@/components/patterns/use-command';
import {
  type AlertChannel,
  alertChannelContracts,
  CHANNEL_KINDS,
  type ChannelKind,
} from '@/lib/alerts/channels/schema';
import type { Result } from '@/lib/contract';
import { LOCALE_IDS, LOCALES, type Locale } from '@/lib/locales';

type Page = Result<typeof alertChannelContracts.list>;
type ChannelDrawerProps = Pick<
  RowDrawerProps<AlertChannel, Page>,
  'row' | 'page' | 'opened' | 'onClose' | 'onClosed'
> & { onCreated?: (id: string) => void };

/** Creates a channel, or changes one: its address is never shown again, so an empty field keeps it. */
export const ChannelDrawer = ({ row: old, page, ...drawer }: ChannelDrawerProps) => {
  const { opened, onClose, onClosed, onCreated } = drawer;
  const t = useTranslations('alerts.channel');
  const tWord = useTranslations('words');
  const tKind = useTranslations('alerts.kind');
  const tSecret = useTranslations('alerts.secret');
  const [name, setName] = useState(old?.name ?? '');
  const [kind, setKind] = useState<ChannelKind>(old?.kind ?? 'webhook');
  const [language, setLanguage] = useState<Locale>(old?.language ?? 'en');
  const [url, setUrl] = useState('');
  const [to, setTo] = useState<string[]>(old?.kind === 'email' ? old.target.split(', ') : []);
  const [newSecret, setNewSecret] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { create, update } = alertChannelContracts;
  const change = useCommand(old ? update : create);
  const { error } = change;
  const address = kind === 'email' ? { to } : url.trim() === '' ? {} : { url: url.trim() };
  const isMissing = kind === 'email' ? to.length === 0 : !old && url.trim() === '';
  const given = { name: name.trim(), language, ...address };
  return (
    <>
      <FormDrawer
        opened={opened}
        onClose={onClose}
        onClosed={() => secret === null && onClosed()}
        onReadOnly
        title={old ? tWord('editName', { name: old.name }) : t('create')}
        verb={t(old ? 'save' : 'create')}
        blocked={name.trim() === '' || isMissing}
        change={change}
        input={(words) =>
          old ? { ...words, ...given, id: old.id, etag: old.etag, newSecret } : { ...words, ...given, kind }
        }
        done={() => t(old ? 'saved' : 'created', { name: name.trim() })}
        onDone={(answer) => {
          setSecret(answer.secret);
          if (!old) onCreated?.(answer.id);
        }}
      >
        <Stack gap="md">
          <TextInput
            label={tWord('name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldError(error, 'name')}
            maxLength={100}
            autoComplete="off"
            required
          />
          {!old && (
            <SegmentedControl
              aria-label={tWord('kind')}
              data={CHANNEL_KINDS.map((value) => ({ value, label: tKind(value) }))}
              value={kind}
              onChange={(value) => setKind(value as ChannelKind)}
            />
          )}
          {kind === 'email' ? (
            <>
              {page?.mail === false && <Alert color="orange">{t('noMail')}</Alert>}
              <TagsInput
                label={t('to')}
                description={t('toHint')}
                value={to}
                onChange={setTo}
                error={fieldError(error, 'to')}
                maxTags={20}
                acceptValueOnBlur
              />
            </>
          ) : (
            <PasswordInput
              label={tWord('address')}
              description={t(old ? 'urlKept' : 'urlHint')}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={fieldError(error, 'url')}
              autoComplete="off"
              maxLength={2000}
            />
          )}
          <Select
            label={t('language')}
            data={LOCALE_IDS.map((id) => ({ value: id, label: LOCALES[id] }))}
            value={language}
            onChange={(id) => setLanguage(id as Locale)}
            allowDeselect={false}
          />
          {old?.kind === 'webhook' && (
            <Checkbox
              label={t('newSecret')}
              description={t('newSecretHint')}
              checked={newSecret}
              onChange={(event) => setNewSecret(event.currentTarget.checked)}
            />
          )}
        </Stack>
      </FormDrawer>
      <ShownOnce
        secret={secret}
        onClose={() => {
          setSecret(null);
          onClosed();
        }}
        testId="signing-key"
        texts={{
          title: tSecret('title'),
          once: tSecret('once'),
          copy: tWord('copy'),
          copied: tWord('copied'),
          stored: tSecret('stored'),
        }}
      />
    </>
  );
};
