// Checks whether a Temporal server serves a namespace, with a hand-written gRPC call, because loading the SDK takes longer.

import { connect } from 'node:http2'

const callLimitMs = 2000

export function servesNamespace(address: string, namespace: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const settle = (serves: boolean) => {
      clearTimeout(limit)
      session.destroy()
      resolve(serves)
    }
    const limit = setTimeout(() => settle(false), callLimitMs)
    session.once('error', () => settle(false))

    const call = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    // An error without a body has its status in the headers; a response has it in the trailers.
    call.once('response', (headers) => 'grpc-status' in headers && settle(headers['grpc-status'] === '0'))
    call.once('trailers', (trailers) => settle(trailers['grpc-status'] === '0'))
    call.once('error', () => settle(false))
    call.resume()
    call.end(describeNamespace(namespace))
  })
}

/** A gRPC frame (not compressed, length) around a protobuf message whose field 1 is the name. */
function describeNamespace(namespace: string): Buffer {
  const name = Buffer.from(namespace)
  const message = Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(message.length, 1)
  return Buffer.concat([frame, message])
}
