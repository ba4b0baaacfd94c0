// A change of the team: done, said, and the list read again.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { membersQuery, sessionQuery } from '../../../api/queries'
import { useSay } from '../../../parts/toast'

export const roleChanged = 'The role is changed'

export function useTeamChange<Args extends readonly unknown[]>(
  change: (...args: Args) => Promise<unknown>,
  done: string,
  onDone?: () => void,
) {
  const queryClient = useQueryClient()
  const say = useSay()
  return useMutation({
    mutationFn: (args: Args) => change(...args),
    onSuccess: async () => {
      onDone?.()
      say(done)
      // One's own role or place in the team may have changed too.
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
    },
  })
}
