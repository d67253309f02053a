'use client';

import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { IconHistory, IconPencil, IconPlus, IconShield, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { AddressedList } from '@/components/contract-list/addressed-list';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { countColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { Description } from '@/components/patterns/description';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useSentences } from '@/components/patterns/use-sentences';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { type BlacklistedIp, type BlockedProject, guardContracts } from '@/lib/guard/schema';
import type { Answer } from './add-drawer';
import { AnswersPanel } from './answers-panel';
import type { GuardSet } from './pasted';

const AnnotateDrawer = onDemand(async () => (await import('./annotate-drawer')).AnnotateDrawer);
const BanDrawer = onDemand(async () => (await import('./ban-drawer')).BanDrawer);
const BlockDrawer = onDemand(async () => (await import('./add-drawer')).BlockDrawer);
const EntryHistory = onDemand(async () => (await import('./entry-history')).EntryHistory);
const RemoveDrawer = onDemand(async () => (await import('./remove-drawer')).RemoveDrawer);

/** `ban` is an address to ban that the user came with. */
const PROPOSAL = { tab: 'traffic', ban: '' };
const STEPS = { tabs: ['tab'], opens: ['ban'] } as const;

interface IntroProps extends ListPartProps<{ inForceWithinSeconds: number }> {
  set: GuardSet;
}

/** What a set does, and the drawer that adds to it, with its results. */
const Intro = ({ set, page }: IntroProps) => {
  const t = useTranslations('guard');
  const mayWrite = useMay('guard:write');
  const [url, setUrl] = useUrlState(PROPOSAL, STEPS);
  const [adding, setAdding] = useState(false);
  const [answers, setAnswers] = useState<readonly Answer[] | null>(null);
  const proposed = set === 'bans' ? url.ban : '';
  const seconds = page?.inForceWithinSeconds ?? null;
  const add = {
    onClose: () => {
      setAdding(false);
      if (proposed) setUrl({ ban: '', tab: 'bans' });
    },
    seconds,
    onAnswers: setAnswers,
  };
  return (
    <>
      {proposed && !mayWrite && (
        <Alert color="orange" mb="md">
          {t.rich('notYours', { what: () => <HostileText max={60}>{proposed}</HostileText> })}
        </Alert>
      )}
      {answers && <AnswersPanel set={set} answers={answers} onClose={() => setAnswers(null)} />}
      <Description
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
              {t(`${set}.add.button`)}
            </Button>
          )
        }
      >
        {t(`${set}.explain`, { seconds: seconds ?? 0, known: seconds === null ? 'no' : 'yes' })}
      </Description>
      {set === 'bans' ? (
        <BanDrawer
          {...add}
          opened={mayWrite && (adding || proposed !== '')}
          inAddress={proposed !== ''}
          initial={proposed}
        />
      ) : (
        <BlockDrawer {...add} opened={adding} />
      )}
    </>
  );
};

const Total = ({ set, of: page }: { set: GuardSet; of: { total: number } | undefined }) => {
  const t = useTranslations('guard');
  return page ? t(`${set}.total`, { count: page.total }) : NO_STATUS;
};

const SearchNote = ({ examined, keys, complete }: { examined: number; keys: number; complete: boolean }) => {
  const t = useTranslations('guard');
  const format = useFormat();
  return complete ? null : t('examined', { count: format.count(examined), total: format.count(keys) });
};

interface MemberTextProps {
  set: GuardSet;
  member: string;
  /** Why the collector never matches it. */
  useless: string | null;
  /** Further marks. */
  children?: ReactNode;
}

const MemberText = ({ set, member, useless, children }: MemberTextProps) => {
  const t = useTranslations('guard');
  const translate = useSentences();
  return (
    <>
      <Group gap={6}>
        <KeyText max={100}>{member}</KeyText>
        {useless !== null && <Badge color="orange">{t(`${set}.neverMatches`)}</Badge>}
        {children}
      </Group>
      {useless !== null && <Dimmed size="xs">{translate(useless)}</Dimmed>}
    </>
  );
};

const AddressCell = ({ ban }: { ban: BlacklistedIp }) => {
  const t = useTranslations('guard');
  return (
    <MemberText set="bans" member={ban.member} useless={ban.neverMatches}>
      {ban.own && <Badge color="red">{t('own.mark')}</Badge>}
      {ban.protected && (
        <Tooltip label={t('protectedMeans')} multiline w={260}>
          <span>
            <Badge color="orange">{t('answers.protected')}</Badge>
          </span>
        </Tooltip>
      )}
    </MemberText>
  );
};

