import type { Locator, Page } from '@playwright/test';
import type { Redis } from 'ioredis';
import { VIDEOS } from '../scripts/demo-traffic/social/damage';
import { expect, test } from './fixtures';

const addressOf = (kind: string, id: string | number): string =>
  `/social/entities?${new URLSearchParams({ kind, id: String(id) })}`;

/** A relation of the open entity. */
const relation = (page: Page, title: string): Locator => page.getByRole('list', { name: title, exact: true });

const linkTo = (within: Locator, id: string): Locator =>
  within.locator(`a[href$="id=${encodeURIComponent(id)}"]`).first();

const expectEntity = (page: Page, title: string): Promise<void> =>
  expect(page.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible();

/** A video with a comment: who published it, the comment, and who wrote it. */
const commentedVideo = async (redis: Redis) => {
  for (let id = 1; id <= VIDEOS.regular; id++) {
    const [comment] = await redis.zrange(`video_comment_${id}`, '0', '0');
    if (comment === undefined) continue;
    const author = (await redis.hget(`video_${id}`, 'Author'))!;
    return {
      video: String(id),
      author,
      comment,
      writer: (await redis.hget(`comment_${comment}`, 'UserId'))!,
    };
  }
  throw new Error('no video has a comment');
};

test('support goes from a user to a video, to a comment and to its author, and may change nothing', async ({
  signInAs,
  socialRedis,
}) => {
  const { video, author, comment, writer } = await commentedVideo(socialRedis);
  const fieldOf = async (key: string, name: string) => (await socialRedis.hget(key, name))!;
  const page = await signInAs('support');
  await page.goto('/social/entities?kind=minidouyin.user');
  await page.getByRole('searchbox').fill(await fieldOf(author, 'Username'));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=/);
  const match = linkTo(page.getByRole('table', { name: 'Entities' }), author);
  await expect(match).toBeVisible();
  await match.click();
  await expectEntity(page, await fieldOf(author, 'Nickname'));
  await linkTo(relation(page, 'Published videos'), video).waitFor();
  expect(await page.content()).not.toContain(await fieldOf(author, 'Passwd'));
  await linkTo(relation(page, 'Published videos'), video).click();
  await expectEntity(page, await fieldOf(`video_${video}`, 'Title'));
  await linkTo(relation(page, 'Comments'), comment).click();
  await expectEntity(page, await fieldOf(`comment_${comment}`, 'Content'));
  await linkTo(relation(page, 'Author'), writer).click();
  await expectEntity(page, await fieldOf(writer, 'Nickname'));
  await expect(relation(page, 'Follows')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Invalidate' })).toHaveCount(0);
  // The first account is followed by all.
  await page.goto(addressOf('minidouyin.user', 1));
  await page.getByRole('button', { name: 'Show all: Followers' }).click();
  const followers = page.getByRole('dialog').getByRole('table', { name: 'Followers' });
  await expect(followers.getByRole('link').nth(5)).toBeVisible();
});

test('a viewer has none of these pages', { tag: '@long' }, async ({ signInAs }) => {
  const page = await signInAs('viewer');
  await page.goto('/social/entities');
  await expect(page.getByText('You don’t have access to this page')).toBeVisible();
  const navigation = page.getByRole('navigation').first();
  await navigation.getByRole('button', { name: 'More' }).click();
  await expect(navigation.getByRole('link', { name: 'Catalog' })).toBeVisible();
  for (const name of ['Entities', 'Presence', 'Rooms and chats', 'Views'])
    await expect(navigation.getByRole('link', { name, exact: true })).toHaveCount(0);
});
