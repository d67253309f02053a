'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import type { Result } from '@/lib/contract';
import type { Session, sessionContracts } from '@/lib/sessions/schema';
import { type RevokeInput, sessionQueries, useRevokeSessions } from './queries';

/** What is to be revoked: chosen sessions, or everything of a person. */
export type RevokeTarget =
  | { kind: 'sessions'; sessions: Session[]; onRevoked?: () => void }
  | { kind: 'person'; userId: string; username: string | null };

export type AlsoKind = NonNullable<RevokeInput['also']>[number];
/** A proof, or the job that goes on with it and has the proof as its result. */
export type RevokeResult = Result<typeof sessionContracts.revoke>;

/** What a revocation did, with whose it was: names are not in the server's proof. */
export interface Proof {
  result: RevokeResult;
  target: RevokeTarget;
}

const NO_INPUT: RevokeInput = { handles: [] };

const inputOf = (target: RevokeTarget | null, also: readonly AlsoKind[]): RevokeInput => {
  if (!target) return NO_INPUT;
  const rest = also.length > 0 ? { also: [...also] } : {};
  if (target.kind === 'person') return { userId: target.userId, ...rest };
  return { handles: target.sessions.flatMap(({ handle }) => handle ?? []), ...rest };
};

/** Names of the people a target reaches, by user id. */
export const namesOf = (target: RevokeTarget): Map<string, string | null> =>
  target.kind === 'person'
    ? new Map([[target.userId, target.username]])
    : new Map(target.sessions.flatMap(({ userId, username }) => (userId ? [[userId, username]] : [])));

/** A revocation from the question to the proof: `ask`, the counted preview, `submit`, `proof`. */
export const useRevocation = () => {
  const { id } = useConnection();
  const [target, setTarget] = useState<RevokeTarget | null>(null);
  const [round, setRound] = useState(0);
  const [opened, setOpened] = useState(false);
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
    setTarget(next);
    setRound(round + 1);
    setAlso([]);
    setOpened(true);
  };
  const submit = (words: ChangeWords) => {
    if (!target) return;
    mutation.mutate(
      { ...input, ...words },
      {
        onSuccess: (result) => {
          setOpened(false);
          setProof({ result, target });
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
    close: () => setOpened(false),
    proof,
    dismissProof: () => setProof(null),
  };
};

export type Revocation = ReturnType<typeof useRevocation>;
