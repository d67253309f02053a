import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '@/lib/actor';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import type { Locale } from '@/lib/locales';
import { testActor, testContext } from '@/scripts/testing/context';
import { readMail } from '@/scripts/testing/read-mail';
import { writePreferences } from '../preferences/store';
import { acceptLink } from './accept';
import { createUserLink, inviteUser } from './commands';

const EMAIL = 'nina@example.org';
const test = await testContext();
const configure = (variables: Record<string, string>): void => {
  Object.assign(process.env, variables);
  forgetEnv();
};

let mails: { to: string[]; text: string }[];
let refuse: number | null;
let smtp: SMTPServer;
let silent: Server | null;

const portOf = (server: { address(): unknown }): number => (server.address() as { port: number }).port;

beforeEach(async () => {
  mails = [];
  refuse = null;
  silent = null;
  smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onRcptTo: (_, __, done) =>
      done(refuse === null ? null : Object.assign(new Error('refused'), { responseCode: refuse })),
    onData: async (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
      done();
    },
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', () => resolve()));
  configure({
    NEXTAUTH_URL: 'https://keyward.example.org',
    KEYWARD_SMTP_URL: `smtp://127.0.0.1:${portOf(smtp.server)}`,
    KEYWARD_SMTP_FROM: 'keyward@example.org',
  });
  await test.empty();
});
afterEach(async () => {
  silent?.close();
  await new Promise<void>((resolve) => void smtp.close(() => resolve()));
});
afterAll(async () => {
  configure({ NEXTAUTH_URL: '', KEYWARD_SMTP_URL: '', KEYWARD_SMTP_FROM: '' });
  await test.close();
});

const actorNamed = (email: string): Actor => ({ kind: 'user', id: 'a', name: 'Ann', email, role: 'admin' });
const invite = (change: object = {}, actor = testActor('admin')) => {
  const raw = { email: EMAIL, name: 'Nina', role: 'viewer', mail: true, ...change };
  return runCommand(inviteUser, { actor, requestId: randomUUID(), connection: null, raw });
};
const bodyOf = ({ text }: { text: string }): string => readMail(text).text;
const codeIn = (text: string): string => /\/invitation#([0-9a-f]{96})/.exec(text)![1]!;
const auditLog = async () => JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));
const accept = (code: string) =>
  acceptLink(
    { ...test.ctx, address: '198.51.100.7', requestId: randomUUID() },
    { code, password: 'correct horse battery' },
  );

it('brings the link to the user only: the answer and the log do not have it', async () => {
  const invited = await invite({}, actorNamed('root@example.org'));
  expect(invited).toMatchObject({ link: null, notMailed: null });
  expect(mails).toMatchObject([{ to: [EMAIL] }]);
  const body = bodyOf(mails[0]!);
  expect(body).toContain('root@example.org invites you to Keyward');
  expect(body).toContain('console at https://keyward.example.org.');
  const until = invited.linkUntil.slice(0, 19).replace('T', ' ');
  expect(body).toContain(`until ${until} UTC`);
  const code = codeIn(body);
  expect(await auditLog()).not.toContain(code);
  expect(await auditLog()).toContain('\\"mailed\\":true');
  expect(await accept(code)).toMatchObject({ email: EMAIL });
  const { user } = invited;
  const raw = { id: user.id, mail: true };
  const call = { actor: actorNamed('root@example.org'), requestId: randomUUID(), connection: null, raw };
  expect(await runCommand(createUserLink, call)).toMatchObject({ link: null, notMailed: null });
  expect(bodyOf(mails[1]!)).toContain('root@example.org lets you set a new password');
});

it('has no header of a name, an address or a role', async () => {
  const evil = 'x\r\nBcc: eve@evil.example\r\n\r\nhello';
  await invite({ name: evil }, { kind: 'token', id: 't', name: evil, role: 'admin' });
  expect(mails).toMatchObject([{ to: [EMAIL] }]);
  expect(mails[0]!.text).not.toMatch(/^Bcc:/im);
  expect(mails[0]!.text.split('\r\n\r\n')[0]).not.toContain('evil.example');
  expect(bodyOf(mails[0]!)).toContain('\\r\\nBcc: eve@evil.example');
});

it('that a server refuses leaves the user and the link, which is shown then', async () => {
  refuse = 550;
  const { link, notMailed, user } = await invite();
  expect(notMailed).toBe('1 of 1 recipients were refused (550).');
  expect(mails).toEqual([]);
  expect(await auditLog()).toContain('\\"mailed\\":false');
  await accept(codeIn(link!));
  expect(user.email).toBe(EMAIL);
});

it('that no server takes leaves the user and the link', async () => {
  for (const [url, email] of [
    ['smtp://127.0.0.1:1', 'a@example.org'],
    ['', 'b@example.org'],
  ] as const) {
    configure({ KEYWARD_SMTP_URL: url, KEYWARD_SMTP_FROM: url && 'keyward@example.org' });
    const { link, notMailed } = await invite({ email });
    expect(notMailed).toMatch(/was not reached|is not set/);
    expect(link).toContain('/invitation#');
  }
});

it('that a server never answers ends after ten seconds, with the link', {
  tags: 'long',
  timeout: 20_000,
}, async () => {
  silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => void silent!.listen(0, '127.0.0.1', () => resolve()));
  configure({ KEYWARD_SMTP_URL: `smtp://127.0.0.1:${portOf(silent)}` });
  const { link, notMailed } = await invite();
  expect(notMailed).toBe('No answer within 10 s.');
  await accept(codeIn(link!));
});

describe('the language', () => {
  const speaks = (user: string, language: Locale) => writePreferences(test.ctx.store, user, { language });
  const resetOf = (id: string) =>
    runCommand(createUserLink, {
      actor: actorNamed('root@example.org'),
      requestId: randomUUID(),
      connection: null,
      raw: { id, mail: true },
    });

  it.each([
    [
      'ru',
      'Приглашение в Keyward',
      'root@example.org приглашает вас в Keyward',
      'Она действует один раз, до ',
    ],
    ['zh', 'Keyward 邀请', 'root@example.org 邀请你使用', '链接只能使用一次，有效期至 '],
  ] as const)('of an invitation is that of the admin: %s', async (language, subject, who, until) => {
    await speaks('a', language);
    const { linkUntil } = await invite({}, actorNamed('root@example.org'));
    const mail = readMail(mails[0]!.text);
    expect(mail.subject).toBe(subject);
    expect(mail.text).toContain(who);
    expect(mail.text).toContain(`${until}${linkUntil.slice(0, 19).replace('T', ' ')} UTC`);
    expect(await accept(codeIn(mail.text))).toMatchObject({ email: EMAIL });
  });

  it('of a reset is that of the account, and English where none is chosen', async () => {
    const { user } = await invite({}, actorNamed('root@example.org'));
    await accept(codeIn(bodyOf(mails[0]!)));
    await speaks('a', 'zh');
    await resetOf(user.id);
    await speaks(user.id, 'ru');
    await resetOf(user.id);
    expect(mails.map(({ text }) => readMail(text).subject)).toEqual([
      'Your invitation to Keyward',
      'Your new password for Keyward',
      'Новый пароль для Keyward',
    ]);
  });

  it('of an invitation by a token is English', async () => {
    await invite({}, { kind: 'token', id: 'a', name: 'Script', role: 'admin' });
    expect(readMail(mails[0]!.text).subject).toBe('Your invitation to Keyward');
  });
});
