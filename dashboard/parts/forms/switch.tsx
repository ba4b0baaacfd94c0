// A switch with a label and a description.
import { type ReactNode, useId } from 'react'

interface SwitchProps {
  readonly label: string
  readonly about?: ReactNode
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange: (on: boolean) => void
}

export function Switch({ label, about, on, disabled, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {about && (
          <p id={`${id}-about`} className="text-xs text-soft">
            {about}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        aria-describedby={about ? `${id}-about` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="relative mt-0.5 h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full bg-edge transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-4 before:rounded-full before:bg-surface before:transition-transform checked:bg-accent checked:before:translate-x-4 disabled:cursor-not-allowed disabled:opacity-55"
      />
    </div>
  )
}
