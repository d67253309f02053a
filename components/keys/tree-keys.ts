import type { KeyboardEvent } from 'react';

const lineOf = (item: Element): HTMLElement | null => item.querySelector(':scope > [data-line]');
const toggleOf = (item: Element): HTMLElement | null =>
  item.querySelector(':scope > [data-line] > [data-toggle]');

/** Presses a part of the item, or returns the item to focus; undefined where the key does nothing. */
const act = (key: string, item: HTMLElement, items: HTMLElement[]): HTMLElement | null | undefined => {
  const at = items.indexOf(item);
  const expanded = item.getAttribute('aria-expanded');
  switch (key) {
    case 'ArrowDown':
      return items[at + 1] ?? null;
    case 'ArrowUp':
      return items[at - 1] ?? null;
    case 'Home':
      return items[0] ?? null;
    case 'End':
      return items.at(-1) ?? null;
    case 'ArrowRight':
      if (expanded === 'true') return items[at + 1] ?? null;
      if (expanded === 'false') toggleOf(item)?.click();
      return null;
    case 'ArrowLeft':
      if (expanded !== 'true') return item.parentElement?.closest<HTMLElement>('[role=treeitem]') ?? null;
      toggleOf(item)?.click();
      return null;
    case 'Enter':
    case ' ':
      lineOf(item)?.click();
      return null;
    default:
      return undefined;
  }
};

/** The keys of a tree, by the ARIA Authoring Practices. */
export const onTreeKey = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const item = (event.target as HTMLElement).closest<HTMLElement>('[role=treeitem]');
  if (!item) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')];
  const next = act(event.key, item, items);
  if (next === undefined) return;
  event.preventDefault();
  next?.focus();
};
