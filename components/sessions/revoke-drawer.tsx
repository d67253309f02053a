'use client';

import { Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { visibleText } from '@/lib/visible-text';
import { StillValidList } from './still-valid';
import { type AlsoKind, namesOf, type Revocation, type RevokeTarget } from './use-revocation';

const NAMED = 3;
const ALSO: readonly AlsoKind[] = ['oauth', 'verification'];

/** "liwei, toni and 2 more"; who has no name is called by the number. */
const usePeople = () => {
  const t = useTranslations('sessions.revoke');
  return (target: RevokeTarget): string => {
    const alone = target.kind === 'person';
    const people = [...namesOf(target)].map(([id, name]) => {
      const text = name ? visibleText(name, 30) : null;
      return alone && text ? `${text} #${id}` : (text ?? `#${id}`);
    });
    const named = people.slice(0, NAMED).join(', ');
    return people.length > NAMED ? t('andMore', { named, count: people.length - NAMED }) : named;
  };
};

/** The consequence counted by the server first: what ends, what does not, and that it is for good. */
export const RevokeDrawer = ({ revocation }: { revocation: Revocation }) => {
  const t = useTranslations('sessions.revoke');
  const people = usePeople();
  const { target, preview, mutation, also } = revocation;
  if (!target) return null;
  const counted = preview.data;
  const chosen = target.kind === 'sessions' ? target.sessions.length : null;
  const count = counted?.exact === false ? null : (counted?.remaining ?? chosen);
  const nothingToDo = counted?.exact === true && counted.remaining === 0 && also.length === 0;
  const title =
    target.kind === 'person'
      ? t('titleAll', { people: people(target) })
      : t('title', { count: target.sessions.length, people: people(target) });
  return (
    <ChangeDrawer
      opened={revocation.opened}
      onClose={revocation.close}
      title={title}
      verb={count === null ? t('verbAll') : t('verb', { count })}
      destructive
      needsConfirmation
      blocked={!counted || preview.isPlaceholderData || nothingToDo}
      pending={mutation.isPending}
      error={mutation.error}
      onSubmit={revocation.submit}
      staysValid={counted && <StaysValid revocation={revocation} target={target} />}
    >
      <Stack gap="xs">
        <span>{t(target.kind === 'person' ? 'consequenceAll' : 'consequence', { count: chosen ?? 1 })}</span>
        {preview.isError && <ProblemAlert error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.isPending && (
          <div role="status" aria-label={t('counting')}>
            <Skeleton height={14} mb={6} />
            <Skeleton height={14} width="60%" />
          </div>
        )}
        {counted && (
          <span>
            {nothingToDo
              ? t('nothing')
              : t(counted.exact ? 'found' : 'foundAtLeast', { count: counted.remaining })}
            {counted.alreadyGone > 0 && ` ${t('alreadyGone', { count: counted.alreadyGone })}`}
          </span>
        )}
        <Text size="sm" fw={600}>
          {t('forGood')}
        </Text>
      </Stack>
    </ChangeDrawer>
  );
};

const StaysValid = ({ revocation, target }: { revocation: Revocation; target: RevokeTarget }) => {
  const t = useTranslations('sessions.revoke');
  const { preview, also, setAlso } = revocation;
  const entries = preview.data?.stillValid ?? [];
  const toggle = (kind: AlsoKind, on: boolean) =>
    setAlso(ALSO.filter((each) => (each === kind ? on : also.includes(each))));
  return (
    <>
      {entries.length > 0 ? (
        <StillValidList entries={entries} names={namesOf(target)} />
      ) : (
        <span>{t('nothingElse')}</span>
      )}
      <Stack gap={6} mt="xs" aria-busy={preview.isFetching}>
        {ALSO.map((kind) => (
          <Checkbox
            key={kind}
            size="sm"
            label={t(`also.${kind}`, { count: namesOf(target).size })}
            checked={also.includes(kind)}
            onChange={(event) => toggle(kind, event.currentTarget.checked)}
          />
        ))}
      </Stack>
    </>
  );
};
