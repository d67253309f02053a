import { getTranslations } from 'next-intl/server';
import classes from '@/components/shell/trouble.module.css';
import { env } from '@/lib/configuration';

/** An address without a page. Plain, because its script would belong to every page, also to the sign-in page. */
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
