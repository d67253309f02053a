import type { ReactElement, ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Actor } from '@/lib/actor';
import { may, type Permission, USER_ROLES } from '@/lib/permissions';
import { Allowed } from './allowed';

let actor: Actor | null = null;
vi.mock('@/lib/access/current', () => ({ currentActor: async () => actor }));
const SIGN_IN = '/sign-in?callbackUrl=%2Fmain%2Fflags';
vi.mock('next/headers', () => ({
  cookies: async () => new Map(),
  headers: async () => new Headers({ 'x-sign-in': SIGN_IN }),
}));

type Rendered = ReactElement<{ permission: Permission; children: ReactNode }>;
type Part = (props: object) => Rendered | Promise<Rendered>;

const partsOf = (files: Record<string, { default: Part }>) =>
  Object.entries(files).map(([file, { default: part }]) => [file, part] as const);
const pages = partsOf(import.meta.glob<{ default: Part }>('./**/page.tsx', { eager: true }));
const layouts = partsOf(import.meta.glob<{ default: Part }>('./**/layout.tsx', { eager: true }));

const props = { params: Promise.resolve({ connection: 'main' }), children: 'inside' };
const user = (role: (typeof USER_ROLES)[number]): Actor => ({
  kind: 'user',
  id: 'u1',
  name: 'U',
  email: 'u@example.org',
  role,
});

beforeEach(() => {
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  actor = null;
});

/** What a part renders, including its `Allowed` if it has one. */
const render = async (part: Part) => {
  const rendered = await part(props);
  return rendered.type === Allowed ? Allowed(rendered.props) : rendered;
};

it.each([...pages, ...layouts])(
  '%s leads nobody but people further, by whichever request',
  async (_file, part) => {
    const token: Actor = { kind: 'token', id: 't1', name: 'T', role: 'admin' };
    for (const nobody of [null, token]) {
      actor = nobody;
      await expect(render(part)).rejects.toMatchObject({
        message: 'NEXT_REDIRECT',
        digest: expect.stringContaining(`;${SIGN_IN};`),
      });
    }
  },
);

it.each(pages.filter(([file]) => file !== './page.tsx'))(
  '%s is not rendered for a role that does not see it',
  async (_file, part) => {
    const { permission, children } = (await part(props)).props;
    for (const role of USER_ROLES) {
      actor = user(role);
      const seen = (await Allowed({ permission, children })) === children;
      expect([role, seen]).toEqual([role, (permission as string) === 'signed-in' || may(role, permission)]);
    }
  },
);
