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
  readonly optional?: boolean
}

type FieldProps = About & InputHTMLAttributes<HTMLInputElement>
type ChoiceProps = About & SelectHTMLAttributes<HTMLSelectElement>
type AreaProps = About & TextareaHTMLAttributes<HTMLTextAreaElement>

const look =
  'h-9 w-full rounded-lg border bg-surface px-3 text-sm text-ink placeholder:text-soft/80 disabled:bg-sunken disabled:text-soft'
const edge = (error: About['error']) => (error ? 'border-bad' : 'border-edge/60 hover:border-edge')

export function Field({ label, hint, error, optional, className = '', ...input }: FieldProps) {
  const id = useId()
  return (
    <Frame id={id} {...{ label, hint, error }} optional={optional === true}>
      <input id={id} {...tied(id, error, hint)} className={`${look} ${edge(error)} ${className}`} {...input} />
    </Frame>
  )
}

export function Choice({ label, hint, error, optional, className = '', children, ...select }: ChoiceProps) {
  const id = useId()
  return (
    <Frame id={id} {...{ label, hint, error }} optional={optional === true}>
      <select
        id={id}
        {...tied(id, error, hint)}
        className={`${look} ${edge(error)} pr-8 pl-2 ${className}`}
        {...select}
      >
        {children}
      </select>
    </Frame>
  )
}

export function Area({ label, hint, error, optional, className = '', ...area }: AreaProps) {
  const id = useId()
  return (
    <Frame id={id} {...{ label, hint, error }} optional={optional === true}>
      <textarea
        id={id}
        {...tied(id, error, hint)}
        className={`${look} !h-auto py-2 ${edge(error)} ${className}`}
        {...area}
      />
    </Frame>
  )
}

/** The props of a field whose text is kept by a state. */
export function typing(value: string, set: (text: string) => void) {
  return {
    value,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
      set(target.value),
  }
}

function tied(id: string, error: About['error'], hint: ReactNode) {
  return { 'aria-invalid': error ? true : undefined, 'aria-describedby': error || hint ? `${id}-about` : undefined }
}

function Frame({
  id,
  label,
  hint,
  error,
  optional,
  children,
}: About & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="flex items-baseline justify-between gap-2 font-medium">
        {label}
        {optional && <span className="text-xs font-normal text-soft">optional</span>}
      </label>
      {children}
      {(error || hint) && (
        <p id={`${id}-about`} className={`text-xs ${error ? 'text-bad' : 'text-soft'}`}>
          {error || hint}
        </p>
      )}
    </div>
  )
}
