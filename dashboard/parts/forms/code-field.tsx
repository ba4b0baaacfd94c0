// An input for a six-digit code, typed, pasted or autofilled, and a button that requests a new code after a pause.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Refusal } from '../../api/call'
import { now } from '../../now'
import { Button } from './button'

interface CodeFieldProps {
  readonly value: string
  readonly onChange: (digits: string) => void
  readonly onComplete: (digits: string) => void
  readonly error?: string | null
  readonly disabled?: boolean
}

export function CodeField({ value, onChange, onComplete, error, disabled }: CodeFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // Lets the user type the next code right after a refused one.
  useEffect(() => {
    if (error) input.current?.focus()
  }, [error])
  const take = (typed: string) => {
    const digits = typed.replaceAll(/\D/g, '').slice(0, 6)
    onChange(digits)
    if (digits.length === 6 && digits !== value) onComplete(digits)
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Six-digit code
      </label>
      <input
        ref={input}
        id={id}
        value={value}
        onChange={(event) => take(event.target.value)}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        readOnly={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        placeholder="••••••"
        className={`figures h-14 w-full rounded-lg border bg-surface pl-[0.4em] text-center text-2xl font-semibold tracking-[0.4em] placeholder:text-edge ${error ? 'border-bad' : 'border-edge/60'}`}
      />
      {error && (
        <p id={`${id}-error`} role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

/**
 * Requests codes. Each answer starts a pause. `pauseSeconds` is the pause after an earlier request.
 */
export function useCodeRequest(send: () => Promise<unknown>, pauseSeconds = 0) {
  const [pause, setPause] = useState(() => pauseOf(pauseSeconds))
  const request = useMutation({
    mutationFn: send,
    onSettled: (_, error) => setPause(pauseOf(secondsAfter(error))),
  })
  const secondsLeft = Math.max(0, Math.ceil((pause.endsAtMs - pause.nowMs) / 1_000))
  useEffect(() => {
    if (secondsLeft === 0) return
    // Reads the clock again, because browsers slow down the timers of hidden tabs.
    const timer = setTimeout(() => setPause({ ...pause, nowMs: now().getTime() }), 1_000)
    return () => clearTimeout(timer)
  }, [pause, secondsLeft])
  return { ...request, secondsLeft }
}

function pauseOf(seconds: number) {
  const nowMs = now().getTime()
  return { nowMs, endsAtMs: nowMs + seconds * 1_000 }
}

/** The server's Retry-After, or half a minute after a code was sent. After any other error, the user can retry. */
export function secondsAfter(error: Error | null): number {
  if (error === null) return 30
  return (error instanceof Refusal && error.retryAfterSeconds) || 0
}

interface ResendButtonProps {
  readonly request: Pick<ReturnType<typeof useCodeRequest>, 'isPending' | 'secondsLeft'>
  readonly onClick: () => void
  readonly className?: string
}

export function ResendButton({ request: { isPending, secondsLeft }, onClick, className = '' }: ResendButtonProps) {
  const wait = secondsLeft < 60 ? `${secondsLeft} s` : `${Math.ceil(secondsLeft / 60)} min`
  return (
    <Button
      weight="quiet"
      className={`figures ${className}`}
      busy={isPending}
      disabled={secondsLeft > 0}
      onClick={onClick}
    >
      {secondsLeft > 0 ? `Resend in ${wait}` : 'Resend code'}
    </Button>
  )
}
