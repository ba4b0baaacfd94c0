// The reasons why a movement in a wallet's history is held for an operator, as shown in the list.

export const unexplainedWithdrawal = 'unexplained_withdrawal'

interface OddMovement {
  /** The first field that could not be read. */
  readonly field: string
  readonly looksLike: 'deposit' | 'withdrawal' | null
}

export function whyUnreadable({ field, looksLike }: OddMovement): string {
  return `${looksLike === 'withdrawal' ? unreadableWithdrawal : 'unreadable_'}${field.replaceAll('.', '_')}`
}

/** A withdrawal cannot be credited. */
export function isHeldWithdrawal(why: string): boolean {
  return why === unexplainedWithdrawal || why.startsWith(unreadableWithdrawal)
}

const unreadableWithdrawal = 'unreadable_withdrawal_'
