// The fields of the payout form, their validation, and the request built from them.
import type { PayoutRequest } from '../../../api/types'
import { asAmount, asFloat, pounds } from '../../../words'

export interface PayoutFields {
  readonly amount: string
  readonly reference: string
  readonly type: 'individual' | 'business'
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly postalCode: string
  readonly bankName: string
  readonly sortCode: string
  readonly accountNumber: string
}

export const emptyForm: PayoutFields = {
  amount: '',
  reference: '',
  type: 'individual',
  firstName: '',
  lastName: '',
  email: '',
  line1: '',
  line2: '',
  city: '',
  postalCode: '',
  bankName: '',
  sortCode: '',
  accountNumber: '',
}

/** The type of the recipient has a default, so it does not count. */
export function isFilled(typed: PayoutFields): boolean {
  return Object.entries(typed).some(([name, text]) => name !== 'type' && text.trim() !== '')
}

export type Faults = Partial<Readonly<Record<keyof PayoutFields, string>>>

export interface Limits {
  readonly min: string
  readonly max_per_payout: string
}

const digits = (typed: string) => typed.replaceAll(/[\s-]/g, '')

export function faultsOf(fields: PayoutFields, limits: Limits): Faults {
  const faults: Record<string, string> = {}
  const amountFault = faultOfAmount(fields.amount, limits)
  if (amountFault) faults['amount'] = amountFault
  const required = {
    firstName: 'a first name',
    lastName: 'a last name',
    line1: 'address line 1',
    city: 'a town or city',
    postalCode: 'a postcode',
    bankName: 'the bank name',
  }
  for (const name of typedKeys(required)) if (fields[name].trim() === '') faults[name] = `Enter ${required[name]}.`
  if (!/^\d{6}$/.test(digits(fields.sortCode))) faults['sortCode'] = 'Enter a 6-digit sort code, e.g. 20-04-15.'
  if (!/^\d{8}$/.test(digits(fields.accountNumber)))
    faults['accountNumber'] = accountFault(digits(fields.accountNumber))
  if (fields.email.trim() && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(fields.email.trim()))
    faults['email'] = 'Enter a valid email address.'
  return faults
}

export function faultOfAmount(typed: string, { min, max_per_payout: max }: Limits): string | null {
  const amount = asAmount(typed)
  if (amount === null) return typed.trim() === '' ? 'Enter an amount.' : 'Enter pounds and pence, e.g. 120.50.'
  if (asFloat(amount) < asFloat(min)) return `The minimum is ${pounds(min)}.`
  return asFloat(amount) > asFloat(max) ? `The maximum is ${pounds(max)} per payout.` : null
}

function accountFault(typed: string): string {
  return /^\d+$/.test(typed) ? `Enter 8 digits (you’ve entered ${typed.length}).` : 'Enter 8 digits.'
}

export function requestOf(fields: PayoutFields): PayoutRequest {
  const given = (name: string, value: string) => (value.trim() === '' ? {} : { [name]: value.trim() })
  return {
    amount_gbp: asAmount(fields.amount) ?? '',
    ...given('reference', fields.reference),
    recipient: {
      type: fields.type,
      first_name: fields.firstName.trim(),
      last_name: fields.lastName.trim(),
      ...given('email', fields.email),
      address: {
        line1: fields.line1.trim(),
        ...given('line2', fields.line2),
        city: fields.city.trim(),
        postal_code: fields.postalCode.trim(),
      },
      bank: {
        bank_name: fields.bankName.trim(),
        sort_code: digits(fields.sortCode),
        account_number: digits(fields.accountNumber),
      },
    },
  }
}

/** One per payout. Not randomUUID, which is not available on plain http pages. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `dashboard-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function typedKeys<T extends object>(of: T): (keyof T)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal has no other keys
  return Object.keys(of) as (keyof T)[]
}
