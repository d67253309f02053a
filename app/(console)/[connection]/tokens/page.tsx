import { getTranslations } from 'next-intl/server';
import { Allowed } from '@/components/patterns/allowed';
import { TokensPage } from '@/components/tokens/tokens-page';

export const generateMetadata = async () => {
  const t = await getTranslations('tokens');
  return { title: t('title') };
};

export default function Tokens() {
  return (
    <Allowed permission="sessions:view">
      <TokensPage />
    </Allowed>
  );
}
