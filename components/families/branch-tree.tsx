'use client';

import { Badge, Checkbox, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import type { Preview } from '@/lib/families/schema';
import classes from './branch-tree.module.css';

type Branch = Preview['branches'][number];

interface BranchTreeProps {
  /** "Author 123". */
  entity: string;
  branches: readonly Branch[];
  /** Indexes of the excluded branches. */
  without: readonly number[];
  onChange: (without: number[]) => void;
}

/** The branches of keys that an entity's change makes stale; each can be excluded. */
export const BranchTree = ({ entity, branches, without, onChange }: BranchTreeProps) => {
  const t = useTranslations('families.target');
  if (branches.length === 0) return null;
  const places = branches.map((_, place) => place);
  const left = places.filter((place) => without.includes(place)).length;
  const whyMarked = (branch: Branch) => {
    const mark = markOf(branch);
    return mark && t(`why.${mark}`);
  };
  const toggle = (place: number) =>
    onChange(
      places.filter((other) => (other === place ? !without.includes(other) : without.includes(other))),
    );
  return (
    <fieldset className={classes.tree} aria-label={t('branches')}>
      <Checkbox
        label={<strong>{entity}</strong>}
        checked={left === 0}
        indeterminate={left > 0 && left < branches.length}
        onChange={() => onChange(left === 0 ? places : [])}
      />
      <ul className={classes.branches}>
        {branches.map((branch, place) => (
          <li key={branch.id}>
            <Checkbox
              label={<BranchName branch={branch} />}
              description={whyMarked(branch)}
              checked={branch.known && !without.includes(place)}
              disabled={!branch.known}
              onChange={() => toggle(place)}
            />
            <Dimmed style={{ whiteSpace: 'nowrap' }}>
              {branch.known ? t('branchKeys', { count: branch.keys }) : '—'}
            </Dimmed>
          </li>
        ))}
      </ul>
    </fieldset>
  );
};

const markOf = ({ known, wider }: Branch): 'wider' | 'unknown' | null => {
  if (!known) return 'unknown';
  return wider ? 'wider' : null;
};

/** The id in `topic-shouts:12`, which the title lacks. */
const idOf = ({ id }: Branch): string => (id.includes(':') ? ` ${id.slice(id.indexOf(':') + 1)}` : '');

const BranchName = ({ branch }: { branch: Branch }) => {
  const t = useTranslations('families.target');
  const mark = markOf(branch);
  return (
    <Group gap={6} component="span">
      {branch.title}
      {idOf(branch)}
      {mark && (
        <Badge component="span" size="xs" color="orange">
          {t(`mark.${mark}`)}
        </Badge>
      )}
    </Group>
  );
};
