// The local mail inbox: it stores emails, shows them to users and scripts, and treats them as untrusted.
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createTransport } from 'nodemailer'
import { anInbox, type TestInbox } from '../support/mail/an-inbox'

let inbox: TestInbox

beforeEach(async () => {
  inbox = await anInbox({ keepMax: 3 })
})

afterEach(() => inbox.remove())

describe('the stored emails', () => {
  test('are listed newest first, up to a limit', async () => {
    for (const subject of ['one', 'two', 'three', 'four']) await deliver({ subject })

    expect((await inbox.messages()).map(({ subject }) => subject)).toEqual(['four', 'three', 'two'])
    expect(readdirSync(inbox.dataDir)).toHaveLength(3)
  })

  test('survive a restart, byte for byte and in the same order', async () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256))
    await deliver({ subject: 'older' })
    await deliver({ subject: 'newer', attachments: [{ filename: 'every byte.bin', content }] })
    const before = await inbox.messages()

    await inbox.close()
    inbox = await anInbox({ dataDir: inbox.dataDir, keepMax: 3 })

    const after = await inbox.messages()
    expect(after).toEqual(before)
    expect((await inbox.bytes(after[0]?.attachments[0]?.path ?? '')).equals(content)).toBe(true)
  })

  test('are deleted permanently by DELETE', async () => {
    await deliver({})

    const answer = await fetch(`${inbox.url}/messages.json`, { method: 'DELETE' })

    expect(answer.status).toBe(200)
    expect(await inbox.messages()).toEqual([])
    expect(readdirSync(inbox.dataDir)).toEqual([])
  })

  test('include the envelope’s recipients, even if the headers name others', async () => {
    const envelope = { from: 'a@a.test', to: ['hidden@b.test'] }
    await deliver({ envelope, raw: 'From: x@x.test\r\nTo: shown@b.test\r\nSubject: s\r\n\r\nhello' })

    const [message] = await inbox.messages()
    expect(message).toMatchObject({ envelope, from: 'x@x.test', to: ['shown@b.test'], text: 'hello\n' })
    expect(await pageOf(`/messages/${message?.id}`)).toContain('hidden@b.test')
  })

  test('are kept unchanged if they are unreadable', async () => {
    const raw = `Subject: ${'x'.repeat(3_000_000)}\r\n\r\nhello`
    await deliver({ envelope: { from: 'a@a.test', to: ['b@b.test'] }, raw })

    const [message] = await inbox.messages()
    expect(message?.subject).toBe('(unreadable message)')
    expect((await inbox.bytes(`/messages/${message?.id}/raw`)).toString()).toContain('hello')
  })

  test('are limited to 20 MB, and the next email is accepted after a larger one was refused', async () => {
    const content = Buffer.alloc(21 * 1024 * 1024)

    await expect(deliver({ attachments: [{ filename: 'big', content }] })).rejects.toThrow('larger than 20 MB')
    await deliver({ subject: 'small' })

    expect((await inbox.messages()).map(({ subject }) => subject)).toEqual(['small'])
  })
})

describe('a hostile email', () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`

  test('is shown as plain text in the page', async () => {
    await deliver({
      subject: evil,
      from: { name: evil, address: 'a@a.test' },
      text: `${evil}</pre>`,
      attachments: [{ filename: evil, content: 'x' }],
    })
    const [message] = await inbox.messages()

    for (const path of ['/', `/messages/${message?.id}`]) {
      const html = await pageOf(path)
      expect(html).toContain('&#60;script&#62;')
      expect(html).not.toMatch(/<script>|<img/)
    }
  })

  test('has its HTML in a frame whose policy allows no script, no form and no network', async () => {
    await deliver({ html: evil })
    const [message] = await inbox.messages()
    const frame = await fetch(`${inbox.url}/messages/${message?.id}/html`)

    expect(frame.headers.get('content-security-policy')).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    )
    expect(await frame.text()).toContain(evil)
    expect(await pageOf(`/messages/${message?.id}`)).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
  })

  test('has attachments that can only be downloaded, with escaped file names', async () => {
    const filename = 'a"; x=\u00e9\r\nSet-Cookie: b.html'
    await deliver({ attachments: [{ filename, content: '<script>', contentType: 'text/html' }] })
    const [message] = await inbox.messages()
    const answer = await fetch(inbox.url + message?.attachments[0]?.path)

    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w.%~-]+$/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
})

describe('the page', () => {
  test('allows only its own scripts and styles', async () => {
    const answer = await fetch(inbox.url)

    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    )
    expect(await answer.text()).toContain('No email yet')
    expect((await fetch(`${inbox.url}/inbox.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect((await fetch(`${inbox.url}/inbox.js`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test('has a version that differs after every change', async () => {
    const version = async () => (await fetch(`${inbox.url}/version.json`)).text()
    const versions = [await version()]
    await deliver({})
    versions.push(await version())
    await fetch(`${inbox.url}/messages.json`, { method: 'DELETE' })
    versions.push(await version())

    expect(new Set(versions).size).toBe(3)
  })

  test('refuses a foreign Host header, as protection against DNS rebinding', async () => {
    expect(await statusFor('evil.test')).toBe(403)
    expect(await statusFor(new URL(inbox.url).host)).toBe(200)
    expect(await statusFor('localhost:8025')).toBe(200)
  })

  test.each([
    ['GET', '/messages/none', 404],
    ['GET', '/messages/../../etc/passwd', 404],
    ['GET', '/elsewhere', 404],
    ['POST', '/messages.json', 405],
    ['DELETE', '/', 405],
  ])('answers %s %s with %i', async (method, path, status) => {
    expect((await fetch(inbox.url + path, { method })).status).toBe(status)
  })
})

async function deliver(mail: object): Promise<void> {
  const transport = createTransport(inbox.smtpUrl)
  await transport.sendMail({ from: 'a@a.test', to: 'b@b.test', subject: 's', text: 't', ...mail })
}

async function pageOf(path: string): Promise<string> {
  return (await fetch(inbox.url + path)).text()
}

/** Does not use fetch, which does not allow a custom Host header. */
function statusFor(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(`${inbox.url}/messages.json`, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.once('error', reject).end()
  })
}
