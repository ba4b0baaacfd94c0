// Buttons, and links that look like buttons.
import { createLink } from '@tanstack/react-router'
import { LoaderCircle } from 'lucide-react'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from 'react'

type Weight = 'primary' | 'plain' | 'quiet' | 'danger'

const base =
  'print:hidden inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors h-9 px-3.5 text-sm disabled:opacity-55 disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0'

/** In forced-colours mode, the browser makes the transparent borders visible. */
const weights: Readonly<Record<Weight, string>> = {
  primary: 'border border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line bg-surface text-ink hover:bg-sunken',
  quiet: 'border border-transparent text-soft hover:text-ink hover:bg-sunken',
  danger: 'border border-line bg-surface text-bad hover:bg-bad-soft',
}

export const buttonLook = (weight: Weight = 'plain') => `${base} ${weights[weight]}`

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { weight?: Weight; busy?: boolean }

export function Button({ weight = 'plain', busy = false, className = '', children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`${buttonLook(weight)} ${className}`}
      disabled={disabled || busy}
      aria-busy={busy}
      {...rest}
    >
      {busy && <LoaderCircle className="animate-spin" aria-hidden />}
      {children}
    </button>
  )
}

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { weight?: Weight; ref?: Ref<HTMLAnchorElement> }

/** For files and other sites. */
export function Anchor({ weight = 'plain', className = '', children, ...rest }: AnchorProps) {
  return (
    <a className={`${buttonLook(weight)} ${className}`} {...rest}>
      {children}
    </a>
  )
}

/** For our own pages. */
export const ButtonLink = createLink(Anchor)
