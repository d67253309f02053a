'use client';

import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { OpensRow } from '@/components/contract-list/opens-row';
import { codeColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { useActionWords, useKnownActions } from '@/components/patterns/action-words';
import { Dimmed } from '@/components/patterns/dimmed';
import { SearchField } from '@/components/patterns/filter-bar';
import { ConnectionSelect, FilterSelect } from '@/components/patterns/filter-select';
import { useNow } from '@/components/patterns/now';
import { onDemand } from '@/components/patterns/on-demand';
import { TargetText } from '@/components/patterns/target-text';
import { TimeField } from '@/components/patterns/time-field';
import { useTimeZone } from '@/components/patterns/use-time-zone';
import { dayStart } from '@/components/patterns/zoned-time';
import { type AuditEntry, auditContracts, OUTCOMES } from '@/lib/audit/schema';
import { epochOf } from '@/lib/format';
import { isRole } from '@/lib/permissions';
import { iso } from '@/lib/time';
import { About, subjectOf } from './about';
import { OutcomeBadge } from './outcome';
import { targetName } from './target';

/** The filters in the address as operations take them: `from` and `to` are ISO times. */
export const entriesInput = ({ from = '', to = '', subject, ...filter }: Record<string, string>) => {
  const [since, until] = [epochOf(from), epochOf(to)];
  return {
    ...filter,
    ...(subjectOf({ subject, ...filter }) && { subject }),
    ...(since !== null && { from: iso(since) }),
    ...(until !== null && { to: iso(until) }),
  };
};

const Facets = ({ url, onChange }: ListPartProps) => {
  const t = useTranslations('audit');
  const tWord = useTranslations('words');
  const words = useActionWords();
  const known = useKnownActions();
  const { target = '', action = '', connection = '', from = '', to = '' } = url;
  // The URL may hold any part of an operationId.
  const actions = !action || known.includes(action) ? known : [...known, action];
  return (
    <>
      <SearchField label={tWord('target')} value={target} onChange={(text) => onChange({ target: text })} />
      <FilterSelect
        label={tWord('action')}
        any={t('any.action')}
        data={actions.map((id) => ({ value: id, label: words(id) }))}
        value={action}
        onChange={(id) => onChange({ action: id })}
        searchable
        width={210}
      />
      <ConnectionSelect value={connection} onChange={(id) => onChange({ connection: id, subject: '' })} />
      <DayButtons from={from} to={to} onChange={onChange} />
      <TimeFilter label={t('from')} value={from} onChange={(time) => onChange({ from: time })} />
      <TimeFilter label={t('to')} value={to} onChange={(time) => onChange({ to: time })} />
    </>
  );
};

/** Days before today at which they begin and end. */
const DAYS = { today: [0, null], yesterday: [1, 0], week: [6, null] } as const;

/** Whole days of the user's time zone. */
const DayButtons = ({
  from,
  to,
  onChange,
}: { from: string; to: string } & Pick<ListPartProps, 'onChange'>) => {
  const t = useTranslations('audit.days');
  const zone = useTimeZone();
  const now = useNow('tenSeconds');
  const isReady = zone !== null && now !== null;
  const start = (before: number | null): string =>
    before === null || !isReady ? '' : iso(dayStart(now, zone, before));
  return (
    <Button.Group aria-label={t('label')}>
      {(Object.keys(DAYS) as (keyof typeof DAYS)[]).map((id) => {
        const [begin, end] = DAYS[id].map(start) as [string, string];
        const isChosen = begin !== '' && from === begin && to === end;
        return (
          <Button
            key={id}
            size="sm"
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            onClick={() => onChange(isChosen ? { from: '', to: '' } : { from: begin, to: end })}
          >
            {t(id)}
          </Button>
        );
      })}
    </Button.Group>
  );
};

interface TimeFilterProps {
  label: string;
  value: string;
  onChange: (iso: string) => void;
}

// Each typed digit makes another valid time, so the log is queried only when typing pauses.
const TimeFilter = ({ label, value, onChange }: TimeFilterProps) => {
  const later = useDebouncedCallback(onChange, 400);
  return <TimeField compact label={label} value={value} onChange={later} />;
};

/** The actor and the role at that time. */
const Who = ({ entry: { actor, role } }: { entry: AuditEntry }) => {
  const t = useTranslations('users');
  return (
    <>
      <TargetText max={60}>{actor}</TargetText>
      {isRole(role) && <Dimmed size="xs">{t(`role.${role}`)}</Dimmed>}
    </>
  );
};

const ActionCell = ({ entry }: { entry: AuditEntry }) => {
  const words = useActionWords();
  return (
    <>
      <OpensRow row={entry}>{words(entry.action)}</OpensRow>
      <Dimmed size="xs" ff="monospace">
        {entry.action}
      </Dimmed>
    </>
  );
};

/** The recorded target of a family or project has its parameters or id as well as its name. */
const TargetCell = ({ entry }: { entry: AuditEntry }) => (
  <>
    <TargetText max={90}>{targetName(entry)}</TargetText>
    {entry.targetName && (
      <Dimmed size="xs" component="div">
        <TargetText max={90}>{entry.target}</TargetText>
      </Dimmed>
    )}
  </>
);

/** Audit entries, newest first. */
export const ENTRIES = declareList({
  contract: auditContracts.list,
  texts: 'audit',
  name: 'audit',
  icon: IconHistory,
  rowId: ({ id }) => id,
  rowName: (entry) => targetName(entry) ?? entry.id,
  everyMs: 15_000,
  intro: About,
  search: 'plain',
  searchName: 'actor',
  facets: { names: ['target', 'action', 'connection', 'subject', 'from', 'to'], of: Facets, inBar: true },
  selects: { outcome: OUTCOMES },
  inputOf: entriesInput,
  columns: [
    timeColumn<AuditEntry>({ id: 'at', width: 135, pinned: true, absolute: true }),
    { id: 'actor', width: 190, cell: (entry) => <Who entry={entry} />, value: ({ actor }) => actor },
    {
      id: 'action',
      width: 190,
      pinned: true,
      card: 'title',
      cell: (entry) => <ActionCell entry={entry} />,
    },
    { id: 'target', width: 190, cell: (entry) => <TargetCell entry={entry} />, value: targetName },
    { id: 'connection', width: 100 },
    textColumn<AuditEntry>({ id: 'reason', width: 160, minor: true, max: 90 }),
    {
      id: 'outcome',
      width: 140,
      cell: (entry) => <OutcomeBadge entry={entry} />,
    },
    codeColumn<AuditEntry>({ id: 'id', width: 290, hiddenAtFirst: true }),
  ],
  opens: {
    name: 'entry',
    fields: {},
    drawer: onDemand(async () => (await import('./entry-drawer')).EntryDrawer),
  },
});
