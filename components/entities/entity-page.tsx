'use client';

import { Alert, Skeleton, Stack, Title } from '@mantine/core';
import { IconAffiliate } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode, RefObject } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { TextLink } from '@/components/patterns/text-link';
import { ApiProblem } from '@/lib/api-client';
import type { EntityKindRow, EntityView } from '@/lib/entities/schema';
import { type EntityFields, kindNamed, type SetEntityFields } from './address';
import { DamagePanel } from './damage-panel';
import classes from './entities.module.css';
import { EntityActions } from './entity-actions';
import { EntityFacts } from './entity-facts';
import { KeysPanel } from './keys-panel';
import { type EntityName, entityQueries } from './queries';
import { RecordPanel } from './record-panel';
import { RelationPanel } from './relation-panel';

const RelationDrawer = onDemand(async () => (await import('./relation-drawer')).RelationDrawer);

interface EntityPageProps {
  of: EntityName;
  /** Whether `of.kind` is final: the kinds are known, or cannot be. */
  ready: boolean;
  kinds: readonly EntityKindRow[];
  url: EntityFields;
  setUrl: SetEntityFields;
  conversation: ((of: EntityName, below: ReactNode) => ReactNode) | undefined;
  heading: RefObject<HTMLSpanElement | null>;
}

/** One entity: its record, what belongs to it, what is damaged, its keys. */
export const EntityPage = ({ of, ready, kinds, url, setUrl, conversation, heading }: EntityPageProps) => {
  const { id: connection } = useConnection();
  const query = useQuery({ ...entityQueries.entity(connection, of), enabled: ready });
  const { data: view, error } = query;
  const kind = kindNamed(kinds, of.kind);
  const belongings = view && <Belongings view={view} kinds={kinds} setUrl={setUrl} />;
  return (
    <>
      <PageHeader
        title={
          <span ref={heading} tabIndex={-1}>
            <HostileText max={120}>{view?.title || of.id}</HostileText>
          </span>
        }
        actions={view && <EntityActions view={view} of={of} onJob={(job) => setUrl({ job })} />}
      />
      <EntityFacts of={of} view={view} kind={kind} />
      {view && <StaleBanner error={error} valuesFrom={query.dataUpdatedAt} />}
      {view ? (
        <Stack gap="md">
          <NoRecord view={view} />
          <RecordPanel view={view} />
          {view.conversation && conversation ? conversation(of, belongings) : belongings}
        </Stack>
      ) : (
        <Absent of={of} error={error} onRetry={() => void query.refetch()} />
      )}
      <RelationDrawer of={of} view={view} relation={url.relation} onClose={() => setUrl({ relation: '' })} />
      <JobDrawer jobId={url.job || null} onClose={() => setUrl({ job: '' })} />
    </>
  );
};

/** Why there is no such entity, by the server's refusal; null for any other error. */
const absenceOf = (error: unknown) => {
  if (!(error instanceof ApiProblem)) return null;
  const [field] = error.errors;
  const detail = field?.message ?? error.message;
  if (error.code === 'not_found') return { what: 'not_found', detail } as const;
  if (error.code !== 'bad_input') return null;
  return { what: field?.path === 'kind' ? 'bad_kind' : 'bad_input', detail } as const;
};

/** Before the answer, or in place of it. */
const Absent = ({ of, error, onRetry }: { of: EntityName; error: unknown; onRetry: () => void }) => {
  const t = useTranslations('entities.entity');
  const { id: connection } = useConnection();
  if (!error)
    return (
      <Stack gap="md">
        <Skeleton height={180} />
        <div className={classes.grid}>
          <Skeleton height={170} />
          <Skeleton height={170} />
          <Skeleton height={170} />
        </div>
      </Stack>
    );
  const why = absenceOf(error);
  if (why === null) return <ProblemAlert error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={<IconAffiliate size={20} />}
      title={t(`absent.${why.what}`)}
      action={
        <TextLink href={`/${connection}/entities?${new URLSearchParams({ kind: of.kind })}`}>
          {t('absent.find')}
        </TextLink>
      }
    >
      <HostileText max={300}>{why.detail}</HostileText>
    </EmptyState>
  );
};

interface BelongingsProps {
  view: EntityView;
  kinds: readonly EntityKindRow[];
  setUrl: SetEntityFields;
}

/** What belongs to an entity, what is damaged, and its keys. */
const Belongings = ({ view, kinds, setUrl }: BelongingsProps) => {
  const tWord = useTranslations('words');
  return (
    <>
      {view.relations.length > 0 && (
        <section aria-label={tWord('relations')}>
          <Title order={2} size="h4" mb="xs">
            {tWord('relations')}
          </Title>
          <div className={classes.grid}>
            {view.relations.map((relation) => (
              <RelationPanel
                key={relation.relation}
                relation={relation}
                onAll={(id) => setUrl({ relation: id })}
              />
            ))}
          </div>
        </section>
      )}
      {view.relations.length > 0 && <DamagePanel view={view} kinds={kinds} />}
      <KeysPanel keys={view.keys} />
    </>
  );
};

/** A record that is not stored, while other keys of the entity are. */
const NoRecord = ({ view }: { view: EntityView }) => {
  const t = useTranslations('entities.entity');
  if (view.exists) return null;
  const stored = view.keys.filter(({ exists }) => exists).length;
  return (
    <Alert color="orange" title={t('noRecord')}>
      {t('noRecordKeys', { count: stored })}
    </Alert>
  );
};
