'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useOpened } from '@/components/patterns/use-opened';
import type { Revocation as Proven } from '@/lib/sessions/revocation/schema';
import type { Session } from '@/lib/sessions/schema';
import { type RevokeInput, sessionQueries, useRevokeSessions } from './queries';
import type { SessionFilter, WireFilter } from './session-filter';

export type Names = ReadonlyMap<string, string | null>;

/** What to revoke: selected sessions, all sessions of a user, or all that match a filter. */
export type RevokeTarget =
  | {
      kind: 'sessions';
      sessions: readonly Pick<Session, 'handle' | 'userId' | 'username'>[];
      onRevoked?: () => void;
    }
  | { kind: 'user'; userId: string; username: string | null }
  | { kind: 'filter'; filter: SessionFilter; wire: WireFilter; names: Names };

export type AlsoKind = NonNullable<RevokeInput['also']>[number];

/** The result of a revocation. The server's proof has user ids only, so the names are added here. */
export interface Proof {
  result: Proven & { auditId: string | null };
  names: Names;
}

const NO_INPUT: RevokeInput = { handles: [] };

const inputOf = (target: RevokeTarget | null, also: readonly AlsoKind[]): RevokeInput => {
  if (!target) return NO_INPUT;
  const rest = also.length > 0 ? { also: [...also] } : {};
  if (target.kind === 'user') return { userId: target.userId, ...rest };
  if (target.kind === 'filter') return { filter: target.wire, ...rest };
  return { handles: target.sessions.flatMap(({ handle }) => handle ?? []), ...rest };
};

/** Names of the target's users, by user id. For a filter only those of the matches found so far. */
export const namesOf = (target: RevokeTarget): Names => {
  if (target.kind === 'filter') return target.names;
  return target.kind === 'user'
    ? new Map([[target.userId, target.username]])
    : new Map(target.sessions.flatMap(({ userId, username }) => (userId ? [[userId, username]] : [])));
};

/**
 * A revocation: `ask` opens the drawer with a counted preview, `submit` runs it, `proof` is the result. One that the
 * server runs as a job is passed to `onQueued`.
 */
export const useRevocation = (onQueued: (jobId: string) => void) => {
  const { id } = useConnection();
  const { about: target, key: round, opened, open, close } = useOpened<RevokeTarget>();
  const [also, setAlso] = useState<readonly AlsoKind[]>([]);
  const [proof, setProof] = useState<Proof | null>(null);
  const input = inputOf(target, also);
  const preview = useQuery({
    ...sessionQueries.preview(id, input, round),
    enabled: opened && target !== null,
  });
  const mutation = useRevokeSessions(id);

  const ask = (next: RevokeTarget) => {
    mutation.reset();
    setAlso([]);
    open(next);
  };
  const submit = (words: ChangeWords) => {
    if (!target) return;
    mutation.mutate(
      { ...input, ...words },
      {
        onSuccess: (result) => {
          close();
          const isQueued = 'jobId' in result;
          setProof(isQueued ? null : { result, names: namesOf(target) });
          if (isQueued) onQueued(result.jobId);
          if (target.kind === 'sessions') target.onRevoked?.();
        },
      },
    );
  };
  return {
    target,
    opened,
    preview,
    mutation,
    also,
    setAlso,
    ask,
    submit,
    close,
    proof,
    dismissProof: () => setProof(null),
    /** Names of the last target, for the proof of a job that ends later. */
    names: target ? namesOf(target) : (new Map() satisfies Names),
  };
};

export type Revocation = ReturnType<typeof useRevocation>;
