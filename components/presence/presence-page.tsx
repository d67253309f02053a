'use client';

import { useTranslations } from 'next-intl';
import { AddressedList } from '@/components/contract-list/addressed-list';
import { PageHeader } from '@/components/patterns/page-header';
import { ONLINE } from './online-list';
import classes from './presence.module.css';
import { PresenceHistory } from './presence-history';

/** Who is online now, and how many were over time. */
export const PresencePage = () => {
  const t = useTranslations('presence');
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <div className={classes.columns}>
        <div>
          <AddressedList list={ONLINE} />
        </div>
        <PresenceHistory />
      </div>
    </>
  );
};
