import { titled } from '@/app/titled';
import { Allowed } from '@/components/patterns/allowed';
import { TokensPage } from '@/components/tokens/tokens-page';

export const generateMetadata = titled('tokens.title');

export default function Tokens() {
  return (
    <Allowed permission="sessions:view">
      <TokensPage />
    </Allowed>
  );
}
