// The texts of the pages before sign-in.
import type { ReactNode } from 'react'
import { waitWords } from '../../words'

export const texts = {
  signIn: 'Sign in',
  signInTo: (business: string) => `Sign in to ${business}`,
  about: 'We’ll email you a six-digit code.',
  email: 'Work email',
  sendCode: 'Send code',
  newHere: 'New here?',
  notFound: { title: 'Page not found', about: 'Check the address.', signIn: 'Go to sign-in' },
  withdrawn: {
    title: 'This invitation is no longer valid',
    about: 'It was withdrawn or declined. Ask the person who invited you to send a new one.',
    signIn: 'Sign in to another account',
  },
  ended: {
    title: 'Your session has ended',
    about: 'Sign in again to continue.',
    draftKept: 'We kept the payout that you were entering.',
  },
  code: {
    title: 'Check your email',
    /** Sign-in does not reveal whether the address has an account. */
    sentToMember: (email: ReactNode, code: string) => (
      <>
        If {email} has an account, we’ve sent it {code}. It expires in 10 minutes.
      </>
    ),
    sentTo: (email: ReactNode, code: string) => (
      <>
        We’ve sent {code} to {email}. It expires in 10 minutes.
      </>
    ),
    tooMany: (email: ReactNode, waitSeconds: number | null) => (
      <>
        You’ve requested too many codes. Use the latest one we sent to {email}, or try again in{' '}
        {waitSeconds === null ? 'a few minutes' : waitWords(waitSeconds)}.
      </>
    ),
    notSent: 'We couldn’t send the code',
    otherEmail: 'Use a different email',
  },
  signUp: {
    title: 'Create a sandbox account',
    about: 'Start with test money and API keys right away. You can send live payouts once your business is verified.',
    name: 'Business name',
    button: 'Create account',
    hasAccount: 'Already have an account?',
  },
  inbox: { about: 'Running locally:', open: 'open the test inbox' },
} as const
