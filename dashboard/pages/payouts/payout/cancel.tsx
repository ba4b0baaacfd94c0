// Cancels a pending payout, for admins. A payout that the bank may have cannot be cancelled.
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
import { useIsAdmin } from '../../../shell/here'
import { pounds } from '../../../words'
import { cancelFailureOf } from './cancel-words'

export function CancelPayout({ payout }: { readonly payout: Payout }) {
  const isAdmin = useIsAdmin()
  const [open, setOpen] = useState(false)
  const cancel = useCancel(payout, () => setOpen(false))
  const failure = cancel.error && cancelFailureOf(cancel.error)
  const isTooLate = failure?.outcome === 'too_late'
  const close = () => {
    setOpen(false)
    cancel.reset()
  }
  // The dialog stays open when the status changes, so that it can show that the cancellation was too late.
  if (!isAdmin || (payout.status !== 'pending' && !open)) return null
  return (
    <>
      {payout.status === 'pending' && (
        <Button weight="danger" onClick={() => setOpen(true)}>
          <Ban aria-hidden />
          Cancel payout
        </Button>
      )}
      <Dialog open={open} onClose={close} title={isTooLate ? 'Payout not cancelled' : 'Cancel this payout?'}>
        <div className="flex flex-col gap-4">
          {!isTooLate && (
            <p className="text-soft">
              <strong className="text-ink">{pounds(payout.amount_gbp)}</strong> to{' '}
              <strong className="text-ink">{payout.recipient.name ?? 'the recipient'}</strong> won’t be sent. You won’t
              be charged, and the money returns to your wallet right away. You can only cancel before the bank has
              accepted it.
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
          <Button onClick={close}>{isTooLate ? 'Close' : 'Keep payout'}</Button>
          {!isTooLate && (
            <Button weight="danger" busy={cancel.isPending} onClick={() => cancel.mutate()}>
              {failure?.outcome === 'undecided' ? 'Try again' : 'Cancel payout'}
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
    showToast('Payout cancelled')
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
