// Every table as TypeORM knows it; a test compares them with what the migrations made.
import type { EntitySchema } from 'typeorm'

export const entities: EntitySchema[] = []
