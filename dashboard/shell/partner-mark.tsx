// A partner's logo, or its initial on its brand colour.
import { pathTo } from '../api/call'
import type { PublicPartner } from '../api/types'

export function PartnerMark({ partner, large = false }: { readonly partner: PublicPartner; readonly large?: boolean }) {
  const size = large ? 'size-12 rounded-xl text-xl' : 'size-7 rounded-lg text-sm'
  const logo = logoOf(partner)
  if (logo) return <img src={logo} alt="" className={`${size} shrink-0 bg-white object-contain`} />
  const color = colorOf(partner)
  return (
    <span
      aria-hidden
      className={`${size} inline-flex shrink-0 items-center justify-center font-semibold ${color ? '' : 'bg-accent text-on-accent'}`}
      style={color ? { backgroundColor: color, color: inkOn(color) } : undefined}
    >
      {partner.name.trim().charAt(0).toUpperCase()}
    </span>
  )
}

/**
 * Never loads a logo from another host. A stored logo comes from the page's own host, a data: URL contains the image,
 * and any other logo is not shown.
 */
export function logoOf({ slug, logo_url }: PublicPartner): string | null {
  if (!logo_url || !URL.canParse(logo_url)) return null
  const { protocol, pathname, search } = new URL(logo_url)
  if (protocol === 'data:') return logo_url
  return pathname === pathTo`/v1/public/partners/${slug}/logo` ? `${pathname}${search}` : null
}

/** Accepts only a plain hex colour from a partner's settings. */
export function colorOf({ brand_color }: PublicPartner): string | null {
  return brand_color && /^#[0-9a-f]{6}$/i.test(brand_color) ? brand_color : null
}

/** The text colour: black or white, whichever has more contrast. */
function inkOn(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#111111' : '#ffffff'
}
