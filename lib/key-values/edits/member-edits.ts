import 'server-only';
import { badField } from '@/lib/errors';
import type { Arg } from '@/lib/redis/commands';
import { scoreOf } from '../bytes';
import type { ElementParts } from '../etag';
import type { Look, LookAt } from '../look';
import type { BytesInput } from '../schema';
import { argOf, cut, type HandlersOf, memberOf, readBytes, targetOf } from './step';

/** The score that was read; none in a set. */
const scoreRead = (look: Look): string[] => (look.state.type === 'zset' ? [readBytes(look).toString()] : []);

const scoreGiven = ({ state }: Look, score: string | undefined): Arg[] => {
  const refuse = (message: string) => badField('edit.score', message);
  if (state.type === 'set' && score !== undefined) throw refuse('Members of a set have no score.');
  if (state.type === 'zset' && score === undefined) throw refuse('A score is missing.');
  return score === undefined ? [] : [scoreOf(score, 'edit.score')];
};

type Named = { member: BytesInput };

const ofMember = {
  types: ['set', 'zset'] as const,
  at: (edit: Named): LookAt => ({ what: 'member', which: memberOf(edit) }),
  element: (edit: Named, look: Look): ElementParts => {
    const [score] = scoreRead(look);
    return { member: cut(memberOf(edit)), ...(score === undefined ? {} : { score }) };
  },
  parts: (edit: Named) => [{ bytes: memberOf(edit), isMember: true as const }],
};

export const memberEdits: HandlersOf<'addMember' | 'renameMember' | 'setScore' | 'removeMember'> = {
  addMember: {
    types: ['set', 'zset'],
    at: () => ({ what: '', which: '' }),
    make: (edit, look) => {
      const [after, score] = [memberOf(edit), scoreGiven(look, edit.score)];
      return {
        edit: 'addMember',
        args: [after, ...score],
        before: null,
        after,
        undo: ([now]) => ({ edit: 'removeMember', args: [after, ...score.map(() => argOf(now))] }),
      };
    },
  },
  renameMember: {
    ...ofMember,
    make: (edit, look) => {
      const [before, after, score] = [memberOf(edit), targetOf(edit), scoreRead(look)];
      return {
        edit: 'renameMember',
        args: [before, after, ...score],
        before,
        after,
        undo: () => ({ edit: 'renameMember', args: [after, before, ...score] }),
      };
    },
  },
  setScore: {
    ...ofMember,
    types: ['zset'],
    make: (edit, look) => {
      const [field, before] = [memberOf(edit), readBytes(look)];
      const score = scoreOf(edit.score, 'edit.score');
      return {
        edit: 'setScore',
        args: [field, before, score],
        field,
        before,
        after: Buffer.from(score),
        undo: ([now]) => ({ edit: 'setScore', args: [field, argOf(now), before] }),
      };
    },
  },
  removeMember: {
    ...ofMember,
    make: (edit, look) => {
      const [before, score] = [memberOf(edit), scoreRead(look)];
      return {
        edit: 'removeMember',
        args: [before, ...score],
        before,
        after: null,
        undo: () => ({ edit: 'addMember', args: [before, ...score] }),
      };
    },
  },
};
