// The tables of signed-in people, their emailed codes, and the mails that wait to be sent.
import { EntitySchema } from 'typeorm'
import { bytes, id, idOf, integer, orNull, text, time, uuid, withDefault } from '../columns'

export const mailKinds = ['sign_in', 'sign_up', 'invitation', 'confirm', 'notice'] as const
export type MailKind = (typeof mailKinds)[number]

export type CodePurpose = 'sign_in' | 'sign_up' | 'confirm'

export interface StoredSession {
  readonly id: string
  readonly memberId: string
  readonly tokenDigest: Buffer
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

export interface StoredCode {
  readonly id: string
  readonly purpose: CodePurpose
  readonly subject: string
  readonly boundTo: Buffer | null
  readonly digest: Buffer
  readonly digestKeyId: string
  readonly tries: number
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  readonly usedFor: string | null
  readonly sealed: Buffer | null
  readonly sealedKeyId: string | null
}

export interface StoredMail {
  readonly id: string
  readonly kind: MailKind
  readonly sealed: Buffer | null
  readonly keyId: string
  readonly tries: number
  readonly nextTryAt: Date
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly sentAt: Date | null
}

export const session = new EntitySchema<StoredSession>({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    id,
    memberId: idOf('Member'),
    tokenDigest: bytes,
    createdAt: time,
    lastUsedAt: time,
    expiresAt: time,
    revokedAt: orNull(time),
  },
})

export const code = new EntitySchema<StoredCode>({
  name: 'Code',
  tableName: 'codes',
  columns: {
    id,
    purpose: text,
    subject: text,
    boundTo: orNull(bytes),
    digest: bytes,
    digestKeyId: text,
    tries: withDefault(integer, 0),
    createdAt: time,
    expiresAt: time,
    usedAt: orNull(time),
    usedFor: orNull(uuid),
    sealed: orNull(bytes),
    sealedKeyId: orNull(text),
  },
})

export const mail = new EntitySchema<StoredMail>({
  name: 'Mail',
  tableName: 'mails',
  columns: {
    id,
    kind: text,
    sealed: orNull(bytes),
    keyId: text,
    tries: withDefault(integer, 0),
    nextTryAt: time,
    createdAt: time,
    expiresAt: time,
    sentAt: orNull(time),
  },
})
