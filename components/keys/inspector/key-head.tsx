'use client';

import { ActionIcon, Anchor, Badge, Button, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconClockEdit, IconCopy, IconEdit, IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { MoreMenu } from '@/components/patterns/more-menu';
import { PageHeader } from '@/components/patterns/page-header';
import { Tooltip } from '@/components/patterns/tooltip';
import type { KeyDetails } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { isCollection } from './collections';
import { copiedKey } from './copied-key';
import type { OpenEdit } from './edits';
import classes from './inspector.module.css';
import { PageLink } from './page-link';
import type { Writable } from './writable';

const MAX_KEY = 300;

interface KeyHeadProps {
  details: KeyDetails;
  writable: Writable;
  onEdit: OpenEdit;
}

/** Links back to the list: of all keys, and of this key's family. */
export const Crumbs = ({ details }: { details: KeyDetails | undefined }) => {
  const t = useTranslations('keys.inspector');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  return (
    <nav aria-label={t('crumbs')} className={classes.crumbs}>
      <Anchor component={Link} inherit href={`/${id}/keys`}>
        {tWord('keys')}
      </Anchor>
      {details?.family && (
        <>
          <span aria-hidden>›</span>
          <Anchor component={Link} inherit href={`/${id}/keys?family=${encodeURIComponent(details.family)}`}>
            {details.title ?? details.family}
          </Anchor>
        </>
      )}
    </nav>
  );
};

/** The key, its family and type, and its changes. */
export const KeyHead = ({ details, writable, onEdit }: KeyHeadProps) => {
  const t = useTranslations('keys.inspector');
  const reason = writable.key ?? writable.value;
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <HostileText max={MAX_KEY}>{details.key}</HostileText>
          </span>
        }
        actions={<Actions {...{ details, writable, onEdit }} />}
      />
      <Group gap="xs" className={classes.below}>
        <Badges details={details} />
        {!details.secret && <CopyKey details={details} />}
        <PageLink page={details.page} />
        {reason !== null && <Dimmed>{t(`readOnly.${reason}`)}</Dimmed>}
      </Group>
    </>
  );
};

const CopyKey = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.action');
  return (
    <CopyButton value={copiedKey(details)}>
      {({ copied, copy }) => (
        <Tooltip label={t(copied ? 'copied' : 'copy')}>
          <ActionIcon size="sm" aria-label={t('copy')} onClick={copy}>
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
};

const Badges = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.badge');
  const { id } = useConnection();
  const { family, title, state, type, secret, sensitive } = details;
  return (
    <Group gap={6}>
      {family && state === 'classified' ? (
        <Badge
          component={Link}
          href={`/${id}/families?family=${encodeURIComponent(family)}`}
          title={t('family')}
          style={{ cursor: 'pointer' }}
        >
          {title ?? family}
        </Badge>
      ) : (
        <Badge color="orange">{t(state === 'malformed' ? 'malformed' : 'unclassified')}</Badge>
      )}
      <Badge color="gray">{visibleText(type, 40)}</Badge>
      {secret && <Badge color="orange">{t('secret')}</Badge>}
      {sensitive && family && <Badge color="gray">{t('sensitive')}</Badge>}
    </Group>
  );
};

const Actions = ({ details, writable, onEdit }: KeyHeadProps) => {
  const t = useTranslations('keys.inspector.action');
  const tWord = useTranslations('words');
  const { type } = details;
  const value = writable.value !== null;
  const key = writable.key !== null;
  const item = (kind: 'bit' | 'rename' | 'duplicate' | 'delete', text: string, disabled: boolean) => ({
    id: kind,
    text,
    disabled,
    onClick: () => onEdit({ kind }),
  });
  return (
    <>
      {isCollection(type) && (
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={value}
          onClick={() => onEdit({ kind: 'add' })}
        >
          {t(`add.${type}`)}
        </Button>
      )}
      {type === 'string' && (
        <Button
          leftSection={<IconEdit size={16} aria-hidden />}
          disabled={value}
          onClick={() => onEdit({ kind: 'string' })}
        >
          {t('edit')}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconClockEdit size={16} aria-hidden />}
        disabled={key}
        onClick={() => onEdit({ kind: 'ttl' })}
      >
        {tWord('setTtlAsk')}
      </Button>
      <MoreMenu
        label={t('more')}
        items={[
          ...(type === 'string' ? [item('bit', t('bit'), value)] : []),
          item('rename', tWord('renameAsk'), key),
          item('duplicate', t('duplicate'), key),
          { ...item('delete', tWord('deleteAsk'), key), color: 'red' },
        ]}
      />
    </>
  );
};
