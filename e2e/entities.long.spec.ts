import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { ACCOUNTS, DAMAGE, totalOf, VIDEOS } from '../scripts/demo-traffic/social/damage';
import { expect, test } from './fixtures';
import { expectNoSidewaysScroll, openOnPhone } from './phone';

const addressOf = (kind: string, id: string | number): string =>
  `/social/entities?${new URLSearchParams({ kind, id: String(id) })}`;

/** A relation of the open entity. */
const relation = (page: Page, title: string): Locator => page.getByRole('list', { name: title, exact: true });

const linkTo = (within: Locator, id: string): Locator =>
  within.locator(`a[href$="id=${encodeURIComponent(id)}"]`).first();

/** A participant of an activity with few of them, and the chat group that this user made. */
const participantWithGroup = async (redis: Redis) => {
  const groups: string[] = [];
  for await (const keys of redis.scanStream({ match: 'chatgrp:*:list:*', count: 1000 }))
    groups.push(...(keys as string[]));
  for (const key of groups.sort()) {
    const [, user, , ...group] = key.split(':');
    for (const activity of await redis.zrange(`activity:${user}:in`, '0', '-1'))
      if ((await redis.scard(`activity:${activity}:participants`)) <= 10)
        return { activity, user: user!, group: `${user}:${group.join(':')}` };
  }
  throw new Error('no such participant');
};

test('an admin goes from an activity to a participant and to the chat of a group', async ({
  signInAs,
  socialRedis,
}) => {
  const { activity, user, group } = await participantWithGroup(socialRedis);
  const page = await signInAs('admin');
  await page.goto(addressOf('qianxun.activity', activity));
  await linkTo(relation(page, 'Participants'), user).click();
  await linkTo(relation(page, 'Chat groups'), group).click();
  const messages = page.getByRole('list', { name: 'Messages', exact: true });
  await expect(messages.getByRole('listitem')).toHaveCount(20);
});

test('what is damaged about an entity is found at once, and a check of all users counts it', async ({
  signInAs,
}) => {
  const page = await signInAs('product');
  const { expired, partialLikes, namesItself, withoutId } = ACCOUNTS;
  await page.goto(addressOf('minidouyin.user', partialLikes.first));
  await expect(page.getByRole('heading', { name: '1 partial set' })).toBeVisible();
  await page.goto(addressOf('minidouyin.user', namesItself));
  await expect(relation(page, 'Follows')).toContainText('itself');
  await page.goto(addressOf('minidouyin.user', withoutId[0]));
  await expect(page.getByText('The record lacks its id')).toBeVisible();
  await page.goto(addressOf('minidouyin.video', VIDEOS.ofExpired.first));
  await expect(page.getByRole('heading', { name: '1 dangling reference' })).toBeVisible();
  await expect(page.getByRole('list', { name: '1 dangling reference' })).toContainText(String(expired.last));

  await page.goto('/social/entities?tab=check&kind=minidouyin.user');
  await page.getByRole('button', { name: 'Check relations' }).click();
  await expect(page.getByText('Done', { exact: true })).toBeVisible({ timeout: 40_000 });
  const figure = (label: string) =>
    page.locator('dl > div', { has: page.getByText(label, { exact: true }) }).locator('dd');
  const { dangling, oneSided, oneSidedNotStored, partial, wrongType } = DAMAGE;
  const ofUsers = (counts: Readonly<Record<string, number>>): number =>
    totalOf(Object.fromEntries(Object.entries(counts).filter(([family]) => USER_FAMILIES.has(family))));
  await expect(figure('Dangling')).toHaveText(String(ofUsers(dangling)));
  await expect(figure('One-sided')).toHaveText(String(ofUsers(oneSided) + ofUsers(oneSidedNotStored)));
  await expect(figure('Partial')).toHaveText(String(ofUsers(partial)));
  await expect(figure('Wrong type')).toHaveText(String(ofUsers(wrongType)));
  await expect(
    page.getByText(`${ofUsers(oneSidedNotStored)} where the other side is not stored`),
  ).toBeVisible();
});

const USER_FAMILIES = new Set([
  'minidouyin.follows',
  'minidouyin.followers',
  'minidouyin.friendlist',
  'minidouyin.user-like',
  'minidouyin.publish',
]);

test('drift names the type that is really written', async ({ signInAs, socialRedis }) => {
  let likes = 0;
  for await (const keys of socialRedis.scanStream({ match: 'user_like_*', count: 1000 }))
    likes += (keys as string[]).length;
  const page = await signInAs('product');
  await page.goto('/social/catalog?tab=drift');
  const row = page.getByRole('row').filter({ hasText: 'Likes' });
  await expect(row).toContainText(`Documented as set, ${likes} of ${likes} are zsets`, { timeout: 40_000 });
});

test('on a phone support finds a video and its author', async ({ signInAs }) => {
  const page = await signInAs('support');
  const cards = await openOnPhone(page, `/social/entities?kind=minidouyin.video&q=${VIDEOS.regular}`);
  await cards.first().getByRole('link').click();
  const author = relation(page, 'Author').getByRole('link');
  await expect(author).toBeVisible();
  await expectNoSidewaysScroll(page);
  await author.click();
  await expect(page).toHaveURL(/kind=minidouyin\.user/);
  await expect(relation(page, 'Published videos')).toBeVisible();
  await expectNoSidewaysScroll(page);
});
