import { useTranslations } from 'next-intl';
import { EagerLink } from '@/components/patterns/link';
import classes from './entry-tabs.module.css';
import { type Entry, hrefOf, type Page } from './pages';

interface EntryTabsProps {
  entry: Entry;
  current: Page;
  connection: string;
}

/** The pages that share an entry of the navigation. */
export const EntryTabs = ({ entry, current, connection }: EntryTabsProps) => {
  const label = useTranslations();
  return (
    <nav aria-label={label(entry.label)} className={classes.tabs}>
      <ul>
        {entry.pages.map((page) => (
          <li key={page.id}>
            <EagerLink href={hrefOf(page, connection)} aria-current={page === current ? 'page' : undefined}>
              {label(page.label)}
            </EagerLink>
          </li>
        ))}
      </ul>
    </nav>
  );
};
