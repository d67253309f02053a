import 'server-only';
import type { z } from 'zod';
import { type AuditJson, defineCommand } from '@/lib/command/define';
import type { Contract, Input } from '@/lib/contract';
import type { JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { exceedsRequestTime } from '@/lib/sessions/keyspace';
import { auditedFilter } from '@/lib/sessions/readable';
import { userOfHandle } from '@/lib/sessions/schema';
import {
  type AnyKey,
  type AnyToken,
  oauthStates,
  oauthTokens,
  type TokenKind,
  verificationTokens,
} from './kinds';
import { previewTokens, revokeTokens, type TokenSelection } from './revoke';
import { tokenContracts } from './schema';

const MAX_AUDITED = 50;
const MAX_AUDITED_LENGTH = 60;

/** The target as a line for the audit log; it begins with the user where there is one. */
const targetLine = (name: string, { ids = [], filter = {} }: TokenSelection): string => {
  const { userId, ...rest } = filter;
  const users = new Set(ids.map(userOfHandle));
  const user = userId ?? (users.size === 1 ? [...users][0] : null);
  const narrowing = Object.entries(auditedFilter(rest, MAX_AUDITED_LENGTH));
  const narrowed = narrowing.map(([field, value]) => `, ${field}=${value}`).join('');
  const what = `${ids.length > 0 ? `${ids.length} ` : ''}${name}${narrowed}`;
  return user ? `user ${user} (${what})` : what;
};

const selectionOf = ({ ids, filter }: TokenSelection): TokenSelection => ({
  ...(ids ? { ids } : {}),
  ...(filter ? { filter } : {}),
});

type RevokeContract = (typeof tokenContracts)['oauthRevoke' | 'verificationRevoke' | 'stateRevoke'];

/** The command and the job of one kind of tokens. They cannot be undone, because tokens are never stored. */
const revocationOf = <C extends RevokeContract & Contract, K extends AnyKey, T extends AnyToken>(
  contract: C,
  kind: TokenKind<K, T>,
) => {
  const job: JobDefinition<C['input']> = {
    action: contract.id,
    permission: 'sessions:revoke',
    unit: 'tokens',
    urgent: true,
    payload: contract.input,
    run: async (ctx, payload) => {
      const before = (revoked: number, next: number) => ctx.progress(revoked, null, next);
      const counts = await revokeTokens(ctx, kind, payload as TokenSelection, { signal: ctx.signal, before });
      await ctx.progress(counts.revoked, counts.matched, 0);
      return { result: { ...counts }, after: { ...counts } };
    },
  };
  const command = defineCommand<RevokeContract>({
    contract: contract as RevokeContract,
    target: (input) => targetLine(kind.name, input as TokenSelection),
    redact: ({ ids, filter }): AuditJson => ({
      ids: ids?.slice(0, MAX_AUDITED) ?? null,
      count: ids?.length ?? null,
      filter: filter ? auditedFilter(filter, MAX_AUDITED_LENGTH) : null,
    }),
    needsConfirmation: () => true,
    needsStepUp: (_, { filter }) => filter !== undefined,
    preview: (ctx, input: Input<RevokeContract>) => previewTokens(ctx, kind, input as TokenSelection),
    impact: async (ctx, input) => ({
      count: (await previewTokens(ctx, kind, input as TokenSelection)).remaining,
    }),
    run: async (ctx, input) => {
      const selection = selectionOf(input as TokenSelection);
      const direct = kind.exact?.(ctx, selection) ?? null;
      if (direct === null && (await exceedsRequestTime(ctx, 2))) {
        const target = targetLine(kind.name, selection);
        const jobId = await enqueue(ctx, job, { data: selection as z.input<C['input']>, target });
        return { result: { jobId }, continues: true };
      }
      const counts = await revokeTokens(ctx, kind, selection);
      return { result: counts, before: { tokens: counts.matched }, after: { ...counts } };
    },
  });
  return { command, job };
};

const oauth = revocationOf(tokenContracts.oauthRevoke, oauthTokens);
const verification = revocationOf(tokenContracts.verificationRevoke, verificationTokens);
const states = revocationOf(tokenContracts.stateRevoke, oauthStates);

export const revokeOauthTokens = oauth.command;
export const revokeVerificationTokens = verification.command;
export const revokeOauthStates = states.command;
export const tokenJobs: readonly JobDefinition[] = [oauth.job, verification.job, states.job];
