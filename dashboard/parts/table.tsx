// Tables whose less important columns are hidden on narrow screens.
import type { ReactNode } from 'react'

interface Column {
  readonly head: ReactNode
  readonly align?: 'right'
  /** The smallest screen width that shows the column. */
  readonly from?: 'sm' | 'md' | 'lg'
  /** For a column of buttons, which needs no visible heading. */
  readonly hideHead?: boolean
  /** The sort direction. Only for the column by which the rows are sorted. */
  readonly sorted?: 'ascending' | 'descending' | undefined
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
            {columns.map(({ head, align, from, hideHead, sorted }, index) => (
              <th key={index} scope="col" aria-sort={sorted} className={`${cell} h-9 font-medium ${look(align, from)}`}>
                {hideHead ? <span className="sr-only">{head}</span> : head}
                {sorted && <span aria-hidden>{sorted === 'ascending' ? ' ↑' : ' ↓'}</span>}
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

/** Makes a link cover its whole row, or its nearest positioned card. */
export const overRow = 'hover:underline after:absolute after:inset-0'

/** Keeps a button or another link usable in a row that a link covers. */
export const aboveRow = 'relative z-1'

interface CellProps {
  readonly children?: ReactNode
  readonly align?: 'right' | undefined
  readonly from?: 'sm' | 'md' | 'lg'
  readonly className?: string
}

export function Cell({ children, align, from, className = '' }: CellProps) {
  return <td className={`${cell} py-2.5 ${look(align, from)} ${className}`}>{children}</td>
}

/** Pads the first and last visible columns, even if columns before or after them are hidden. */
const edges = 'first:pl-5 last:pr-5 max-sm:[.hidden:first-child+&]:pl-5 max-sm:[&:not(:has(~:not(.hidden)))]:pr-5'
const cell = `px-3 align-middle ${edges}`
const shownFrom = { sm: 'hidden sm:table-cell', md: 'hidden md:table-cell', lg: 'hidden lg:table-cell' }

function look(align: 'right' | undefined, from: keyof typeof shownFrom | undefined): string {
  return `${align === 'right' ? 'text-right' : ''} ${from ? shownFrom[from] : ''}`
}
