// The route table as an OpenAPI 3.1 document: what the server does and what it says it does come from the same lines.
import { strict as assert, deepStrictEqual } from 'node:assert'
import { version } from '../package.json'
