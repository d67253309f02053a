import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { InspectorPage } from '@/components/keys/inspector/inspector-page';

// The title omits the key, which would otherwise be in the browser's history.
export const generateMetadata = titled('words.key');

export default async function Key({ params }: { params: Promise<{ keyId: string }> }) {
  const { keyId } = await params;
  return (
    <Allowed permission="keys:view">
      <InspectorPage key={keyId} keyId={keyId} />
    </Allowed>
  );
}
