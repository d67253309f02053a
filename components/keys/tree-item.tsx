'use client';

import { IconChevronRight } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext } from 'react';
import classes from './key-tree.module.css';

/** The node that Tab leads to. */
export const ActiveNode = createContext('');

interface TreeItemProps {
  /** Unique in the tree. */
  id: string;
  /** The name for screen readers. */
  name: string;
  line: ReactNode;
  /** Undefined where it has no branches. */
  expanded?: boolean | undefined;
  selected?: boolean;
  onToggle?: () => void;
  onChoose?: (() => void) | undefined;
  /** Its branches, while it is expanded. */
  children?: ReactNode;
}

/** A node of the tree: a click or Enter selects it, the arrow or the right key expands it. */
export const TreeItem = ({ id, name, line, expanded, selected, onToggle, ...rest }: TreeItemProps) => {
  const active = useContext(ActiveNode);
  const { onChoose, children } = rest;
  return (
    <div
      role="treeitem"
      aria-label={name}
      aria-expanded={expanded}
      aria-selected={selected ?? false}
      aria-disabled={onChoose ? undefined : true}
      tabIndex={active === id ? 0 : -1}
      data-node={id}
      className={classes.item}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the tree handles the keys of its items */}
      <div className={classes.line} data-line data-selected={selected || undefined} onClick={onChoose}>
        {expanded === undefined ? (
          <span className={classes.toggle} />
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the tree handles the keys of its items
          <span
            className={classes.toggle}
            data-toggle
            data-expanded={expanded || undefined}
            onClick={(event) => {
              event.stopPropagation();
              onToggle?.();
            }}
          >
            <IconChevronRight size={14} aria-hidden />
          </span>
        )}
        {line}
      </div>
      {expanded && children}
    </div>
  );
};

/** The label of a node and its figure. */
export const NodeLine = ({
  label,
  figure,
  quiet,
}: {
  label: ReactNode;
  figure?: ReactNode;
  quiet?: boolean;
}) => (
  <>
    <span className={classes.label} data-quiet={quiet || undefined}>
      {label}
    </span>
    <span className={classes.figure}>{figure}</span>
  </>
);

interface BranchesProps {
  name: string;
  busy?: boolean;
  children: ReactNode;
}

export const Branches = ({ name, busy, children }: BranchesProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a tree's group is no fieldset
  <div role="group" aria-label={name} aria-busy={busy} className={classes.branches}>
    {children}
  </div>
);
