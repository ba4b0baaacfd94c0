// Who is signed in, and in which environment the page is.
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { sessionQuery } from '../api/queries'
import type { Environment, Session } from '../api/types'

/** The shell has loaded the session before any page is shown. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

export function useIsAdmin(): boolean {
  return useSession().member.role === 'admin'
}

export function useEnvironment(): Environment {
  return useSearch({ from: '/dashboard' }).environment ?? 'sandbox'
}
