// Form fields with a label and a hint or error, linked for screen readers.
import {
  type ChangeEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'

interface About {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | null | undefined
  readonly optional?: boolean | undefined
}

type FieldProps = About & InputHTMLAttributes<HTMLInputElement>
type ChoiceProps = About & SelectHTMLAttributes<HTMLSelectElement>
type AreaProps = About & TextareaHTMLAttributes<HTMLTextAreaElement>

/** iPhones zoom in on a field with text below 16 px. */
const look =
  'h-9 w-full rounded-lg border bg-surface px-3 text-base sm:text-sm text-ink placeholder:text-soft/80 disabled:bg-sunken disabled:text-soft'
const edge = (error: About['error']) => (error ? 'border-bad' : 'border-edge/60 hover:border-edge')

export function Field({ label, hint, error, optional, className = '', ...input }: FieldProps) {
  return (
    <Frame {...{ label, hint, error, optional }}>
      {(tied) => <input {...tied} className={`${look} ${edge(error)} ${className}`} {...input} />}
    </Frame>
  )
}

export function Choice({ label, hint, error, optional, className = '', children, ...select }: ChoiceProps) {
  return (
    <Frame {...{ label, hint, error, optional }}>
      {(tied) => (
        <select {...tied} className={`${look} ${edge(error)} pr-8 pl-2 max-sm:pr-1 ${className}`} {...select}>
          {children}
        </select>
      )}
    </Frame>
  )
}

export function Area({ label, hint, error, optional, className = '', ...area }: AreaProps) {
  return (
    <Frame {...{ label, hint, error, optional }}>
      {(tied) => <textarea {...tied} className={`${look} !h-auto py-2 ${edge(error)} ${className}`} {...area} />}
    </Frame>
  )
}

/** The props of a controlled field, whose text is in React state. */
export function controlled(value: string, set: (text: string) => void) {
  return {
    value,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
      set(target.value),
  }
}

interface FrameProps extends About {
  readonly children: (tied: Tied) => ReactNode
}

/** The props that link a control to its label and to its hint or error. */
interface Tied {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

function Frame({ label, hint, error, optional, children }: FrameProps) {
  const id = useId()
  const about = error || hint ? `${id}-about` : undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="flex items-baseline justify-between gap-2 font-medium">
        {label}
        {optional && <span className="text-xs font-normal text-soft">optional</span>}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': about })}
      {about && (
        <p id={about} className={`text-xs ${error ? 'text-bad' : 'text-soft'}`}>
          {error || hint}
        </p>
      )}
    </div>
  )
}
