// The current session and environment, and the dialog that a link has asked for.
import { useSuspenseQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionQuery } from '../api/queries'
import type { Environment, Session } from '../api/types'

/** The shell loads the session before it shows a page. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

export function useIsAdmin(): boolean {
  return useSession().member.role === 'admin'
}

export function useEnvironment(): Environment {
  return useSearch({ from: '/dashboard' }).environment ?? 'sandbox'
}

/** A dialog that a link to a payout can open. */
export type PayoutDialog = 'cancel' | 'trace'

/**
 * Opens the dialog once: a reload or Back does not open it again. By then the page's heading has the focus, so the
 * focus returns there when the dialog closes.
 */
export function useLinkedDialog(dialog: PayoutDialog, open: () => void): void {
  const isLinked = useLocation({ select: ({ state }) => state.payoutDialog === dialog })
  const navigate = useNavigate()
  useEffect(() => {
    if (!isLinked) return
    void navigate({
      to: '.',
      search: true,
      replace: true,
      state: (previous) => ({ ...previous, payoutDialog: undefined }),
    })
    open()
  }, [isLinked, navigate, open])
}
