// A short message at the bottom of the page after an action; announced to screen readers, and hidden after a while.
import { CircleAlert, CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

type Tone = 'good' | 'bad'

const Say = createContext<(sentence: string, tone?: Tone) => void>(() => undefined)

export const useToast = () => useContext(Say)

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<{ readonly sentence: string; readonly tone: Tone } | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), 4_000)
    return () => clearTimeout(timer)
  }, [said])
  const Icon = said?.tone === 'bad' ? CircleAlert : CircleCheck
  return (
    <Say value={(sentence, tone = 'good') => setSaid({ sentence, tone })}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-40 flex justify-center px-4">
        {said && (
          <p className="flex items-center gap-2 rounded-3xl border border-transparent bg-ink px-4 py-2 text-sm font-medium text-ground shadow-over">
            <Icon className="size-4 shrink-0" aria-hidden />
            {said.sentence}
          </p>
        )}
      </div>
    </Say>
  )
}
