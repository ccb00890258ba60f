export const tableName = "tandem-proxy";

/**
 * The tables of the mode; normally only the first exists. A load too large for one transaction is written
 * piece by piece into a table of the other name, which then replaces the active one at once.
 */
export const tableNames = [tableName, `${tableName}-2`] as const;
