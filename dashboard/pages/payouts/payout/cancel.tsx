// Lets admins cancel a pending payout. A payout that may already be at the bank cannot be cancelled.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import { useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { reloadPayout } from '../../../api/queries'
import type { Payout } from '../../../api/types'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ErrorNotice, Notice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { useIsAdmin, useLinkedDialog } from '../../../shell/here'
import { pounds } from '../../../words'
import { cancelFailureOf, texts } from './texts'

const words = texts.cancel

export function CancelPayout({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const [open, setOpen] = useState(false)
  useLinkedDialog('cancel', () => setOpen(payout.status === 'pending'))
  const cancel = useCancel(payout, () => setOpen(false))
  const failure = cancel.error && cancelFailureOf(cancel.error)
  const isTooLate = failure?.outcome === 'too_late'
  const close = () => setOpen(false)
  // The dialog stays open when the status changes, so that it can show that the cancellation was too late.
  if (!isAdmin || (payout.status !== 'pending' && !open)) return null
  return (
    <>
      {payout.status === 'pending' && (
        <Button weight="danger" onClick={() => setOpen(true)}>
          <Ban aria-hidden />
          {words.button}
        </Button>
      )}
      <Dialog open={open} onClose={close} title={isTooLate ? words.notCancelled : words.title} change={cancel}>
        <div className="flex flex-col gap-4">
          {!isTooLate && (
            <p className="text-soft">
              <strong className="block text-ink">
                {words.payout(pounds(payout.amount_gbp), payout.recipient.name)}
              </strong>
              {words.about}
            </p>
          )}
          {cancel.error && failure?.outcome === 'other' && <ErrorNotice error={cancel.error} />}
          {(failure?.outcome === 'too_late' || failure?.outcome === 'undecided') && (
            <Notice tone={isTooLate ? 'bad' : 'warn'} title={failure.title}>
              {failure.advice}
            </Notice>
          )}
        </div>
        <DialogButtons>
          <Button onClick={close}>{isTooLate ? words.close : words.keep}</Button>
          {!isTooLate && (
            <Button weight="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
              {failure?.outcome === 'undecided' ? words.retry : words.button}
            </Button>
          )}
        </DialogButtons>
      </Dialog>
    </>
  )
}

function useCancel({ id, environment }: Payout, onDone: () => void) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  const done = () => {
    onDone()
    showToast(words.done)
  }
  return useMutation({
    mutationFn: () => call('POST', pathTo`/v1/payouts/${id}/cancel`, { query: { environment } }),
    onSuccess: done,
    onError: (error) => {
      if (cancelFailureOf(error).outcome === 'cancelled') done()
    },
    onSettled: () => reloadPayout(queryClient),
  })
}
