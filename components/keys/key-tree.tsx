'use client';

import { Skeleton, Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { Count } from '@/components/patterns/figures';
import { Unanswered } from '@/components/patterns/unanswered';
import type { FamilyRow } from '@/lib/families/schema';
import { type BranchProps, GroupBranch } from './group-branch';
import { ALL_KEYS, type Branch } from './key-filter';
import { ActiveNode, Branches, NodeLine, TreeItem } from './tree-item';
import { onTreeKey } from './tree-keys';

const ALL = 'all';
const UNCLASSIFIED = 'unclassified';
const MALFORMED = 'malformed';
const UNCLASSIFIED_KEYS: Branch = { ...ALL_KEYS, state: UNCLASSIFIED };
const MALFORMED_KEYS: Branch = { ...ALL_KEYS, state: MALFORMED };
/** Prefixes have no fixed number of levels. */
const MANY_LEVELS = 100;

interface KeyTreeProps {
  chosen: Branch;
  onChoose: (branch: Branch) => void;
}

/** By application, sorted by title: counts change, but a family keeps its place. */
const byApp = (families: readonly FamilyRow[]): [string, FamilyRow[]][] => {
  const apps = new Map<string, FamilyRow[]>();
  for (const family of families) apps.set(family.app, [...(apps.get(family.app) ?? []), family]);
  for (const rows of apps.values()) rows.sort((a, b) => a.title.localeCompare(b.title));
  return [...apps].sort(([a], [b]) => a.localeCompare(b));
};

const sumOf = (families: readonly FamilyRow[]): number | null =>
  families.some(({ keys }) => keys !== null)
    ? families.reduce((sum, { keys }) => sum + (keys ?? 0), 0)
    : null;

/** Families by application, each by its parameters, and unclassified keys by prefix. Nodes filter the list. */
export const KeyTree = ({ chosen, onChoose }: KeyTreeProps) => {
  const t = useTranslations('keys.tree');
  const connection = useConnection();
  const query = useQuery(familiesQuery(connection.id));
  const { data } = query;
  const [active, setActive] = useState(ALL);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const apps = useMemo(() => byApp(data?.items ?? []), [data]);
  // Initially applications are expanded, and everything else is collapsed.
  const expanded = useMemo(() => {
    const open = new Set(apps.map(([app]) => `app ${app}`));
    for (const id of toggled) if (!open.delete(id)) open.add(id);
    return open;
  }, [apps, toggled]);
  if (!data)
    return (
      <Unanswered query={query}>
        <Stack gap={14} aria-hidden>
          {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
            <Skeleton key={key} height={14} radius="sm" />
          ))}
        </Stack>
      </Unanswered>
    );
  const onToggle = (id: string) =>
    setToggled((last) => {
      const next = new Set(last);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const common: BranchProps = { chosen, onChoose, expanded, onToggle };
  const { malformed } = data;
  // The last census has a single figure for both.
  const unclassified = data.unclassified === null ? null : data.unclassified - (malformed ?? 0);
  const named = (name: string, count: number | null) =>
    count === null ? name : t('branch', { name, count });
  return (
    <ActiveNode value={active}>
      <div
        role="tree"
        aria-label={t('label')}
        onKeyDown={onTreeKey}
        onFocus={(event) => setActive((event.target as HTMLElement).dataset.node ?? active)}
      >
        <TreeItem
          id={ALL}
          name={t('all')}
          line={<NodeLine label={t('all')} />}
          selected={chosen.family === '' && chosen.prefix === '' && chosen.state === ''}
          onChoose={() => onChoose(ALL_KEYS)}
        />
        {apps.map(([app, families]) => (
          <TreeItem
            key={app}
            id={`app ${app}`}
            name={named(app, sumOf(families))}
            line={<NodeLine label={<strong>{app}</strong>} figure={<Count value={sumOf(families)} />} />}
            expanded={expanded.has(`app ${app}`)}
            onToggle={() => onToggle(`app ${app}`)}
            onChoose={() => onToggle(`app ${app}`)}
          >
            <Branches name={app}>
              {families.map((family) => (
                <FamilyNode key={family.family} family={family} {...common} />
              ))}
            </Branches>
          </TreeItem>
        ))}
        <TreeItem
          id={UNCLASSIFIED}
          name={named(t('unclassified'), unclassified)}
          line={
            <NodeLine label={<strong>{t('unclassified')}</strong>} figure={<Count value={unclassified} />} />
          }
          expanded={expanded.has(UNCLASSIFIED)}
          selected={chosen.state === UNCLASSIFIED && chosen.prefix === ''}
          onToggle={() => onToggle(UNCLASSIFIED)}
          onChoose={() => onChoose(UNCLASSIFIED_KEYS)}
        >
          <GroupBranch
            id={UNCLASSIFIED}
            label={t('unclassified')}
            node={{}}
            levels={MANY_LEVELS}
            {...common}
          />
        </TreeItem>
        <TreeItem
          id={MALFORMED}
          name={named(t('malformed'), malformed)}
          line={<NodeLine label={<strong>{t('malformed')}</strong>} figure={<Count value={malformed} />} />}
          selected={chosen.state === MALFORMED && chosen.family === ''}
          onChoose={() => onChoose(MALFORMED_KEYS)}
        />
      </div>
    </ActiveNode>
  );
};

/** Keys are grouped by their parameters up to the first secret one. */
const levelsOf = ({ params, secretParams }: FamilyRow): number => {
  const secret = params.findIndex((param) => secretParams.includes(param));
  return secret < 0 ? params.length : secret;
};

const FamilyNode = ({ family, ...props }: BranchProps & { family: FamilyRow }) => {
  const t = useTranslations('keys.tree');
  const { chosen, onChoose, expanded, onToggle } = props;
  const id = `family ${family.family}`;
  const levels = levelsOf(family);
  const guarded = family.guarded ? t('guarded') : '';
  const counted = t('branch', { name: family.title, count: family.keys ?? 0 });
  return (
    <TreeItem
      id={id}
      name={guarded ? `${counted}, ${guarded}` : counted}
      line={
        <NodeLine
          quiet={family.keys === 0}
          label={
            <>
              <span title={family.purpose}>{family.title}</span>
              {guarded && (
                <span title={guarded}>
                  {' '}
                  <IconLock size={12} aria-hidden />
                </span>
              )}
            </>
          }
          figure={<Count value={family.keys} />}
        />
      }
      expanded={levels > 0 ? expanded.has(id) : undefined}
      selected={chosen.family === family.family && chosen.params === ''}
      onToggle={() => onToggle(id)}
      onChoose={() => onChoose({ ...ALL_KEYS, family: family.family })}
    >
      <GroupBranch id={id} label={family.title} node={{ family: family.family }} levels={levels} {...props} />
    </TreeItem>
  );
};
