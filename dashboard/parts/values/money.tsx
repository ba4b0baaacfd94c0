// Formatted amounts: grouped, with aligned figures, never wrapped.
import { grouped, pounds } from '../../words'

export function Gbp({ of }: { readonly of: string }) {
  return <span className="figures">{pounds(of)}</span>
}

export function Count({ of }: { readonly of: number }) {
  return <span className="figures">{grouped(String(of))}</span>
}

export function Usdc({ of }: { readonly of: string }) {
  return (
    <span className="figures">
      {grouped(of)} <span className="font-normal text-soft">USDC</span>
    </span>
  )
}
