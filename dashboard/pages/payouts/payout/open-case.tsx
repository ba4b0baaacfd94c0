// Opens a recall or a trace, and explains its effect and cost first.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { reloadPayout } from '../../../api/queries'
import { type Case, type CaseKind, type Payout, payoutStatuses } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Area, controlled } from '../../../parts/forms/field'
import { ErrorNotice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'

interface OpenCaseProps {
  readonly payout: Payout
  readonly kind: CaseKind | null
  readonly onClose: () => void
}

const words = {
  recall: {
    title: 'Request a recall?',
    about: 'We’ll ask the recipient’s bank to return the money. The recipient has to agree, so it may be refused.',
    hint: 'For example: paid to the wrong supplier.',
    button: 'Request recall',
    done: 'Recall requested',
  },
  trace: {
    title: 'Request a trace?',
    about: 'We’ll ask the bank where the money is. The recipient isn’t affected.',
    hint: 'For example: the recipient says it hasn’t arrived.',
    button: 'Request trace',
    done: 'Trace requested',
  },
} as const

/** An open case of the same kind has its own sentence from the server. */
const states = (state: string) =>
  payoutStatuses.some((status) => status === state) ? `This isn’t possible for a ${state} payout.` : undefined

export function OpenCase({ payout, kind, onClose }: OpenCaseProps) {
  const [reason, setReason] = useState('')
  const close = () => {
    setReason('')
    open.reset()
    onClose()
  }
  const open = useOpen(payout, kind ?? 'trace', () => close())
  const { title, about, hint, button } = words[kind ?? 'trace']
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() !== '') open.mutate(reason.trim())
  }
  return (
    <Dialog open={kind !== null} onClose={close} title={title}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">
          {about}{' '}
          {payout.environment === 'live'
            ? 'When the case closes, the bank’s charge plus 20% is added to your monthly invoice.'
            : 'The sandbox is never charged.'}
        </p>
        <Area
          label="Reason"
          required
          autoFocus
          rows={3}
          maxLength={500}
          hint={hint}
          {...controlled(reason, setReason)}
        />
        {open.error && <ErrorNotice error={open.error} states={states} />}
        <DialogButtons>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" weight="primary" busy={open.isPending} disabled={reason.trim() === ''}>
            {button}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function useOpen({ id, environment }: Payout, kind: CaseKind, onClose: () => void) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: (reason: string) =>
      call<Case>('POST', pathTo`/v1/payouts/${id}/cases`, { query: { environment }, body: { kind, reason } }),
    onSuccess: () => {
      onClose()
      showToast(words[kind].done)
    },
    onSettled: () => reloadPayout(queryClient),
  })
}
