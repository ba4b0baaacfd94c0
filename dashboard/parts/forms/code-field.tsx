// The input of a six-digit code: typed, pasted or autofilled, and submitted when it is complete.
import { useEffect, useId, useRef } from 'react'

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
