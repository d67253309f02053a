import type { Locator, Page } from '@playwright/test';
import { messages } from '../messages/en';
import { expectAccessible } from './axe';
import { expect } from './fixtures';

const { env, flags, guard, users, access, sessions, families, patterns } = messages;
const { hitRates, presence, conversations, entities, overview, savedViews, words } = messages;

/** A label of the interface, with any values in its placeholders. */
const label = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`);

export interface Opening {
  page: string;
  /** The button to press; if there are several, the first one. */
  button?: string;
  /** Chosen from the menu that the button opens. */
  item?: string;
  /** Whether to open the first row of the table, with Enter. */
  row?: boolean;
  /** Whether to select a row first, because a selection offers its own buttons. */
  select?: boolean;
}

/** Every drawer and dialog of the console, and how it is opened. */
export const OPENINGS: Record<string, Opening> = {
  'a session': { page: '/demo/sessions', row: true },
  'a session, by its button': { page: '/demo/sessions', button: sessions.detailsOf },
  'revoke sessions': { page: '/demo/sessions', select: true, button: 'Revoke 1 session' },
  'repair sessions': { page: '/demo/sessions', button: sessions.search.repair },
  'saved views': { page: '/demo/locks', button: savedViews.open },
  'a token': { page: '/demo/tokens', row: true },
  'revoke tokens': { page: '/demo/tokens', select: true, button: 'Revoke 1 OAuth token' },
  'create a flag': { page: '/demo/flags', button: flags.create.verb },
  'history of a flag': { page: '/demo/flags', button: words.historyOf },
  'schedule of a flag': { page: '/demo/flags', button: flags.schedule.of },
  'delete a flag': { page: '/demo/flags', button: words.deleteName },
  'choose figures': { page: '/demo/overview', button: overview.tile.choose },
  'create a variable': { page: '/demo/env', button: env.create.title },
  'import variables': { page: '/demo/env', button: words.import },
  'export variables': { page: '/demo/env', button: words.export },
  'edit a variable': { page: '/demo/env', button: words.editName },
  'history of a variable': { page: '/demo/env', button: words.historyOf },
  'rename a variable': { page: '/demo/env', button: env.action.moreOf, item: words.renameAsk },
  'delete a variable': { page: '/demo/env', button: env.action.moreOf, item: words.deleteAsk },
  'back up variables': { page: '/demo/env?tab=backups', button: env.backup.title },
  'restore variables': { page: '/demo/env?tab=backups', button: env.restore.titleFile },
  // Not on demo: other tests replace the traffic there.
  'ban an address of the traffic': { page: '/live/guard', button: guard.traffic.banOf },
  'ban addresses': { page: '/demo/guard?tab=bans', button: guard.bans.add.button },
  'change a ban': { page: '/demo/guard?tab=bans', button: guard.annotate.title },
  'lift a ban': { page: '/demo/guard?tab=bans', button: guard.remove.title },
  'block projects': { page: '/demo/guard?tab=projects', button: guard.projects.add.button },
  'a rate window': { page: '/demo/guard?tab=limits', button: patterns.list.detailsOf },
  'a family': { page: '/demo/families', row: true },
  'invalidate a family': { page: '/demo/families', button: families.familyTitle },
  'invalidate keys': { page: '/demo/families', button: families.invalidateOther },
  'hit rate of a family': { page: '/demo/hit-rates', row: true },
  'turn live samples on': { page: '/demo/hit-rates', button: hitRates.sampling.turnOn },
  'sample now': { page: '/demo/hit-rates', button: hitRates.sampling.sampleNow },
  'mark a deploy': { page: '/demo/hit-rates', button: hitRates.mark.title },
  'take a user offline': { page: '/social/presence', button: presence.offline.title },
  'delete a message': {
    page: '/social/entities?kind=qianxun.room&id=12%3A%E7%94%B5%E5%BD%B1%3A%E7%A7%91%E5%B9%BB',
    button: conversations.message.deleteOf,
  },
  'all of a relation': {
    page: '/social/entities?kind=minidouyin.user&id=1',
    button: entities.relation.allOf,
  },
  'invalidate an entity': {
    page: '/social/entities?kind=minidouyin.user&id=1',
    button: words.invalidate,
  },
  'an audit entry': { page: '/audit', row: true },
  'create a notification': { page: '/audit?tab=notifications', button: messages.notifications.create },
  'create a user': { page: '/users', button: users.create.title },
  'change a user': { page: '/users', button: users.actionsOf, item: users.menu.role },
  'create an API token': { page: '/users?tab=tokens', button: users.token.create },
  'sign out everywhere': { page: '/account', button: access.actions['account-signOutEverywhere'] },
};

const openerOf = (page: Page, { button, row }: Opening): Locator => {
  if (row) return page.locator('tr[data-index="0"]').first();
  return page
    .locator('main')
    .getByRole('button', { name: label(button!) })
    .first();
};

export const open = async (page: Page, opening: Opening): Promise<Locator> => {
  if (opening.select) await page.locator('tr[data-index="0"]').getByRole('checkbox').first().click();
  const opener = openerOf(page, opening);
  await expect(opener).toBeEnabled();
  await opener.focus();
  await page.keyboard.press('Enter');
  if (opening.item) {
    const item = page.getByRole('menuitem', { name: label(opening.item) });
    await item.focus();
    await page.keyboard.press('Enter');
  }
  return opener;
};

/** What opens has the focus and no fault; Esc closes it, and the focus returns to its opener. */
export const expectReturn = async (page: Page, what: string): Promise<void> => {
  const drawer = page.getByRole('dialog');
  const opener = await open(page, OPENINGS[what]!);
  await expect(drawer).toBeVisible();
  await expect(drawer.locator(':focus')).toHaveCount(1);
  await expectAccessible(page, what);
  await page.keyboard.press('Escape');
  await expect(drawer).toHaveCount(0);
  await expect(opener, what).toBeFocused();
};
