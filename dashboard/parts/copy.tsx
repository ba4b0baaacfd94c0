// Copies text to the clipboard and shows a confirmation.
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { buttonLook } from './forms/button'

export function CopyButton({
  text,
  name,
  wide,
}: {
  readonly text: string
  readonly name: string
  readonly wide?: boolean
}) {
  const [done, copy] = useCopy(text)
  const Icon = done ? Check : Copy
  const look = wide
    ? buttonLook('plain')
    : 'inline-flex size-7 items-center justify-center rounded-md text-soft hover:bg-sunken hover:text-ink'
  return (
    <button
      type="button"
      onClick={copy}
      className={look}
      title={wide ? undefined : `Copy ${name}`}
      aria-label={wide ? undefined : `Copy ${name}`}
    >
      <Icon className={wide ? '' : 'size-3.5'} aria-hidden />
      {wide && (done ? 'Copied' : `Copy ${name}`)}
      <span role="status" className="sr-only">
        {done ? `Copied ${name}` : ''}
      </span>
    </button>
  )
}

/** A code or an ID with a copy button. */
export function Copyable({
  text,
  name,
  shown = text,
  isWhole = false,
}: {
  readonly text: string
  readonly name: string
  readonly shown?: string
  /** Wraps a long text instead of truncating it. */
  readonly isWhole?: boolean
}) {
  return (
    // Negative margins keep the button as tall as a line and align its icon with the rows around it.
    <span className="-my-1 inline-flex max-w-full items-center">
      <code className={`min-w-0 font-mono text-xs ${isWhole ? 'break-all' : 'truncate'}`} title={text}>
        {shown}
      </code>
      <span className="relative left-1.5">
        <CopyButton text={text} name={name} />
      </span>
    </span>
  )
}

function useCopy(text: string): readonly [boolean, () => void] {
  const [done, setDone] = useState(false)
  const copy = async () => {
    await write(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return [done, () => void copy()]
}

/** Browsers offer the clipboard API only on secure pages. On other pages, execCommand still works. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
