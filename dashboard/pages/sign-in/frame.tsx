// The frame of the pages before sign-in.
import type { ReactNode } from 'react'
import icon from '../../icon.svg'
import { pageFacts } from '../../page-facts'
import { useTitle } from '../../parts/card'
import { texts } from './texts'

export function Frame({ title, about, mark, children, below }: FrameProps) {
  useTitle(title)
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <div className="w-full max-w-sm rounded-2xl border border-line bg-surface p-7 shadow-card">
        <div className="mb-6 flex flex-col gap-4">
          {mark ?? <img src={icon} alt="" className="size-12" />}
          <div>
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {about && <p className="mt-1 text-soft">{about}</p>}
          </div>
        </div>
        {children}
      </div>
      <div className="flex flex-col items-center gap-2 text-soft [&_a]:text-ink [&_a]:underline [&_a]:underline-offset-2">
        {below}
        {pageFacts.mail_inbox_url && (
          <p>
            {texts.inbox.about}{' '}
            <a href={pageFacts.mail_inbox_url} target="_blank" rel="noreferrer">
              {texts.inbox.open}
            </a>
          </p>
        )}
      </div>
    </main>
  )
}

interface FrameProps {
  readonly title: string
  readonly about?: ReactNode
  readonly mark?: ReactNode
  readonly below?: ReactNode
  readonly children: ReactNode
}
