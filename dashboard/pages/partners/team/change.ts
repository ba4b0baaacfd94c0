// Runs a change of the team, shows a message and reloads the list.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { membersQuery, sessionQuery } from '../../../api/queries'
import { useToast } from '../../../parts/toast'

export const roleChanged = 'Role updated'

export function useTeamChange<Args extends readonly unknown[]>(
  change: (...args: Args) => Promise<unknown>,
  done: string,
  onDone?: () => void,
) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: (args: Args) => change(...args),
    onSuccess: async () => {
      onDone?.()
      showToast(done)
      // The user's own role or membership may have changed too.
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
    },
  })
}