const ProjectCell = ({ project: { member, name, valid } }: { project: BlockedProject }) => {
  const t = useTranslations('guard.projects');
  return (
    <>
      {name && <HostileText max={100}>{name}</HostileText>}
      <MemberText set="projects" member={member} useless={valid ? null : t('invalid')} />
    </>
  );
};

const BlockedBy = ({ project: { author, byKeyward } }: { project: BlockedProject }) => {
  const t = useTranslations('guard.projects');
  if (byKeyward !== false) return <HostileText>{author}</HostileText>;
  return <SmallNote>{t('notByKeyward')}</SmallNote>;
};

const EndCell = ({ ban: { expiresAt, notLifted } }: { ban: BlacklistedIp }) => {
  const t = useTranslations('guard.end');
  const tWord = useTranslations('words');
  if (expiresAt === null) return <SmallNote>{tWord('never')}</SmallNote>;
  return (
    <>
      <RelativeTime at={expiresAt} />
      {notLifted && (
        <Text size="xs" c="var(--kw-warn-text)">
          {t('notLifted')} <HostileText max={160}>{notLifted}</HostileText>
        </Text>
      )}
    </>
  );
};

const MEMBERS = {
  icon: IconShield,
  rowId: ({ memberId }: { memberId: string }) => memberId,
  rowName: ({ member }: { member: string }) => member,
  everyMs: false,
  scan: { keys: ({ total }: { total: number }) => total, note: SearchNote },
  search: 'plain',
} as const;

const HISTORY = { permission: 'guard:view', icon: IconHistory } as const;
const REMOVE = { permission: 'guard:write', icon: IconTrash, ofMany: true } as const;

/** Addresses that the collector refuses. */
export const BANS = declareList({
  ...MEMBERS,
  contract: guardContracts.blacklistList,
  texts: 'guard.bans',
  name: 'bans',
  intro: (props) => <Intro set="bans" {...props} />,
  status: (props) => <Total set="bans" {...props} />,
  columns: [
    {
      id: 'member',
      width: 265,
      pinned: true,
      cell: (ban) => <AddressCell ban={ban} />,
    },
    textColumn<BlacklistedIp>({ id: 'note', width: 240, max: 160 }),
    textColumn<BlacklistedIp>({ id: 'author', width: 140 }),
    timeColumn<BlacklistedIp>({ id: 'bannedAt', width: 90 }),
    {
      id: 'expiresAt',
      width: 100,
      cell: (ban) => <EndCell ban={ban} />,
    },
    countColumn<BlacklistedIp>({
      id: 'requests',
      width: 115,
      of: (row) => row.requestsExact ?? row.requests,
    }),
  ],
  actions: {
    entryHistory: { ...HISTORY, drawer: (props) => <EntryHistory set="bans" {...props} /> },
    annotate: { permission: 'guard:write', icon: IconPencil, drawer: AnnotateDrawer },
    remove: { ...REMOVE, drawer: (props) => <RemoveDrawer set="bans" {...props} /> },
  },
});

/** Projects whose events the collector refuses. */
export const PROJECTS = declareList({
  ...MEMBERS,
  contract: guardContracts.projectsList,
  texts: 'guard.projects',
  name: 'projects',
  intro: (props) => <Intro set="projects" {...props} />,
  status: (props) => <Total set="projects" {...props} />,
  columns: [
    {
      id: 'member',
      width: 265,
      pinned: true,
      cell: (project) => <ProjectCell project={project} />,
    },
    textColumn<BlockedProject>({ id: 'note', width: 320, max: 160 }),
    {
      id: 'author',
      width: 190,
      cell: (project) => <BlockedBy project={project} />,
    },
    timeColumn<BlockedProject>({ id: 'blockedAt', width: 110 }),
  ],
  actions: {
    entryHistory: { ...HISTORY, drawer: (props) => <EntryHistory set="projects" {...props} /> },
    remove: { ...REMOVE, drawer: (props) => <RemoveDrawer set="projects" {...props} /> },
  },
});

export const Bans = () => <AddressedList list={BANS} />;

export const Projects = () => <AddressedList list={PROJECTS} />;
