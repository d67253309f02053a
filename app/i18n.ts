import { headers } from 'next/headers';
import { getRequestConfig } from 'next-intl/server';
import { currentActor } from '@/lib/access/current';
import { withoutStore } from '@/lib/redis/failure';
import { preferencesOf } from '@/lib/users/preferences/store';
import { loadTexts } from '@/messages/load';
import { localeFor } from './accepted-locale';

/** The language that the signed-in user chose; null without one. */
const chosenLocale = async () => {
  const actor = await currentActor().catch(withoutStore(null));
  return actor?.kind === 'user' ? (await preferencesOf(actor.id)).language : null;
};

export default getRequestConfig(async () => {
  const locale = (await chosenLocale()) ?? localeFor((await headers()).get('accept-language'));
  return { locale, messages: await loadTexts(locale), timeZone: 'UTC' };
});
