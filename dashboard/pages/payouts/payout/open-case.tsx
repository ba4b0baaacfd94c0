// Asks for a recall or a trace: why, what it takes and what it costs, before anybody at the bank is asked.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, pathTo } from '../../../api/call'
import type { Case, CaseKind, Payout } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { Area } from '../../../parts/forms/field'
import { Trouble } from '../../../parts/notice'
import { useSay } from '../../../parts/toast'
import { readAgain } from './read-again'

interface OpenCaseProps {
  readonly payout: Payout
  readonly kind: CaseKind | null
  readonly onClose: () => void
}

const words = {
  recall: {
    title: 'Recall this payout?',
    about:
      'The recipient’s bank is asked to send the money back. The recipient has to agree, so it may be refused; if it comes back, this page says so.',
    hint: 'Why it should come back, such as: paid to the wrong supplier.',
    button: 'Ask for the recall',
    done: 'The recall is opened',
  },
  trace: {
    title: 'Trace this payout?',
    about: 'The bank is asked where the money is. Nothing changes for the recipient.',
    hint: 'Why it is looked for, such as: the recipient says that it has not arrived.',
    button: 'Ask for the trace',
    done: 'The trace is opened',
  },
} as const

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
            ? 'When it is resolved it is charged: the bank’s cost plus 20%, on the monthly invoice.'
            : 'The sandbox is never charged.'}
        </p>
        <Area
          label="Reason"
          required
          autoFocus
          rows={3}
          maxLength={500}
          hint={hint}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {open.error && <Trouble error={open.error} />}
        <DialogButtons>
          <Button onClick={close}>Not now</Button>
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
  const say = useSay()
  return useMutation({
    mutationFn: (reason: string) =>
      call<Case>('POST', pathTo`/v1/payouts/${id}/cases`, { query: { environment }, body: { kind, reason } }),
    onSuccess: () => {
      onClose()
      say(words[kind].done)
    },
    onSettled: () => readAgain(queryClient),
  })
}
