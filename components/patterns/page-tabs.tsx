import { Tabs } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import classes from './page-tabs.module.css';

interface PageTabsProps<T extends string> {
  tabs: readonly T[];
  /** The open tab. */
  value: T;
  label: (tab: T) => string;
  /** After the label, such as a count. */
  count?: (tab: T) => ReactNode;
  onTab: (tab: T) => void;
  /** What the open tab shows. */
  children: ReactNode;
}

/** The tabs of a page. Only the open one is rendered. */
export const PageTabs = <T extends string>({
  tabs,
  value,
  label,
  count,
  onTab,
  children,
}: PageTabsProps<T>) => {
  const list = useRef<HTMLDivElement>(null);
  const at = tabs.indexOf(value);
  // On a phone the row scrolls inside itself. Once per tab: the reader may scroll it, too.
  useLayoutEffect(() => {
    const open = list.current?.children[at] as HTMLElement | undefined;
    if (list.current && open)
      list.current.scrollLeft = open.offsetLeft - (list.current.clientWidth - open.offsetWidth) / 2;
  }, [at]);
  return (
    // Mantine's tabs cannot be closed, so the value is never null.
    <Tabs value={value} onChange={(next) => onTab(next as T)} keepMounted={false}>
      <Tabs.List mb="md" className={classes.tabs} ref={list}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab} rightSection={count?.(tab)}>
            {label(tab)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value}>{children}</Tabs.Panel>
    </Tabs>
  );
};
