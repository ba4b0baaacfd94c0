// A modal window that uses the browser's <dialog>: it traps the focus, closes on Escape and restores the focus.
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  /** `drawer`: full height at the left edge. `bare`: the content has its own frame. */
  readonly shape?: 'window' | 'drawer' | 'bare'
  /** Prevents accidental closing when that would lose data. */
  readonly preventClose?: boolean
  /** The mutation that the dialog starts. Closing the dialog clears the mutation's error. */
  readonly change?: { readonly reset: () => void }
}

const shapes = {
  window: 'm-auto w-[min(34rem,calc(100vw-2rem))] rounded-2xl p-6',
  drawer: 'm-0 h-dvh max-h-none w-72 p-0',
  bare: 'mx-auto mt-[12vh] mb-auto w-[min(36rem,calc(100vw-2rem))] rounded-2xl p-0',
}

export function Dialog(props: DialogProps) {
  const { open, onClose, title, children, shape = 'window', preventClose = false, change } = props
  const reset = change?.reset
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    if (open) {
      ref.current?.showModal()
      return
    }
    ref.current?.close()
    reset?.()
  }, [open, reset])
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (!preventClose) onClose()
      }}
      // The browser lets a page prevent only some closings: repeated Escape closes the dialog anyway.
      onClose={() => {
        if (!open || ref.current?.open) return
        if (preventClose) ref.current?.showModal()
        else onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current && !preventClose) onClose()
      }}
      className={`max-w-none border border-line bg-surface text-ink shadow-over ${shapes[shape]}`}
    >
      {open && (
        <>
          <h2
            id={titleId}
            className={shape === 'window' ? 'mr-8 mb-4 text-base font-semibold wrap-anywhere' : 'sr-only'}
          >
            {title}
          </h2>
          {children}
          {/* The close button comes last, because showModal() focuses the first control, which should be the first
              field or Cancel. */}
          {shape === 'window' && !preventClose && (
            <button
              type="button"
              onClick={onClose}
              aria-label="Close"
              className="absolute top-5 right-4 rounded-md p-1.5 text-soft hover:bg-sunken hover:text-ink"
            >
              <X className="size-4" aria-hidden />
            </button>
          )}
        </>
      )}
    </dialog>
  )
}

export function DialogButtons({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
