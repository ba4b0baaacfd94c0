// Why a movement in a wallet's history is held for people, in words that the list shows.

export const unexplainedWithdrawal = 'unexplained_withdrawal'

export interface OddMovement {
  /** What could not be read first. */
  readonly field: string
  readonly looksLike: 'deposit' | 'withdrawal' | null
}

export function whyUnreadable({ field, looksLike }: OddMovement): string {
  return `${looksLike === 'withdrawal' ? unreadableWithdrawal : 'unreadable_'}${field.replaceAll('.', '_')}`
}

/** Money that has left is nobody's to be credited with. */
export function isHeldWithdrawal(why: string): boolean {
  return why === unexplainedWithdrawal || why.startsWith(unreadableWithdrawal)
}

const unreadableWithdrawal = 'unreadable_withdrawal_'
