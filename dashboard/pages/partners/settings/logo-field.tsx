// The partner's logo: a small image file with a preview before it is saved.
import { ImageUp } from 'lucide-react'
import { type ChangeEvent, useId, useRef, useState } from 'react'
import type { PublicPartner } from '../../../api/types'
import { Button } from '../../../parts/forms/button'
import { logoOf, PartnerMark } from '../../../shell/partner-mark'
import { texts } from './texts'

interface LogoFieldProps {
  readonly partner: PublicPartner
  readonly disabled: boolean
  /** The image as a data: URL, or null to remove the logo. */
  readonly onPick: (logo: string | null) => void
}

const types = ['image/png', 'image/jpeg', 'image/webp']
const mostBytes = 40 * 1024

export function LogoField({ partner, disabled, onPick }: LogoFieldProps) {
  const isSet = logoOf(partner) !== null
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<string | null>(null)
  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    // Allows the user to choose the same file again after making it smaller.
    event.target.value = ''
    if (!file) return
    const wrong = faultOf(file)
    setFault(wrong)
    if (wrong === null) onPick(await asDataUrl(file))
  }
  const clear = () => {
    setFault(null)
    onPick(null)
  }
  return (
    <div className="flex items-center gap-4">
      <PartnerMark partner={partner} large />
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            id={id}
            type="file"
            accept={types.join(',')}
            aria-label={texts.logo.label}
            tabIndex={-1}
            className="hidden"
            onChange={(event) => void take(event)}
          />
          <Button disabled={disabled} aria-describedby={`${id}-about`} onClick={() => input.current?.click()}>
            <ImageUp aria-hidden />
            {isSet ? texts.logo.change : texts.logo.upload}
          </Button>
          {isSet && !disabled && (
            <Button weight="quiet" onClick={clear}>
              {texts.logo.remove}
            </Button>
          )}
        </div>
        <p
          id={`${id}-about`}
          role={fault ? 'alert' : undefined}
          className={`text-xs ${fault ? 'text-bad' : 'text-soft'}`}
        >
          {fault ?? texts.logo.about}
        </p>
      </div>
    </div>
  )
}

function faultOf({ type, size }: File): string | null {
  if (!types.includes(type)) return texts.logo.wrongType
  return size > mostBytes ? texts.logo.tooLarge(Math.ceil(size / 1024)) : null
}

function asDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
    reader.readAsDataURL(file)
  })
}
