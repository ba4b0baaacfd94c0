// The in-memory state of one environment: every collection by ID and by owner, rebuilt from the journal at startup.
import type { CollectionName, Collections, Put } from './records'

interface Shelf<T> {
  get(id: string): T | undefined
  /** Oldest first. */
  all(): T[]
  /** The objects of one owner, oldest first. */
  of(owner: string): T[]
  put(object: T): void
  remove(object: T): void
  /** The object that was stored last. */
  latest(): T | undefined
}

export type Books = { readonly [Name in CollectionName]: Shelf<Collections[Name]> }

/** Limits events and delivery logs, so that a long run does not fill the memory. */
const keptEvents = 10_000

export function createBooks(): Books {
  return {
    customers: createShelf(() => null),
    kycLinks: createShelf((link) => link.customerId),
    wallets: createShelf((wallet) => wallet.customerId),
    history: createShelf((row) => row.walletId),
    externalAccounts: createShelf((account) => account.customerId),
    transfers: createShelf((transfer) => transfer.customerId),
    virtualAccounts: createShelf((account) => account.customerId),
    liquidationAddresses: createShelf((address) => address.customerId),
    activities: createShelf((activity) => activity.sourceId),
    webhooks: createShelf(() => null),
    events: createShelf(() => null, keptEvents),
    deliveries: createShelf((delivery) => delivery.webhookId),
    deliveryLogs: createShelf((log) => log.webhookId, keptEvents),
    remembered: createShelf(() => null),
  }
}

export function applyPut(books: Books, put: Put): void {
  const [name, object] = put
  // TypeScript cannot infer that name and object match. The type Put guarantees it.
  const shelf = books[name] as Shelf<typeof object>
  if (name === 'deliveries' && object.status === 'over') shelf.remove(object)
  else shelf.put(object)
}

function createShelf<T extends { readonly id: string }>(
  ownerOf: (object: T) => string | null,
  keep = Number.POSITIVE_INFINITY,
): Shelf<T> {
  const byId = new Map<string, T>()
  const byOwner = new Map<string, Map<string, T>>()
  let latest: T | undefined

  function owned(owner: string): Map<string, T> {
    const known = byOwner.get(owner) ?? new Map<string, T>()
    byOwner.set(owner, known)
    return known
  }

  function remove(object: T): void {
    byId.delete(object.id)
    const owner = ownerOf(object)
    if (owner !== null) owned(owner).delete(object.id)
  }

  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    of: (owner) => [...(byOwner.get(owner)?.values() ?? [])],
    put(object) {
      latest = object
      byId.set(object.id, object)
      const owner = ownerOf(object)
      if (owner !== null) owned(owner).set(object.id, object)
      if (byId.size <= keep) return
      for (const oldest of byId.values()) return remove(oldest)
    },
    remove,
    latest: () => latest,
  }
}
