'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { ApiProblem } from '@/lib/api-client';
import type { Result, WireInput } from '@/lib/contract';
import type { familyContracts, InvalidationTarget, Preview } from '@/lib/families/schema';
import { Consequence } from './consequence';
import { JobChangeDrawer } from './job-change-drawer';
import { PreviewPanel } from './preview-panel';
import type { Command } from './use-command';

type Invalidate = (typeof familyContracts)['invalidate'];

interface InvalidationDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
  change: Command<Result<Invalidate>, WireInput<Invalidate>>;
  /** Null while it is incomplete. */
  target: InvalidationTarget | null;
  query: UseQueryResult<Preview>;
  title: ReactNode;
  /** The button; by default "Invalidate 2 keys". */
  verb?: string;
  /** What is not deleted. */
  staysValid?: string;
  /** The fields of the target. */
  children?: ReactNode;
}

/** Deletes the keys of a target in a job: a preview of what is deleted, its effects, and a button with their number. */
export const InvalidationDrawer = (props: InvalidationDrawerProps) => {
  const { target, query, children, verb, ...drawer } = props;
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  // The target for which deletion without undo was agreed to.
  const [agreedTo, setAgreedTo] = useState<string | null>(null);
  const named = JSON.stringify(target);
  const withoutUndo = agreedTo === named;
  const preview = target === null ? undefined : query.data;
  const { error } = drawer.change;
  const defaultVerb = () => {
    if (!preview) return tWord('invalidate');
    return t(preview.exact ? 'verb' : 'verbAbout', { count: preview.keys });
  };
  return (
    <JobChangeDrawer
      {...drawer}
      input={target && { ...target, withoutUndo }}
      onClosed={() => setAgreedTo(null)}
      width="detail"
      verb={verb ?? defaultVerb()}
      destructive
      stays="asItIs"
      blocked={!preview || preview.keys === 0 || (!withoutUndo && !preview.undo.possible)}
    >
      {children}
      <PreviewPanel query={query} idle={target === null}>
        {(counted) => (
          <Consequence
            preview={counted}
            withoutUndo={withoutUndo}
            onWithoutUndo={(agreed) => setAgreedTo(agreed ? named : null)}
            asked={error instanceof ApiProblem && error.code === 'no_undo'}
          />
        )}
      </PreviewPanel>
    </JobChangeDrawer>
  );
};
