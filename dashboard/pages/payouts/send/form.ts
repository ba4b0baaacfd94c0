// The fields of the payout form, their validation, and the request built from them.
import type { PayoutRequest } from '../../../api/types'
import { asAmount, asFloat, pounds } from '../../../words'
import { texts } from './texts'

export interface PayoutFields {
  readonly amount: string
  readonly reference: string
  readonly type: 'individual' | 'business'
  /** Only for a business. An individual has a first and a last name. */
  readonly businessName: string
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
  businessName: '',
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

/** The recipient's type has a default, so it does not count. */
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
  const { required } = texts.faults
  for (const name of typedKeys(required))
    if (fields[name].trim() === '' && !isHidden(name, fields.type)) faults[name] = required[name]
  if (fields.type === 'business' && splitBusinessName(fields.businessName).last_name === '')
    faults['businessName'] ??= texts.faults.oneWord
  if (!/^\d{6}$/.test(digits(fields.sortCode))) faults['sortCode'] = texts.faults.sortCode
  if (!/^\d{8}$/.test(digits(fields.accountNumber)))
    faults['accountNumber'] = accountFault(digits(fields.accountNumber))
  if (fields.email.trim() && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(fields.email.trim()))
    faults['email'] = texts.faults.email
  return faults
}

/** The form shows one name field for a business, and two for an individual. */
function isHidden(name: keyof PayoutFields, type: PayoutFields['type']): boolean {
  return type === 'business' ? name === 'firstName' || name === 'lastName' : name === 'businessName'
}

/**
 * The API has two fields for every name, and the bank receives both with a space between them. A split
 * after the first word therefore gives the bank the name as typed.
 */
function splitBusinessName(typed: string): { readonly first_name: string; readonly last_name: string } {
  const [first = '', ...rest] = typed.trim().split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') }
}

export function faultOfAmount(typed: string, { min, max_per_payout: max }: Limits): string | null {
  const amount = asAmount(typed)
  if (amount === null) return typed.trim() === '' ? texts.faults.noAmount : texts.faults.amount
  if (asFloat(amount) < asFloat(min)) return texts.faults.minimum(pounds(min))
  return asFloat(amount) > asFloat(max) ? texts.faults.maximum(pounds(max)) : null
}

function accountFault(typed: string): string {
  return /^\d+$/.test(typed) ? texts.faults.accountDigits(typed.length) : texts.faults.accountNumber
}

export function requestOf(fields: PayoutFields): PayoutRequest {
  const given = (name: string, value: string) => (value.trim() === '' ? {} : { [name]: value.trim() })
  return {
    amount_gbp: asAmount(fields.amount) ?? '',
    ...given('reference', fields.reference),
    recipient: {
      type: fields.type,
      ...(fields.type === 'business'
        ? splitBusinessName(fields.businessName)
        : { first_name: fields.firstName.trim(), last_name: fields.lastName.trim() }),
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

function typedKeys<T extends object>(of: T): (keyof T)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal has no other keys
  return Object.keys(of) as (keyof T)[]
}
