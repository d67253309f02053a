import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { TokensPage } from '@/components/tokens/tokens-page';

export const generateMetadata = titled('tokens.title');

export default function Tokens() {
  return (
    <Allowed permission="sessions:view">
      <TokensPage />
    </Allowed>
  );
}
