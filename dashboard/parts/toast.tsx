// One short sentence at the bottom of the page after something was done; read out, and gone by itself.
import { CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const Say = createContext<(sentence: string) => void>(() => undefined)

export const useSay = () => useContext(Say)

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<{ readonly sentence: string } | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), 4_000)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <Say value={(sentence) => setSaid({ sentence })}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-40 flex justify-center px-4">
        {said && (
          <p className="flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-sm font-medium text-ground shadow-over">
            <CircleCheck className="size-4" aria-hidden />
            {said.sentence}
          </p>
        )}
      </div>
    </Say>
  )
}
