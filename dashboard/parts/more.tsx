// The end of a list that goes on.
import { Button } from './forms/button'

interface Paged {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

export function More({ of, what }: { readonly of: Paged; readonly what: string }) {
  if (!of.hasNextPage) return null
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button weight="quiet" busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
        Show more {what}
      </Button>
    </div>
  )
}
