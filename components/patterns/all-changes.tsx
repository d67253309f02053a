'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type SubjectKind, subjectIn } from '@/lib/audit/schema';
import { useConnectionOrNull } from './connection';
import { Link } from './link';
import { useMay } from './viewer';

interface Subject {
  kind: SubjectKind;
  /** As audit entries record it. */
  name: string;
}

const textOf = ({ kind, name }: Subject): string => `${kind}:${name}`;

/** The audit log of one thing. */
export const changesHref = (connection: string | undefined, subject: Subject): string =>
  `/audit?${new URLSearchParams({ ...(connection && { connection }), subject: textOf(subject) })}`;

/** Leads to all that was done to something, for those who may read the audit log. */
export const AllChanges = (subject: Subject) => {
  const tWord = useTranslations('words');
  const mayAudit = useMay('audit:view');
  const connection = useConnectionOrNull();
  // A name may be too long for an address.
  if (!mayAudit || !subjectIn(textOf(subject))) return null;
  return (
    <Anchor component={Link} size="sm" href={changesHref(connection?.id, subject)}>
      {tWord('allChanges')}
    </Anchor>
  );
};
