// For statements, and for the triggers they fire, whose rows may be ten or a hundred thousand.

/**
 * Selected first in a transaction: until it ends PostgreSQL plans each statement for the rows that are there. A plan it
 * keeps from a small invoice would read whole tables once for each row of a large one.
 */
export const planForTheseRows = `set_config('plan_cache_mode', 'force_custom_plan', true)`
