// The texts of the Team page.
import type { ReactNode } from 'react'
import type { Role } from '../../../api/types'

const roles: Readonly<Record<Role, string>> = { admin: 'Admin', viewer: 'Viewer' }

export const texts = {
  title: 'Team',
  about: 'Admins can send payouts and change settings. Viewers have read-only access.',
  columns: { person: 'Person', lastSignedIn: 'Last signed in', role: 'Role', andActions: 'and actions' },
  you: 'you',
  roles,
  roleOf: (email: string) => `Role of ${email}`,
  roleChanged: 'Role updated',
  cancel: 'Cancel',
  invite: {
    open: 'Invite',
    title: 'Invite a team member',
    email: 'Work email',
    name: 'Name',
    role: 'Role',
    viewer: 'Viewer: read-only access',
    admin: 'Admin: can send payouts and change settings',
    button: 'Send invitation',
    emailCode: 'Email me a code',
    /** Completes the sentence "It only works for …". */
    confirms: (email: string) => `inviting ${email} as an admin`,
    alreadyMember: 'This person is already on your team or has already been invited.',
    done: 'Invitation sent',
  },
  resend: {
    button: 'Resend',
    label: (email: string) => `Resend to ${email}`,
    title: 'Resend this invitation?',
    about: (email: ReactNode) => <>We’ll email {email} again. The link in the earlier email keeps working.</>,
    notSent: 'Invitation not sent',
    alreadyJoined: 'This person has already joined. Reload the page.',
    done: 'Invitation sent again',
  },
  withdraw: {
    button: 'Withdraw',
    label: (email: string) => `Withdraw invitation to ${email}`,
    title: 'Withdraw this invitation?',
    about: (email: ReactNode) => <>{email} will no longer be able to join. The link in the email will stop working.</>,
    done: 'Invitation withdrawn',
  },
  promote: {
    button: 'Make admin',
    title: (name: string | undefined) => `Make ${name} an admin?`,
    about: 'Admins can send payouts and change settings. We’ll email you a code to confirm this change.',
    emailCode: 'Email me a code',
    /** Completes the sentence "It only works for …". */
    confirms: (email: string | undefined) => `making ${email} an admin`,
  },
  demote: {
    button: 'Make viewer',
    title: 'Make this admin a viewer?',
    about: (email: ReactNode) => <>{email} will no longer be able to send payouts or change settings.</>,
    titleSelf: 'Make yourself a viewer?',
    aboutSelf: 'You’ll no longer be able to send payouts or change settings. Only another admin can undo this.',
    notChanged: 'Role not changed',
  },
  remove: {
    button: 'Remove',
    label: (email: string) => `Remove ${email}`,
    title: 'Remove from the team?',
    about: (email: ReactNode) => (
      <>{email} will be signed out and lose access. Their activity stays in the audit log.</>
    ),
    done: 'Team member removed',
  },
  leave: {
    open: 'Leave',
    button: 'Leave team',
    title: (business: string) => `Leave ${business}?`,
    about: 'You’ll be signed out, and only an admin can invite you again. Your activity stays in the audit log.',
    done: (business: string) => `You left ${business}`,
  },
} as const
