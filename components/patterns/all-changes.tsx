'use client';

import { useTranslations } from 'next-intl';
import type { SubjectKind } from '@/lib/audit/schema';
import { useConnectionOrNull } from './connection';
import { TextLink } from './text-link';
import { useMay } from './viewer';

interface Subject {
  kind: SubjectKind;
  /** As audit entries record it. */
  name: string;
}

/** Characters of a name in the address of the audit log. */
const MAX_NAME = 600;

/** The audit log of one thing. */
export const changesHref = (connection: string | undefined, { kind, name }: Subject): string =>
  `/audit?${new URLSearchParams({ ...(connection && { connection }), subject: `${kind}:${name}` })}`;

/** Leads to all that was done to something, for those who may read the audit log. */
export const AllChanges = (subject: Subject) => {
  const tWord = useTranslations('words');
  const mayAudit = useMay('audit:view');
  const connection = useConnectionOrNull();
  if (!mayAudit || subject.name.length > MAX_NAME) return null;
  return <TextLink href={changesHref(connection?.id, subject)}>{tWord('allChanges')}</TextLink>;
};
