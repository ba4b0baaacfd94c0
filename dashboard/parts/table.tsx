// Tables whose less important columns are hidden on narrow screens.
import type { ReactNode } from 'react'

interface Column {
  readonly head: ReactNode
  readonly align?: 'right'
  /** The smallest screen width that shows the column. */
  readonly from?: 'sm' | 'md' | 'lg'
  /** For a column of buttons, which needs no visible heading. */
  readonly hideHead?: boolean
}

export function Table({
  columns,
  label,
  children,
}: {
  readonly columns: readonly Column[]
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full border-collapse text-left" aria-label={label}>
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            {columns.map(({ head, align, from, hideHead }, index) => (
              <th key={index} scope="col" className={`${cell} h-9 font-medium ${look(align, from)}`}>
                {hideHead ? <span className="sr-only">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

export function Row({ children }: { readonly children: ReactNode }) {
  return <tr className="relative border-b border-line last:border-0 hover:bg-sunken/60">{children}</tr>
}

/** Extends a link over its whole row. */
export const overRow = 'after:absolute after:inset-0'

interface CellProps {
  readonly children?: ReactNode
  readonly align?: 'right' | undefined
  readonly from?: 'sm' | 'md' | 'lg'
  readonly className?: string
}

export function Cell({ children, align, from, className = '' }: CellProps) {
  return <td className={`${cell} py-2.5 ${look(align, from)} ${className}`}>{children}</td>
}

/** Keeps the first and last visible column away from the card's edges when others are hidden. */
const edges = 'first:pl-5 last:pr-5 max-sm:[.hidden:first-child+&]:pl-5 max-sm:[&:not(:has(~:not(.hidden)))]:pr-5'
const cell = `px-3 align-middle ${edges}`
const shownFrom = { sm: 'hidden sm:table-cell', md: 'hidden md:table-cell', lg: 'hidden lg:table-cell' }

function look(align: 'right' | undefined, from: keyof typeof shownFrom | undefined): string {
  return `${align === 'right' ? 'text-right' : ''} ${from ? shownFrom[from] : ''}`
}
