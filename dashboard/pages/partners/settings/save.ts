// Saves changes to the partner's settings and refreshes the pages that show them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call'
import { sessionQuery } from '../../../api/queries'
import type { NotificationKind } from '../../../api/types'
import { useToast } from '../../../parts/toast'
import { texts } from './texts'

export type AccountChanges = Readonly<
  Record<string, string | null | Readonly<Partial<Record<NotificationKind, boolean>>>>
>

export function useSave(onSaved?: () => void) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: (changes: AccountChanges) => call('PATCH', '/v1/account', { body: changes }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
      await Promise.all(['account', 'compliance'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
      onSaved?.()
      showToast(texts.saved)
    },
  })
}
