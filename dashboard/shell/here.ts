// The current session and environment.
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
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
