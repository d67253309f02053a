'use client';

import { VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Count } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import { visibleText } from '@/lib/visible-text';
import { ALL_KEYS, type Branch, paramsWith } from './key-filter';
import classes from './key-tree.module.css';
import type { TreeNode } from './queries';
import { Branches, NodeLine, TreeItem } from './tree-item';
import { type KeyGroup, useGroups } from './use-groups';

export interface BranchProps {
  chosen: Branch;
  onChoose: (branch: Branch) => void;
  expanded: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

interface GroupBranchProps extends BranchProps {
  /** The node's id in the tree. */
  id: string;
  label: string;
  node: TreeNode;
  /** Number of levels of branches below; unlimited for prefixes. */
  levels: number;
}

/** The branch opened by a group, and its node in the tree. */
const branchOf = (node: TreeNode, param: string | null, open: string): { node: TreeNode; branch: Branch } => {
  const { family } = node;
  if (family === undefined || param === null)
    return { node: { prefix: open }, branch: { ...ALL_KEYS, prefix: open, state: 'unclassified' } };
  const params = paramsWith(node.params ?? '', param, open);
  return { node: { family, params }, branch: { ...ALL_KEYS, family, params } };
};

const isChosen = (chosen: Branch, branch: Branch): boolean =>
  chosen.family === branch.family && chosen.params === branch.params && chosen.prefix === branch.prefix;

/** The branches of a node, counted while a scan finds them. */
export const GroupBranch = (props: GroupBranchProps) => {
  const { id, label, node, levels } = props;
  const t = useTranslations('keys.tree');
  const loaded = useGroups(node);
  const { groups, param } = loaded;
  return (
    <>
      <VisuallyHidden role="status">
        {(loaded.complete || loaded.paused) && t('found', { count: groups.length, of: label })}
      </VisuallyHidden>
      <Branches name={param ? t('by', { of: label, param }) : label} busy={loaded.loading}>
        {groups.map((group) => (
          <Group
            key={group.open ?? `hidden ${group.value}`}
            {...props}
            group={group}
            param={param}
            levels={levels}
          />
        ))}
        <Progress id={`${id} progress`} found={loaded} />
      </Branches>
    </>
  );
};

const Group = (props: GroupBranchProps & { group: KeyGroup; param: string | null }) => {
  const { id: above, node, levels, group, param, chosen, onChoose, expanded, onToggle } = props;
  const t = useTranslations('keys.tree');
  const { value, open, keys } = group;
  const id = `${above} ${open ?? `hidden ${value}`}`;
  const name = t('branch', { name: visibleText(value, 100), count: keys });
  const line = (
    <NodeLine
      label={
        <>
          {param && <span className={classes.param}>{param} </span>}
          <HostileText max={80}>{value}</HostileText>
        </>
      }
      figure={<Count value={keys} />}
    />
  );
  if (open === null) return <TreeItem id={id} name={name} line={line} />;
  const own = branchOf(node, param, open);
  const isExpanded = expanded.has(id);
  return (
    <TreeItem
      id={id}
      name={name}
      line={line}
      expanded={levels > 1 ? isExpanded : undefined}
      selected={isChosen(chosen, own.branch)}
      onToggle={() => onToggle(id)}
      onChoose={() => onChoose(own.branch)}
    >
      <GroupBranch {...props} id={id} label={visibleText(value, 100)} node={own.node} levels={levels - 1} />
    </TreeItem>
  );
};

/** The progress of the scan, with its action: stop, continue, or try again; at the end the number of results. */
const Progress = ({ id, found }: { id: string; found: ReturnType<typeof useGroups> }) => {
  const t = useTranslations('keys.tree');
  const format = useFormat();
  if (found.complete) {
    const text = t('complete', { count: found.groups.length, keys: found.keys });
    return <TreeItem id={id} name={text} line={<NodeLine quiet label={text} />} />;
  }
  const action = found.error ? 'retry' : found.paused ? 'goOn' : 'stop';
  const soFar = found.error
    ? found.error.message
    : t('soFar', {
        keys: format.count(found.keys),
        examined: format.count(found.examined),
        total: format.count(found.total),
      });
  return (
    <TreeItem
      id={id}
      name={`${t(action)}: ${soFar}`}
      onChoose={action === 'stop' ? found.stop : found.goOn}
      line={<NodeLine quiet label={soFar} figure={<span className={classes.action}>{t(action)}</span>} />}
    />
  );
};
