// The search field: searches when the typing pauses, and follows changes of the URL.
import { useEffect, useState } from 'react'
import { controlled, Field } from '../../parts/forms/field'

const pauseMs = 300

interface SearchFieldProps {
  /** The search text in the URL. */
  readonly asked: string
  readonly ask: (text: string) => void
}

export function SearchField({ asked, ask }: SearchFieldProps) {
  const [typed, setTyped] = useState(asked)
  const [seen, setSeen] = useState(asked)
  const [sent, setSent] = useState<string | null>(null)
  if (asked !== seen) {
    setSeen(asked)
    setSent(null)
    // Ignores the echo of this field's own search while the user keeps typing. Any other change is Clear, Back or a link.
    if (asked !== sent) setTyped(asked)
  }
  useEffect(() => {
    const text = typed.trim()
    if (text === asked || text === sent) return
    const timer = setTimeout(() => {
      setSent(text)
      ask(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <Field
      label="Search"
      type="search"
      placeholder="Reference, name, last 4 digits or ID"
      {...controlled(typed, setTyped)}
    />
  )
}
