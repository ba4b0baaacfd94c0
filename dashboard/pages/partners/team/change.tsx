// A change to the team, with a confirmation before it and a message after it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { membersQuery, sessionQuery } from '../../../api/queries'
import type { Member } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ErrorNotice, type StateWords } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { texts } from './texts'

/** Runs the change, shows a message and reloads the list. */
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

export interface MemberProps {
  readonly member: Member | null
  readonly onClose: () => void
}

export function Address({ of: member }: { readonly of: Member | null }) {
  return <strong className="text-ink">{member?.email}</strong>
}

interface QuestionProps extends MemberProps {
  readonly title: string
  readonly button: string
  readonly errorTitle?: string
  readonly states?: StateWords
  readonly weight?: 'danger' | 'primary'
  readonly change: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly reset: () => void
    readonly start: () => void
  }
  readonly children: ReactNode
}

export function Question(props: QuestionProps) {
  const { member, onClose, title, button, errorTitle, states, weight = 'danger', change, children } = props
  return (
    <Dialog open={member !== null} onClose={onClose} title={title} change={change}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{children}</p>
        {change.error && (
          <ErrorNotice error={change.error} states={states} {...(errorTitle ? { title: errorTitle } : {})} />
        )}
      </div>
      <DialogButtons>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button weight={weight} busy={change.isPending} onClick={change.start}>
          {button}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
