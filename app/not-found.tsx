import { getTranslations } from 'next-intl/server';
import classes from '@/components/shell/trouble.module.css';
import { env } from '@/lib/configuration';

/** Plain HTML, because its script would be part of every page, including the sign-in page. */
export default async function NotFoundPage() {
  const t = await getTranslations('shell.trouble');
  return (
    <main className={classes.box}>
      <h1>{t('notFound')}</h1>
      <p>{t('notFoundNote')}</p>
      <a href={`${env().basePath}/`}>{t('home')}</a>
    </main>
  );
}
