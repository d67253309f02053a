'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { queryKeyOf } from '@/components/patterns/query-key';
import { usePreviewedChange } from '@/components/patterns/use-previewed-change';
import type { WireInput } from '@/lib/contract';
import { type Revocation as Proven, revocationContracts } from '@/lib/sessions/revocation/schema';
import { type Session, sessionContracts } from '@/lib/sessions/schema';
import type { SessionFilter, WireFilter } from './session-filter';
import { dropMatches } from './use-session-search';

type RevokeInput = WireInput<typeof revocationContracts.revoke>;

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

const handlesOf = ({ sessions }: Extract<RevokeTarget, { kind: 'sessions' }>): string[] =>
  sessions.flatMap(({ handle }) => handle ?? []);

const inputOf = (target: RevokeTarget, also: readonly AlsoKind[]): RevokeInput => {
  const rest = also.length > 0 ? { also: [...also] } : {};
  if (target.kind === 'user') return { userId: target.userId, ...rest };
  if (target.kind === 'filter') return { filter: target.wire, ...rest };
  return { handles: handlesOf(target), ...rest };
};

/** Names of the target's users, by user id. For a filter only those of the matches found so far. */
export const namesOf = (target: RevokeTarget): Names => {
  if (target.kind === 'filter') return target.names;
  return target.kind === 'user'
    ? new Map([[target.userId, target.username]])
    : new Map(target.sessions.flatMap(({ userId, username }) => (userId ? [[userId, username]] : [])));
};

/** A revocation, and what else of its users it ends. One that the server runs as a job is passed to `onQueued`. */
export const useRevocation = (onQueued: (jobId: string) => void) => {
  const client = useQueryClient();
  const { id } = useConnection();
  const [also, setAlso] = useState<readonly AlsoKind[]>([]);
  const change = usePreviewedChange<RevokeTarget, typeof revocationContracts.revoke>(
    revocationContracts.revoke,
    {
      inputOf: (target) => inputOf(target, also),
      onDone: (target, jobId, result) => {
        // Searching the complete keyspace again to drop a few known sessions is too expensive.
        if (target.kind === 'sessions' && 'remaining' in result && result.remaining === 0)
          dropMatches(client, id, handlesOf(target));
        else void client.invalidateQueries({ queryKey: queryKeyOf(sessionContracts.search, id) });
        if (jobId !== null) onQueued(jobId);
        if (target.kind === 'sessions') target.onRevoked?.();
      },
    },
  );
  const { target, proof, ask } = change;
  return {
    ...change,
    also,
    setAlso,
    ask: (next: RevokeTarget) => {
      setAlso([]);
      ask(next);
    },
    proof: proof && { result: proof.result, names: namesOf(proof.target) },
    /** Names of the last target, for the proof of a job that ends later. */
    names: target ? namesOf(target) : (new Map() satisfies Names),
  };
};

export type Revocation = ReturnType<typeof useRevocation>;
