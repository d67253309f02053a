import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { EnvPage } from '@/components/env/env-page';

export const generateMetadata = titled('env.title');

export default function Env() {
  return (
    <Allowed permission="env:view">
      <EnvPage />
    </Allowed>
  );
}
