// A text field that reports its text when the typing pauses, and follows changes of the URL.
import { type InputHTMLAttributes, useEffect, useState } from 'react'
import { controlled, Field } from './field'

const pauseMs = 300

interface PausedFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'placeholder' | 'inputMode'> {
  readonly label: string
  /** The text in the URL. */
  readonly asked: string
  readonly ask: (text: string) => void
  /** Returns the text in the form of the URL, or null if it is not valid. */
  readonly parse?: (typed: string) => string | null
  /** Shown while the text is not valid. */
  readonly fault?: string
}

export function PausedField({ asked, ask, parse = trimmed, fault, ...field }: PausedFieldProps) {
  const [typed, setTyped] = useState(asked)
  const [seen, setSeen] = useState(asked)
  const [sent, setSent] = useState<string | null>(null)
  if (asked !== seen) {
    setSeen(asked)
    setSent(null)
    // Ignores the echo of this field's own text while the user keeps typing. Any other change is Clear, Back or a link.
    if (asked !== sent) setTyped(asked)
  }
  const text = parse(typed)
  useEffect(() => {
    if (text === null || text === asked || text === sent) return
    const timer = setTimeout(() => {
      setSent(text)
      ask(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  })
  return <Field {...field} error={text === null ? fault : null} {...controlled(typed, setTyped)} />
}

const trimmed = (typed: string) => typed.trim()
