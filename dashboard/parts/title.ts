// The name of the page in the browser's tab and history.
import { useEffect } from 'react'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Payouts`
  }, [title])
}
