export const tableName = "tandem-proxy";

/**
 * All is done in one table. A load that does not fit into one transaction is put into another one of
 * the second name, bit by bit, which then takes the place of the first at once.
 */
export const tableNames = [tableName, `${tableName}-2`] as const;
