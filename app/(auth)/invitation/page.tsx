import { titled } from '@/app/titled';
import { InvitationForm } from '@/components/access/invitation-form';

export const generateMetadata = titled('access.invitation.title');

export default function InvitationPage() {
  return <InvitationForm />;
}
