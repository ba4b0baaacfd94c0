// The texts of the API keys page.
import type { ReactNode } from 'react'
import type { Environment } from '../../../api/types'

const aboutKeys: Readonly<Record<Environment, string>> = {
  sandbox: 'Sandbox keys use test money and can’t see live data.',
  live: 'Live keys pay from the live wallet. They can also read your invoices, list API keys and read the audit log for both environments.',
}

export const texts = {
  title: 'API keys',
  about: (most: number, environment: Environment) => `Up to ${most} keys per environment. ${aboutKeys[environment]}`,
  create: 'Create key',
  mustVerify: 'Verify your business to create live keys',
  mustVerifyAbout: 'The sandbox works the same way, with test money.',
  none: 'No keys in this environment',
  noneAbout: 'Keys let your own systems create payouts. You see the secret once, when you create the key.',
  revokedKeys: 'revoked keys',
  columns: { key: 'Key', created: 'Created', lastUsed: 'Last used', status: 'Status', revoke: 'Revoke' },
  noLabel: 'No label',
  neverUsed: 'Never',
  cancel: 'Cancel',
  newKey: {
    label: 'Label',
    labelHint: 'Where you’ll use it, e.g. “shop server”.',
    button: (environment: Environment) => `Create ${environment} key`,
    emailCode: 'Email me a code',
    /** Completes the sentence "It only works for …". */
    confirms: (label: string) => `creating the live key “${label}”`,
  },
  secret: {
    title: 'Your new API key',
    about: 'Copy this secret now and store it safely. You won’t be able to see it again.',
    name: 'secret',
    saved: 'I’ve saved it',
    leaving: 'You won’t be able to see this secret again. Leave without saving it?',
  },
  revoke: {
    title: 'Revoke this key?',
    label: (key: string) => `Revoke ${key}`,
    about: (key: ReactNode) => (
      <>Requests using {key} will stop working immediately. Payouts already created with it aren’t affected.</>
    ),
    already: 'This key is already revoked.',
    keep: 'Keep key',
    button: 'Revoke key',
    done: 'Key revoked',
  },
} as const
