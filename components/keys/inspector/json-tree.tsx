'use client';

import { ActionIcon, Anchor, Button, Group, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { visibleText } from '@/lib/visible-text';
import classes from './inspector.module.css';
import { CHILDREN_SHOWN, type JsonRow, jsonRows, MAX_ROWS, type MoreRow, type TreeState } from './json-rows';
import { VirtualRows } from './virtual-rows';

const MAX_STRING = 500;
const INDENT = 14;

const NOTHING: TreeState = { toggled: new Set(), shown: new Map() };

/** A JSON value as a collapsible tree. Very deep nodes become the root when they are opened. */
export const JsonTree = ({ value }: { value: unknown }) => {
  const t = useTranslations('keys.inspector.json');
  const [inside, setInside] = useState<{ of: unknown; roots: readonly unknown[] }>({ of: value, roots: [] });
  const [state, setState] = useState(NOTHING);
  // Nodes of a former value are dropped; collapsed nodes stay collapsed by position.
  const roots = inside.of === value ? inside.roots : [];
  const root = roots.length > 0 ? roots.at(-1) : value;
  const { rows, cut } = useMemo(() => jsonRows(root, state), [root, state]);
  const show = (next: readonly unknown[]) => {
    setInside({ of: value, roots: next });
    setState(NOTHING);
  };
  const toggle = (id: string) =>
    setState(({ toggled, shown }) => {
      const next = new Set(toggled);
      if (!next.delete(id)) next.add(id);
      return { toggled: next, shown };
    });
  const more = (id: string) =>
    setState(({ toggled, shown }) => ({
      toggled,
      shown: new Map(shown).set(id, (shown.get(id) ?? CHILDREN_SHOWN) + CHILDREN_SHOWN),
    }));
  return (
    <>
      {roots.length > 0 && (
        <Group gap="xs" mb="xs">
          <Dimmed size="xs">{t('inside', { count: roots.length })}</Dimmed>
          <Button size="compact-xs" variant="default" onClick={() => show(roots.slice(0, -1))}>
            {t('up')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => show([])}>
            {t('top')}
          </Button>
        </Group>
      )}
      <VirtualRows
        label={t('label')}
        count={rows.length}
        estimate={24}
        row={(index) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div className={classes.node} style={{ paddingInlineStart: row.depth * INDENT }}>
              {row.kind === 'more' ? (
                <MoreChildren row={row} onMore={() => more(row.of)} />
              ) : (
                <Node
                  row={row}
                  onToggle={() => toggle(row.id)}
                  onDeeper={() => show([...roots, row.value])}
                />
              )}
            </div>
          );
        }}
      />
      {cut && (
        <Dimmed size="xs" mt={4} role="status">
          {t('cut', { count: MAX_ROWS })}
        </Dimmed>
      )}
    </>
  );
};

const MoreChildren = ({ row, onMore }: { row: MoreRow; onMore: () => void }) => {
  const t = useTranslations('keys.inspector.json');
  return (
    <Anchor component="button" type="button" size="xs" onClick={onMore}>
      {t('more', { count: Math.min(row.left, CHILDREN_SHOWN), left: row.left })}
    </Anchor>
  );
};

interface NodeProps {
  row: JsonRow;
  onToggle: () => void;
  onDeeper: () => void;
}

const Node = ({ row, onToggle, onDeeper }: NodeProps) => {
  const t = useTranslations('keys.inspector.json');
  const name = row.name ?? (row.index === null ? null : String(row.index));
  return (
    <>
      {row.count > 0 && !row.deeper ? (
        <ActionIcon
          size={20}
          aria-expanded={row.open}
          aria-label={t(row.open ? 'fold' : 'unfold', {
            name: name === null ? t('root') : visibleText(name, 40),
          })}
          onClick={onToggle}
        >
          <IconChevronRight size={14} className={classes.chevron} data-open={row.open || undefined} />
        </ActionIcon>
      ) : (
        <span className={classes.noChevron} />
      )}
      <span className={classes.nodeText}>
        {name !== null && (
          <>
            <Text span inherit c={row.name === null ? 'dimmed' : 'var(--kw-active-text)'}>
              <HostileText max={200}>{name}</HostileText>
            </Text>
            <span className={classes.quiet}>: </span>
          </>
        )}
        <NodeValue row={row} />
        {row.deeper && (
          <Anchor component="button" type="button" size="xs" ms={6} onClick={onDeeper}>
            {t('deeper')}
          </Anchor>
        )}
      </span>
    </>
  );
};

const NodeValue = ({ row: { type, value, count } }: { row: JsonRow }) => {
  const t = useTranslations('keys.inspector.json');
  if (type === 'object' || type === 'array')
    return <span className={classes.quiet}>{t(type, { count })}</span>;
  if (type === 'string')
    return (
      <Text span inherit c="var(--kw-good-text)">
        {value === '' ? '""' : <HostileText max={MAX_STRING}>{value as string}</HostileText>}
      </Text>
    );
  return (
    <Text span inherit c="var(--kw-warn-text)">
      {String(value)}
    </Text>
  );
};
