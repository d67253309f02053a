import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { KeysPage } from '@/components/keys/keys-page';

export const generateMetadata = titled('keys.title');

export default function Keys() {
  return (
    <Allowed permission="keys:view">
      <KeysPage />
    </Allowed>
  );
}
