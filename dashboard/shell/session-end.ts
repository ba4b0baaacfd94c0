// Keeps the email address and the unsent payout forms when a session ends, and a new secret until the user has saved
// it. All of them are kept in memory only.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { call } from '../api/call'
import type { PayoutFields } from '../pages/payouts/send/form'

let endedEmail: string | null = null

/** Called when the server ends the session, so that the sign-in page can explain why the user must sign in again. */
export function noteSessionEnd(email: string): void {
  endedEmail = email
}

export const emailOfEndedSession = () => endedEmail

/** Called after a sign-in. Deletes the drafts of other people. */
export function noteSignIn(email: string): void {
  endedEmail = null
  for (const owner of drafts.keys()) if (!isOf(email, owner)) drafts.delete(owner)
}

/** One draft for each member, partner and environment. */
const drafts = new Map<string, PayoutFields>()

export const draftOwner = (email: string, partnerId: string, environment: string) =>
  `${email} ${partnerId} ${environment}`

const isOf = (email: string, owner: string) => owner.startsWith(`${email} `)

export const keepDraft = (owner: string, typed: PayoutFields) => void drafts.set(owner, typed)
export const draftOf = (owner: string) => drafts.get(owner) ?? null
export const hasDrafts = (email: string) => [...drafts.keys()].some((owner) => isOf(email, owner))
export const forgetDraft = (owner: string) => void drafts.delete(owner)

export function useSignOut(path: '/v1/auth/session' | '/v1/auth/sessions' = '/v1/auth/session') {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => call('DELETE', path),
    onSuccess: async () => {
      queryClient.clear()
      endedEmail = null
      drafts.clear()
      await navigate({ to: '/sign-in' })
    },
  })
}

let shownSecrets = 0
/** Leads to the sign-in page. Null unless the session has ended while a secret is shown. */
let waitingLeave: (() => void) | null = null
const listeners = new Set<() => void>()

/** Leaves now or, if the page shows a secret that the server cannot show again, once the user has saved it. */
export function leaveOnceSaved(leave: () => void): void {
  if (shownSecrets === 0) leave()
  else setWaitingLeave(leave)
}

/** Keeps the page open while a secret is shown. Returns whether the session has ended since. */
export function useShownSecret(isShown: boolean): boolean {
  useEffect(() => {
    if (!isShown) return
    shownSecrets++
    return () => {
      shownSecrets--
      const leave = waitingLeave
      if (shownSecrets > 0 || leave === null) return
      setWaitingLeave(null)
      leave()
    }
  }, [isShown])
  return useSyncExternalStore(subscribe, () => waitingLeave !== null)
}

function setWaitingLeave(leave: (() => void) | null): void {
  waitingLeave = leave
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => void listeners.delete(notify)
}
