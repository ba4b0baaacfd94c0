// The text that payouts are searched for: asked for when the typing pauses, and following the address when that changes by itself.
import { useEffect, useState } from 'react'
import { Field } from '../../parts/forms/field'

const pauseMs = 300

interface SearchFieldProps {
  /** What the address says. */
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
    // What was asked from here may come back while somebody types on; anything else is Clear, Back or a link.
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
      placeholder="Reference, name, last four, id"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
