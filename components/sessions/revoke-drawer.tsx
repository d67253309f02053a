'use client';

import { Checkbox, Skeleton, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StepsNote } from '@/components/patterns/steps-note';
import { Strong } from '@/components/patterns/strong';
import { visibleText } from '@/lib/visible-text';
import { FilterFacts } from './filter-facts';
import { WhatStaysValid } from './still-valid';
import { type AlsoKind, namesOf, type Revocation, type RevokeTarget } from './use-revocation';

const NAMED = 3;
/** Up to this many users of a filter are listed by name. */
const MAX_NAMED = 20;
const ALSO: readonly AlsoKind[] = ['oauth', 'verification'];
/** The server revokes more than these as a job. */
const MAX_SELECTED = 500;

/** "liwei, toni and 2 more users"; users without a name by their number. */
const useUserNames = () => {
  const t = useTranslations('sessions.revoke');
  return (target: RevokeTarget, users = 0, max = NAMED): string => {
    const isOne = target.kind === 'user';
    const all = [...namesOf(target)].map(([id, name]) => {
      const text = name ? visibleText(name, 30) : null;
      return isOne && text ? `${text} #${id}` : (text ?? `#${id}`);
    });
    const named = all.slice(0, max).join(', ');
    const more = Math.max(all.length, users) - Math.min(all.length, max);
    return more > 0 ? t('andMore', { named, count: more }) : named;
  };
};

const useTitle = () => {
  const t = useTranslations('sessions.revoke');
  const namesIn = useUserNames();
  return (target: RevokeTarget): string => {
    if (target.kind === 'filter') return t('titleFilter');
    return target.kind === 'user'
      ? t('titleAll', { users: namesIn(target) })
      : t('title', { count: target.sessions.length, users: namesIn(target) });
  };
};

const CONSEQUENCES = {
  sessions: 'consequence',
  user: 'consequenceAll',
  filter: 'consequenceFilter',
} as const;

/** What the revocation ends, as counted by the server, and what stays valid. It cannot be undone. */
export const RevokeDrawer = ({ revocation }: { revocation: Revocation }) => {
  const t = useTranslations('sessions.revoke');
  const title = useTitle();
  const { target, preview, command, also } = revocation;
  const namesIn = useUserNames();
  const [meant, setMeant] = useState<RevokeTarget | null>(null);
  if (!target) return null;
  const counted = preview.data;
  const chosen = target.kind === 'sessions' ? target.sessions.length : null;
  const count = counted?.exact === false ? null : (counted?.remaining ?? chosen);
  const users = Math.max(counted?.users ?? 0, namesOf(target).size);
  const hasMany = target.kind === 'filter' && users > 1;
  const nothingToDo = counted?.exact === true && counted.remaining === 0 && also.length === 0;
  return (
    <ChangeDrawer
      operation={revocation.operation}
      opened={revocation.opened}
      onClose={revocation.close}
      title={title(target)}
      verb={count === null ? t('verbAll') : t('verb', { count })}
      destructive
      needsConfirmation
      blocked={!counted || preview.isPlaceholderData || nothingToDo || (hasMany && meant !== target)}
      pending={command.isPending}
      error={command.error}
      onSubmit={revocation.submit}
      staysValid={counted && <StaysValid revocation={revocation} target={target} />}
    >
      <Stack gap="xs">
        <span>{t(CONSEQUENCES[target.kind], { count: chosen ?? 1 })}</span>
        {target.kind === 'filter' && <FilterFacts filter={target.filter} />}
        {target.kind === 'filter' && target.filter.state !== 'legacy' && <span>{t('legacyApart')}</span>}
        {preview.isError && <QueryProblem of={preview} />}
        {preview.isPending && (
          <div role="status" aria-label={t('counting')}>
            <Skeleton height={14} mb={6} />
            <Skeleton height={14} width="60%" />
          </div>
        )}
        {counted && <Counted revocation={revocation} target={target} nothingToDo={nothingToDo} />}
        {hasMany && counted && (
          <Checkbox
            label={t('meansAll', { users, named: namesIn(target, users, MAX_NAMED) })}
            checked={meant === target}
            onChange={(event) => setMeant(event.currentTarget.checked ? target : null)}
          />
        )}
        <StepsNote of="sessions" />
        <Strong>{t('forGood')}</Strong>
      </Stack>
    </ChangeDrawer>
  );
};

interface CountedProps {
  revocation: Revocation;
  target: RevokeTarget;
  nothingToDo: boolean;
}

/** How many sessions of how many users would end, and whether that runs as a job. */
const Counted = ({ revocation, target, nothingToDo }: CountedProps) => {
  const t = useTranslations('sessions.revoke');
  const counted = revocation.preview.data;
  if (!counted) return null;
  const { remaining, users, exact, unread, alreadyGone } = counted;
  const many = target.kind !== 'user' && users > 1;
  const isCounted = exact || unread > 0;
  const found = isCounted ? (many ? 'foundOf' : 'found') : 'foundAtLeast';
  const willQueue = target.kind !== 'sessions' && (remaining > MAX_SELECTED || !isCounted);
  return (
    <>
      <span data-testid="revoke-count">
        {nothingToDo ? t('nothing') : t(found, { count: remaining, users })}
        {alreadyGone > 0 && ` ${t('alreadyGone', { count: alreadyGone })}`}
      </span>
      {unread > 0 && <span>{t('unread', { count: unread })}</span>}
      {willQueue && <span>{t('asJob')}</span>}
    </>
  );
};

const StaysValid = ({ revocation, target }: { revocation: Revocation; target: RevokeTarget }) => {
  const t = useTranslations('sessions.revoke');
  const { preview, also, setAlso } = revocation;
  const entries = preview.data?.stillValid ?? [];
  const users = target.kind === 'filter' ? (preview.data?.users ?? 2) : namesOf(target).size;
  const toggle = (kind: AlsoKind, on: boolean) =>
    setAlso(ALSO.filter((each) => (each === kind ? on : also.includes(each))));
  return (
    <>
      {entries.length > 0 ? (
        <WhatStaysValid entries={entries} names={namesOf(target)} />
      ) : (
        <span>{t('nothingElse')}</span>
      )}
      {preview.data?.stillValidCut && <div>{t('stillValidCut')}</div>}
      {preview.data?.stillValidComplete === false && <div>{t('stillValidIncomplete')}</div>}
      <Stack gap={6} mt="xs" aria-busy={preview.isFetching}>
        {ALSO.map((kind) => (
          <Checkbox
            key={kind}
            size="sm"
            label={t(`also.${kind}`, { count: users })}
            checked={also.includes(kind)}
            onChange={(event) => toggle(kind, event.currentTarget.checked)}
          />
        ))}
      </Stack>
    </>
  );
};
